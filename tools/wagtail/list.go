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
	"issues-index/tools/answer"
)

// A listPart is the objects of one kind in an answer.
type listPart struct {
	objectBatch
	kind     string
	rows     []view // of all items
	position string // the parameter of a cursor that has the offset to go on at
	failure  error  // nil when the kind was read
}

// A listing is an answer with the objects of one kind or, of a search, of several.
type listing struct {
	answer.List
	tool  string
	query url.Values // of the call, for the cursor
	parts []listPart
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
	part := listPart{objectBatch: b, kind: kind, rows: s.rows(kind, b.items, &fields, asked.Has("site")),
		position: "offset"}
	return (&listing{tool: tool, query: query, parts: []listPart{part}}).answer(args), nil
}

// numberOf returns a parameter that is a number, 0 for any other.
func numberOf(query url.Values, name string) int {
	n, err := strconv.Atoi(query.Get(name))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// answer answers with as many of the rows as fit, the parts one after the other.
func (l *listing) answer(args *tools.Args) tools.Result {
	var views []view
	for _, p := range l.parts {
		for n, v := range p.rows {
			row := v.row()
			if row.Member = memberOf(p.kind); l.tool == searchName && n == 0 {
				row.Text = upper(p.kind) + ":\n" + row.Text
			}
			views, l.Rows = append(views, v), append(l.Rows, row)
		}
	}
	l.Wide, l.Around = args.Room().Bytes()/2, l.around
	l.Narrow = func(n int) (answer.Row, bool) {
		row := views[n].cut(0).row()
		row.Member, row.Omitted = l.Rows[n].Member, "fields"
		return row, l.Rows[n].Omitted == ""
	}
	return args.List(&l.List)
}

// row returns the view as a row of a list.
func (v view) row() answer.Row { return answer.Row{Text: v.line() + v.lines("  "), Object: encoded(v)} }

// memberOf returns the member of an answer that has the objects of a kind.
func memberOf(kind string) string {
	if _, known := singular[kind]; !known {
		return kindDocuments
	}
	return kind
}

// around is what stands around the first n rows: what was found, how to go on and what is missing.
func (l *listing) around(n int) answer.Around {
	object, totals := map[string]any{}, map[string]int{}
	if l.tool == searchName {
		object = map[string]any{kindPages: []view{}, kindImages: []view{}, kindDocuments: []view{}, "totals": totals}
	}
	onward := maps.Clone(l.query)
	var counts, notes []string
	left, total, remaining := n, 0, 0
	for _, p := range l.parts {
		onward.Del(p.position)
		if p.failure != nil {
			notes = append(notes, fmt.Sprintf("The %s could not be searched: %s", p.kind,
				words.Cut(tools.ErrorOf(p.failure).Message, 200)))
			continue
		}
		shown := min(left, len(p.rows))
		left, total = left-shown, total+p.total
		if totals[p.kind] = p.total; l.tool != searchName {
			object[memberOf(p.kind)], object["totalCount"] = []view{}, p.total
		}
		counts = append(counts, fmt.Sprintf("%d of %s", shown, words.Count(p.total, singularOf(p.kind), p.kind)))
		if offset, more := p.next(shown); more && l.query.Get("order") != "random" {
			onward.Set(p.position, strconv.Itoa(offset))
			remaining += p.total - offset
		}
		notes = append(notes, p.sizeNote(p.kind))
		if slices.ContainsFunc(p.rows[:shown], func(v view) bool { return len(v.short) > 0 }) {
			notes = append(notes, "(+n) counts the characters that are left out of a field; "+detailsTool(p.kind)+" {id, "+
				"fields} has all of it.")
		}
	}
	if omitted := answer.Omissions(l.Rows[:n]); omitted != "" {
		notes = append(notes, "Omitted to fit, and in how many: "+omitted+".")
	}
	more, next := "", ""
	if remaining > 0 {
		cursor := encodeCursor(l.tool, onward)
		object["nextCursor"] = cursor
		next = fmt.Sprintf("Pass cursor '%s' to see next page.", cursor)
		more = words.Count(remaining, "more item matches", "more items match") + "."
	}
	first := "Showing " + strings.Join(counts, ", ") + "."
	switch {
	case total == 0:
		first = "Nothing matches. Drop a filter, or try other words: the site's search only finds whole words, and " +
			findName + " finds parts of them."
	case n == 0 && l.query.Get("limit") != "0" && remaining == 0:
		first += " None of them is here: begin again at the first."
	}
	note := sentences(more, next, sentences(notes...))
	head := sentences(first, note)
	if n == 0 {
		note = head
	}
	if note != "" {
		object["note"] = note
	}
	return answer.Around{Head: head, More: next, Object: encoded(object)}
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
