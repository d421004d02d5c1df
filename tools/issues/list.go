package issues

import (
	"cmp"
	"context"
	"math"
	"reflect"

	"issues-index/index"
	"issues-index/tools"
)

// listArgs are the arguments of a list, under their names.
type listArgs struct {
	searchFilter
	Format    string `json:"format"`
	Offset    int    `json:"offset,omitempty"`
	SortBy    string `json:"sortBy,omitempty"`
	SortOrder string `json:"sortOrder,omitempty"`
}

const listName = "issues_list"

func list(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: listName,
		Description: "List issues (the backlog of tickets and tasks), last updated first. Read-only. " +
			"ready: what can be begun. where: 'is:blocked updated > -7d sort priority desc'. " +
			"format full has the text.",
		ReadOnly:   true,
		Idempotent: true,
		Input: tools.ObjectSchema(
			filterProperties(layoutOf(ix)) + `,"ready":` + yesNo + `,"blocked":` + yesNo + `,"where":` + anyText + `,"view":` +
				anyText +
				`,"format":{"type":"string","enum":["full","summary","minimal"]},` +
				`"offset":{"type":"integer","description":"deprecated"},` +
				pageProperties,
		),
		Takes:  append([]string{"under", "type", "ids", "sortBy", "sortOrder"}, timeFilters...),
		Output: tools.ObjectSchema(listingProperties, "issues", "totalCount"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			asked := listArgs{
				searchFilter: readSearchFilter(ctx, ix, args),
				Format:       args.Enum("format", formatFull, formatSummary, formatMinimal),
				Offset:       args.Int("offset", 0, math.MaxInt32, 0),
				SortBy:       args.Enum("sortBy", "updated", "created", "priority", "status"),
				SortOrder:    args.Enum("sortOrder", "asc", "desc"),
			}
			size := args.Settings().PageSize
			switch asked.Format {
			case "":
				asked.Format = formatSummary
			case formatFull:
				size = min(size, fullLimit)
			}
			ids, err := anyForm(ctx, ix, args, asked.IDs)
			if err != nil {
				return tools.Result{}, err
			}
			filter, err := asked.query(ctx, ix, args, ids)
			if err != nil {
				return tools.Result{}, err
			}
			q := index.Query{
				Filter: filter, Waits: asked.Format != formatMinimal, Claims: asked.Format != formatMinimal, Uncounted: true,
				Lines: asked.Format != formatFull, Offset: asked.Offset, Scope: listName,
			}
			if asked.SortBy != "" || asked.SortOrder != "" {
				q.Sort = sorted(cmp.Or(asked.SortBy, "updated"), asked.SortOrder)
			}
			return page(ctx, ix, args, asked, q, size, func(asked listArgs, p index.Page) (*listRows, error) {
				if len(p.Rows) == 0 {
					noteNothing(ctx, ix, args, asked.byMeaning())
				}
				if asked.Format == formatFull {
					return fullRows(ix, args, p, nothingListed(asked))
				}
				return lineRows(layoutOf(ix), args, p, asked.Format == formatMinimal, nothingListed(asked)), nil
			})
		},
	}
}

// nothingListed says what to try when a list is empty.
func nothingListed(asked listArgs) string {
	if reflect.ValueOf(asked.searchFilter).IsZero() {
		return "No issues match. The workspace has no documents yet."
	}
	return "No issues match. Drop a filter, or call issues_stats to see which values documents have."
}
