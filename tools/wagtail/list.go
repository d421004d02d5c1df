package wagtail

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// A rowPart is the objects of one kind in an answer.
type rowPart struct {
	objectBatch
	kind     string
	rows     []listRow // of all items
	position string    // the parameter of a cursor that has the offset to go on at
	failure  error     // nil when the kind was read
}

// A rowList is an answer with the objects of one kind or, of a search, of several.
type rowList struct {
	tool  string
	query url.Values // of the call, for the cursor
	parts []rowPart
}

// A listResult is the answer of a list or a search.
type listResult struct {
	Pages      *[]listRow     `json:"pages,omitempty"`
	Images     *[]listRow     `json:"images,omitempty"`
	Documents  *[]listRow     `json:"documents,omitempty"`
	TotalCount *int           `json:"totalCount,omitempty"` // of a list
	Totals     map[string]int `json:"totals,omitempty"`     // of a search, by kind
	NextCursor string         `json:"nextCursor,omitempty"`
	Note       string         `json:"note,omitempty"`
}

// rowsOf returns the rows of one kind in a result.
func (r *listResult) rowsOf(kind string) **[]listRow {
	switch kind {
	case kindPages:
		return &r.Pages
	case kindImages:
		return &r.Images
	}
	return &r.Documents
}

// read answers a list of a kind. query has the arguments that are the tool's own.
func (s *Site) read(ctx context.Context, args *tools.Args, tool, kind string, query url.Values) (tools.Result, error) {
	if offset := args.Int("offset", 0, maxOffset, 0); offset > 0 {
		query.Set("offset", strconv.Itoa(offset))
	}
	setLimit(args, query)
	query, _ = resumed(args, tool, query)
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	kind = cmp.Or(query.Get("endpoint"), kind)
	if !endpointName().MatchString(kind) { // of an altered cursor
		return tools.Result{}, invalid("cursor", kind, "", "Start again without a cursor.")
	}
	asked := sent(query)
	if err := s.resolveTree(ctx, asked); err != nil {
		return tools.Result{}, err
	}
	limit := limitIn(args, query, min(args.Settings().PageSize, defaultMaxLimit))
	b, err := s.fill(ctx, kind, asked, limit, numberOf(query, "offset"))
	if err != nil {
		return tools.Result{}, s.advised(ctx, err, kind, asked)
	}
	fields := selectionOf(query.Get("fields"))
	part := rowPart{objectBatch: b, kind: kind, rows: s.rows(kind, b.items, &fields, asked.Has("site")),
		position: "offset"}
	return fewer(args, len(b.items), rowList{tool, query, []rowPart{part}}.show), nil
}

// numberOf returns a parameter that is a number, 0 for any other.
func numberOf(query url.Values, name string) int {
	n, err := strconv.Atoi(query.Get(name))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// show answers with the first n rows of each kind.
func (l rowList) show(n, width int) tools.Result {
	answer := listResult{}
	if l.tool == searchName {
		answer = listResult{Pages: &[]listRow{}, Images: &[]listRow{}, Documents: &[]listRow{}, Totals: map[string]int{}}
	}
	onward := maps.Clone(l.query)
	var lines, counts, notes []string
	shown, total, remaining := 0, 0, 0
	for _, p := range l.parts {
		onward.Del(p.position)
		if p.failure != nil {
			notes = append(notes, fmt.Sprintf("The %s could not be searched: %s", p.kind,
				words.Cut(tools.ErrorOf(p.failure).Message, 200)))
			continue
		}
		rows, shortened := narrowed(p.rows[:min(n, len(p.rows))], width)
		*answer.rowsOf(p.kind) = &rows
		if answer.Totals == nil {
			answer.TotalCount = &p.total
		} else {
			answer.Totals[p.kind] = p.total
			if len(rows) > 0 {
				lines = append(lines, strings.ToUpper(p.kind[:1])+p.kind[1:]+":")
			}
		}
		for _, r := range rows {
			lines = append(lines, r.text())
		}
		shown, total = shown+len(rows), total+p.total
		counts = append(counts, fmt.Sprintf("%d of %d %s", len(rows), p.total, p.kind))
		if offset, more := p.next(len(rows)); more && l.query.Get("order") != "random" {
			onward.Set(p.position, strconv.Itoa(offset))
			remaining += p.total - offset
		}
		notes = append(notes, p.sizeNote(p.kind))
		if shortened {
			notes = append(notes, "(+n) counts the characters that are left out of a field; "+detailsTool(p.kind)+" {id, "+
				"fields} has all of it.")
		}
	}
	next := ""
	if remaining > 0 {
		answer.NextCursor = encodeCursor(l.tool, onward)
		next = fmt.Sprintf("%s. Pass cursor '%s' to see next page.", words.Count(remaining, "more item matches",
			"more items match"), answer.NextCursor)
	}
	first := "Showing " + strings.Join(counts, ", ") + "."
	switch {
	case total == 0:
		first = "Nothing matches. Drop a filter, or try other words: the site's search only finds whole words, and " +
			findName + " finds parts of them."
	case shown == 0 && l.query.Get("limit") != "0" && remaining == 0:
		first += " None of them is here: begin again at the first."
	}
	answer.Note = sentences(next, sentences(notes...))
	lines = slices.Insert(lines, 0, sentences(first, answer.Note))
	if shown == 0 {
		answer.Note = lines[0]
	}
	return paginated(tools.Result{Text: strings.Join(lines, "\n"), Structured: answer, Items: shown}, next)
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

// sentences joins the sentences that are not empty.
func sentences(all ...string) string {
	all = slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" })
	return strings.Join(all, " ")
}
