package issues

import (
	"context"
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
		Input: tools.ObjectSchema(filterProperties + `,"format":{"type":"string","enum":["full","summary","minimal"]},` + pageProperties +
			`,"offset":{"type":"integer","description":"deprecated"}`),
		Output: tools.ObjectSchema(listingProperties, "issues", "totalCount"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			asked := listed{
				filter: readFilter(ctx, ix, args),
				Format: args.Enum("format", formatFull, formatSummary, formatMinimal),
				Offset: args.Int("offset", 0, math.MaxInt32, 0),
			}
			size := args.Settings().PageSize
			switch asked.Format {
			case "":
				asked.Format = formatSummary
			case formatFull:
				size = min(size, fullLimit)
			}
			q := index.Query{Filter: asked.query(), Offset: asked.Offset, Scope: listName}
			return turn(ctx, ix, args, asked, q, size, func(asked listed, p index.Page) (form, error) {
				if asked.Format == formatFull {
					return newWhole(ix, p, args.Budget(), nothingListed(asked))
				}
				return newRows(p, asked.Format == formatMinimal, nothingListed(asked)), nil
			})
		},
	}
}

// nothingListed says what to try when a list is empty.
func nothingListed(asked listed) string {
	if reflect.ValueOf(asked.filter).IsZero() {
		return "No issues match. The workspace has no documents yet."
	}
	return "No issues match. Drop a filter, or call issues_stats to see which values documents have."
}
