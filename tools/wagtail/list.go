package wagtail

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/tools"
)

// An apiListing is one page of a list, to be shown.
type apiListing struct {
	objectBatch
	rows  []listRow // of all items
	tool  string
	kind  string
	query url.Values // of the call, for the cursor
}

// read answers a list of a kind. query has the arguments that are the tool's own.
func (s *Site) read(ctx context.Context, args *tools.Args, tool, kind string, query url.Values) (tools.Result, error) {
	if offset := args.Int("offset", 0, maxOffset, 0); offset > 0 {
		query.Set("offset", strconv.Itoa(offset))
	}
	if args.Has("limit") {
		query.Set("limit", strconv.Itoa(limitOf(args, 0, args.Settings().MaxPageSize)))
	}
	query, _ = resumed(args, tool, query)
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	limit, offset := min(args.Settings().PageSize, defaultMaxLimit), numberOf(query, "offset")
	if query.Has("limit") {
		limit = min(numberOf(query, "limit"), args.Settings().MaxPageSize)
	}
	if query.Has("endpoint") {
		if kind = query.Get("endpoint"); !endpointName().MatchString(kind) { // of an altered cursor
			return tools.Result{}, invalid("cursor", kind, "", "Start again without a cursor.")
		}
	}
	asked := sent(query)
	if err := s.resolveTree(ctx, asked); err != nil {
		return tools.Result{}, err
	}
	l := apiListing{tool: tool, kind: kind, query: query}
	fields := selectionOf(query.Get("fields"))
	see := func(b objectBatch) {
		l.objectBatch, l.rows = b, s.rows(kind, b.items, &fields, asked.Has("site"))
	}
	b, err := s.fill(ctx, kind, asked, limit, offset, func(b objectBatch) bool {
		see(b)
		return args.Fits(l.show(len(b.items), fieldWidth))
	})
	if err != nil {
		return tools.Result{}, s.advised(ctx, err, kind, asked)
	}
	see(b)
	return fewer(args, len(l.items), l.show), nil
}

// numberOf returns a parameter that is a number, 0 for any other.
func numberOf(query url.Values, name string) int {
	n, err := strconv.Atoi(query.Get(name))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// A listResult is the answer of a list tool.
type listResult struct {
	Pages      *[]listRow `json:"pages,omitempty"`
	Images     *[]listRow `json:"images,omitempty"`
	Documents  *[]listRow `json:"documents,omitempty"`
	TotalCount int        `json:"totalCount"`
	NextCursor string     `json:"nextCursor,omitempty"`
	Note       string     `json:"note,omitempty"`
}

// show answers with the first n rows.
func (l apiListing) show(n, width int) tools.Result {
	rows, shortened := narrowed(l.rows[:n], width)
	answer := listResult{TotalCount: l.total}
	switch l.kind {
	case kindPages:
		answer.Pages = &rows
	case kindImages:
		answer.Images = &rows
	default:
		answer.Documents = &rows
	}
	first := fmt.Sprintf("Showing %d of %d %s.", n, l.total, l.kind)
	switch {
	case l.query.Get("limit") == "0":
		first = fmt.Sprintf("%d %s match.", l.total, l.kind)
	case l.total == 0:
		first = fmt.Sprintf("No %s match. Drop a filter, or search for other words: the site's search only finds whole words.", l.kind)
	case n == 0 && l.offset >= l.total:
		first = fmt.Sprintf("No %s here: offset %d is past the end of %d. Start again without cursor and offset.", l.kind, l.offset, l.total)
	case n == 0:
		first = fmt.Sprintf("The site counts %d %s, but returned none of them here.", l.total, l.kind)
	}
	onward := ""
	if offset, more := l.next(n); more && l.query.Get("order") != "random" {
		query := maps.Clone(l.query)
		query.Set("offset", strconv.Itoa(offset))
		answer.NextCursor = encodeCursor(l.tool, query)
		onward = goOn(l.total-offset, answer.NextCursor)
	}
	answer.Note = sentences(onward, l.sizeNote(l.kind))
	if shortened {
		answer.Note = sentences(answer.Note, "(+n) counts the characters that are left out of a field; "+detailsTool(l.kind)+" {id, fields} has all of it.")
	}
	lines := []string{sentences(first, answer.Note)}
	if n == 0 {
		answer.Note = lines[0]
	}
	for _, r := range rows {
		lines = append(lines, r.text())
	}
	return paginated(tools.Result{Text: strings.Join(lines, "\n"), Structured: answer, Items: n}, onward)
}

// detailsTool returns the tool that reads one object of a kind.
func detailsTool(kind string) string {
	switch kind {
	case kindPages:
		return pageDetailsName
	case kindImages:
		return imageDetailsName
	}
	return documentDetailsName
}

// goOn says how to read on.
func goOn(remaining int, cursor string) string {
	items := "items match"
	if remaining == 1 {
		items = "item matches"
	}
	return fmt.Sprintf("%d more %s. Pass cursor '%s' to see next page.", remaining, items, cursor)
}

// sentences joins the sentences that are not empty.
func sentences(all ...string) string {
	all = slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" })
	return strings.Join(all, " ")
}
