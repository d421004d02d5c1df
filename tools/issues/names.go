package issues

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/tools"
)

// leastName is the room, in bytes, that a name with its count takes at least.
const leastName = len(`{"name":"a","count":1},`)

// A nameCount is a label or project and how many documents have it.
type nameCount struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"` // absent for those of one document
}

// A paged is what an answer with a part of all names, or of one document's, adds.
type paged struct {
	TotalCount int    `json:"totalCount,omitempty"`
	NextCursor string `json:"nextCursor,omitempty"`
	Note       string `json:"note,omitempty"`
}

// namePage is a page of all labels or projects on its way into an answer.
type namePage struct {
	what   string // labels or projects
	level  level
	object func([]nameCount, paged) any
}

// allNames answers with all labels or projects, most used first, or as many as
// there is room for.
func allNames(ctx context.Context, ix *index.Index, args *tools.Args, field string, n namePage) (tools.Result, error) {
	n.level = levels[0]
	b := args.Budget()
	original := 0
	q := index.ValuesQuery{Field: field, Set: true, Limit: -1, Scope: "issues_" + n.what, Cursor: cursor(args)}
	if !b.Off {
		q.Limit = max(b.Lines, room(b)/leastName)
	}
	fit := func(v index.Values) int {
		fits := func(rows int) bool { return args.Fits(n.show(v.First(rows))) }
		all := len(v.Counts)
		if v.Remaining == 0 && fits(all) {
			return all
		}
		original = v.Bytes + leastName*v.Distinct
		if b.Summarization {
			n.level = level{entries: all, length: max(room(b)/10, leastShare) / 4}
		}
		if !b.Pagination {
			return all
		}
		rows := most(all, min(all, b.Lines, room(b)/(v.Bytes/v.Distinct+leastName)), fits)
		if rows == 0 && b.Summarization {
			n.level.length = narrowWord
		}
		return max(1, rows)
	}
	if b.Pagination || b.Off {
		q.Keep = fit
	}
	v, err := ix.Values(ctx, q)
	if err != nil {
		return tools.Result{}, err
	}
	if q.Keep == nil {
		v.Next = "" // nobody asked for a further page
		fit(v)
	}
	r := n.show(v)
	r.Original, r.Items = original, len(v.Counts)
	if v.Next != "" {
		r.Outcome = tools.OutcomePaginated
	}
	if original > 0 && (v.Next == "" || n.cuts(v)) {
		r.Outcome = r.Outcome.With(tools.OutcomeSummarized)
	}
	return r, nil
}

// cuts reports whether one of the names is shown cut.
func (n namePage) cuts(v index.Values) bool {
	return slices.ContainsFunc(v.Counts, func(c index.Count) bool { return n.level.name(c.Value) != c.Value })
}

// show answers with these names: a line each, the count first since names may
// hold spaces.
func (n namePage) show(v index.Values) tools.Result {
	if v.Distinct == 0 {
		return tools.Result{Text: fmt.Sprintf("No document has %s.", n.what), Structured: n.object([]nameCount{}, paged{})}
	}
	names := make([]nameCount, len(v.Counts))
	first := fmt.Sprintf("%d %s, each with its number of documents:", v.Distinct, n.what)
	var more, cut string
	var p paged
	if len(v.Counts) < v.Distinct {
		first = fmt.Sprintf("Showing %d of %d %s, each with its number of documents.", len(v.Counts), v.Distinct, n.what)
		p.TotalCount, p.NextCursor = v.Distinct, v.Next
		more = goOn(v.Remaining, v.Next, v.Unkept)
	}
	lines := []string{""}
	for i, c := range v.Counts {
		names[i] = nameCount{n.level.name(c.Value), c.Count}
		if names[i].Name != c.Value {
			cut = "Long names are cut; what stands behind … tells them apart."
		}
		lines = append(lines, fmt.Sprintf("%d %s", c.Count, line(names[i].Name)))
	}
	p.Note = sentences(more, cut)
	lines[0] = sentences(first, p.Note)
	text := strings.Join(lines, "\n")
	if len(text) > repeatAfter && more != "" {
		text += "\n" + more
	}
	return tools.Result{Text: text, Structured: n.object(names, p)}
}

// goOn says how to see the rest, as far as there is any. unkept is why there is no
// cursor for it.
func goOn(remaining int, next, unkept string) string {
	items := "items match"
	if remaining == 1 {
		items = "item matches"
	}
	switch {
	case unkept != "":
		return fmt.Sprintf("%d more %s. There is no cursor: %s. Narrow the filters.", remaining, items, unkept)
	case next != "":
		return fmt.Sprintf("%d more %s. Pass cursor '%s' to see next page.", remaining, items, next)
	case remaining > 0:
		return fmt.Sprintf("%d more are left out.", remaining)
	}
	return ""
}

// ownNames are the labels of one document as the level shows them, and what to
// say of the others.
func (l level) ownNames(labels []string, path string) ([]nameCount, paged) {
	names := []nameCount{}
	shortened := false
	for _, label := range labels[:min(len(labels), l.entries)] {
		shown := l.name(label)
		shortened = shortened || shown != label
		names = append(names, nameCount{Name: shown})
	}
	switch {
	case len(names) < len(labels):
		return names, paged{TotalCount: len(labels), Note: fmt.Sprintf("%d of %d labels are shown; the file %s has all.", len(names), len(labels), path)}
	case shortened:
		return names, paged{Note: "Long labels are cut; the file " + path + " has them whole."}
	}
	return names, paged{}
}

// joined lists names in a line.
func joined(names []nameCount) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = n.Name
	}
	return orNone(line(strings.Join(texts, ", ")))
}
