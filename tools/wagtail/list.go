package wagtail

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

const (
	// fieldWidth is the most characters of a field that a row shows; narrowField is
	// the most when rows have to become smaller.
	fieldWidth  = 400
	narrowField = 100
)

// An apiListing is one page of a list, to be shown.
type apiListing struct {
	objectBatch
	rows     []listRow // of all items
	site     *Site
	tool     string
	kind     string
	query    url.Values // of the call, for the cursor
	selected selection
	notes    []string
	empty    string // the first sentence of an empty answer
}

// read answers a list of a kind. query has the arguments that are the tool's own.
func (s *Site) read(ctx context.Context, args *tools.Args, tool, kind string, query url.Values) (tools.Result, error) {
	size := args.Settings().MaxPageSize
	if offset := args.Int("offset", 0, maxOffset, 0); offset > 0 {
		query.Set("offset", strconv.Itoa(offset))
	}
	if args.Has("limit") {
		query.Set("limit", strconv.Itoa(limitOf(args, 0, size)))
	}
	query, _ = s.resumed(args, tool, query)
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	limit, offset := min(args.Settings().PageSize, defaultMaxLimit), numberOf(query, "offset")
	if query.Has("limit") {
		limit = numberOf(query, "limit")
	}
	if query.Has("endpoint") {
		kind = query.Get("endpoint")
	}
	asked := sent(query)
	if err := s.resolveTree(ctx, asked); err != nil {
		return tools.Result{}, err
	}
	l := apiListing{site: s, tool: tool, kind: kind, query: query, selected: selectionOf(query.Get("fields"))}
	b, err := s.fill(ctx, kind, asked, limit, offset, func(b objectBatch) bool {
		l.objectBatch, l.rows = b, s.rows(kind, b.items, true)
		return args.Fits(l.show(len(l.items), fieldWidth))
	})
	if err != nil {
		return tools.Result{}, s.advised(ctx, err, kind, asked)
	}
	l.objectBatch, l.rows, l.notes = b, s.rows(kind, b.items, true), []string{b.sizeNote(kind)}
	if kind == kindPages {
		l.notes = append(l.notes, s.elsewhere(b.items))
	}
	l.empty = "No " + kind + " match."
	if len(asked) > 0 {
		l.empty += " Drop a filter, or search for other words: the site's search only finds whole words."
	}
	return l.fit(args), nil
}

// numberOf returns a parameter that is a number, 0 for any other.
func numberOf(query url.Values, name string) int {
	n, err := strconv.Atoi(query.Get(name))
	if err != nil {
		return 0
	}
	return n
}

// fit makes an answer that keeps to the budget: fields are cut, then rows left out.
func (l apiListing) fit(args *tools.Args) tools.Result {
	r := l.show(len(l.items), fieldWidth)
	if args.Fits(r) {
		return r
	}
	original, width := r.Size(), fieldWidth
	if args.Budget().Summarization {
		width = narrowField
	}
	r = fewer(args, len(l.items), func(n int) tools.Result { return l.show(n, width) })
	if r.Items == len(l.items) && width < fieldWidth {
		r.Outcome = tools.OutcomeSummarized
	}
	r.Original = original
	return r
}

// fewer shows as many of n things as the budget allows, and always one.
func fewer(args *tools.Args, n int, show func(int) tools.Result) tools.Result {
	r := show(n)
	if !args.Budget().Pagination || n < 2 || args.Fits(r) {
		return r
	}
	original := r.Size()
	r = show(max(1, sort.Search(n, func(i int) bool { return !args.Fits(show(i + 1)) })))
	r.Original = original
	return r
}

// paginated adds to an answer how to go on, "" for one that is complete. Hosts cut the
// middle out of long answers, so that a long text says it at its end, too.
func paginated(r tools.Result, next string) tools.Result {
	const long = 2000 // bytes
	if next != "" {
		r.Outcome = tools.OutcomePaginated
		if len(r.Text) > long {
			r.Text += "\n" + next
		}
	}
	return r
}

// A listResult is the answer of a list tool.
type listResult struct {
	Pages      *[]listRow `json:"pages,omitempty"`
	Images     *[]listRow `json:"images,omitempty"`
	Documents  *[]listRow `json:"documents,omitempty"`
	TotalCount int        `json:"totalCount"`
	Types      []string   `json:"types,omitempty"` // of pages, that answers of this site have had so far
	NextCursor string     `json:"nextCursor,omitempty"`
	Note       string     `json:"note,omitempty"`
}

// show answers with the first n rows.
func (l apiListing) show(n, width int) tools.Result {
	rows, shortened := l.selected.withFields(l.rows[:n], width)
	answer := listResult{TotalCount: l.total}
	switch l.kind {
	case kindPages:
		answer.Pages = &rows
		answer.Types = l.types()
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
		first = l.empty
	case n == 0 && l.offset >= l.total:
		first = fmt.Sprintf("No %s here: offset %d is past the end of %d. Start again without cursor and offset.", l.kind, l.offset, l.total)
	case n == 0:
		first = fmt.Sprintf("The site counts %d %s, but returned none of them here.", l.total, l.kind)
	}
	onward := ""
	if offset, more := l.next(n); more && l.query.Get("order") != "random" {
		query := maps.Clone(l.query)
		query.Set("offset", strconv.Itoa(offset))
		answer.NextCursor = l.site.encodeCursor(l.tool, query)
		onward = goOn(l.total-offset, answer.NextCursor)
	}
	notes := append([]string{onward, dropShared(rows)}, l.notes...)
	if shortened {
		notes = append(notes, "(+n) counts the characters that are left out of a field; "+l.details()+" has all of it.")
	}
	answer.Note = sentences(notes...)
	if n == 0 {
		answer.Note = sentences(first, answer.Note)
	}
	lines := []string{sentences(first, sentences(notes...))}
	for _, r := range rows {
		lines = append(lines, r.text())
	}
	if len(answer.Types) > 0 {
		more := words.AndMore(len(l.site.typeNames()) - len(answer.Types))
		lines = append(lines, "Page types seen so far: "+strings.Join(answer.Types, ", ")+more+".")
	}
	return paginated(tools.Result{Text: strings.Join(lines, "\n"), Structured: answer, Items: n}, onward)
}

// details says how to read one field of an object of the list.
func (l apiListing) details() string {
	name, ok := map[string]string{kindPages: pageDetailsName, kindImages: imageDetailsName, kindDocuments: documentDetailsName}[l.kind]
	if !ok {
		return documentDetailsName + " {endpoint, id, fields}"
	}
	return name + " {id, fields}"
}

// types returns the page types seen so far, for the first page of a list without a
// type.
func (l apiListing) types() []string {
	if l.query.Has("type") || l.offset > 0 {
		return nil
	}
	names := l.site.typeNames()
	return names[:min(mostTypes, len(names))]
}

// mostTypes is the most page types that an answer names.
const mostTypes = 30

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
