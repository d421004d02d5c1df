package issues

import (
	"context"
	"errors"
	"math"
	"reflect"

	"issues-index/index"
	"issues-index/tools"
)

// listed is what a list was asked for, under the arguments' names.
type listed struct {
	filter
	Format string `json:"format"`
	Offset int    `json:"offset,omitempty"`
}

const listName = "issues_list"

func list(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: listName,
		Description: "List documents, last updated first, narrowed by filters (any value of a filter). Read-only. " +
			"format: summary (default; a priority not shown is medium), minimal (id, title, status) or full (all fields and text). " +
			"Go on with cursor alone.",
		ReadOnly:   true,
		Idempotent: true,
		Input: schema(filterProperties + `,"format":{"type":"string","enum":["full","summary","minimal"]},` + pageProperties +
			`,"offset":{"type":"integer","description":"deprecated"}`),
		Output: schema(listingProperties, "issues", "totalCount"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			asked := listed{
				filter: readFilter(ctx, ix, args),
				Format: args.Enum("format", formatFull, formatSummary, formatMinimal),
				Offset: args.Int("offset", 0, math.MaxInt32, 0),
			}
			size := defaultLimit
			switch asked.Format {
			case "":
				asked.Format = formatSummary
			case formatFull:
				size = fullLimit
			}
			q := index.Query{Filter: asked.query(), Offset: asked.Offset, Scope: listName}
			p, err := turn(ctx, ix, args, &asked, q, size)
			if err != nil {
				return tools.Result{}, err
			}
			switch empty := nothingListed(asked); asked.Format {
			case formatFull:
				return listFull(ix, p, empty)
			case formatMinimal:
				return minimal(p, empty), nil
			default:
				return summaries(p, empty), nil
			}
		},
	}
}

// listFull reads each document's file. One that went away since the index was
// read is left out.
func listFull(ix *index.Index, p index.Page, empty string) (tools.Result, error) {
	items, texts := make([]any, 0, len(p.Rows)), make([]string, 0, len(p.Rows))
	for _, r := range p.Rows {
		doc, err := load(ix, r)
		if gone := (*index.NotFoundError)(nil); errors.As(err, &gone) {
			continue
		}
		if err != nil {
			return tools.Result{}, err
		}
		d := whole(doc)
		items, texts = append(items, d), append(texts, separator+d.text())
	}
	return answer(p, items, texts, legend{}, empty), nil
}

// nothingListed says what to try when a list is empty.
func nothingListed(asked listed) string {
	if reflect.ValueOf(asked.filter).IsZero() {
		return "No issues match. The workspace has no documents yet."
	}
	return "No issues match. Drop a filter, or call issues_stats to see which values documents have."
}
