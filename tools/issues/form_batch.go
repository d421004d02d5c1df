package issues

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/tools"
)

// A fullness is how much of a document a batch shows.
type fullness int

const (
	omitted  fullness = iota // nothing
	inRow                    // its row, as in a list
	complete                 // what was asked for
)

// A batchItem is a document of a batch in each form that it may be shown in.
type batchItem struct {
	row     row // with nothing left out
	forms   [complete + 1]batchEntry
	size    int  // of its text in JSON
	tooLong bool // its text alone does not fit, and is not here
	shown   fullness
}

// A batchEntry is one form of a document in both channels, and what it takes,
// found out when it is first shown.
type batchEntry struct {
	batchDocument
	fields string // as text
	object int    // bytes as JSON
}

// entry is the document in its form.
func (item *batchItem) entry() *batchEntry {
	e := &item.forms[item.shown]
	if e.fields == "" {
		e.fields = e.document.fields()
	}
	if e.object > 0 {
		return e
	}
	rest := e.batchDocument
	if rest.Description != nil { // long, and measured
		rest.Description = nil
		e.object = len(`,"description":""`) + item.size
	}
	e.object += tools.Result{Structured: rest}.Size()
	return e
}

// A batchForm makes a batch fit. What was not found and what is ambiguous comes
// before the documents, for it says what to ask next.
type batchForm struct {
	fields    []string // that were asked for, none for all
	found     []*batchItem
	notFound  []string
	ambiguous []ambiguity
	notes     []string
	level     level // of all but the documents
}

// fit shows the documents as they were asked for as far as they fit, the others as
// list rows. When not even the rows fit, those at the end are left out.
func (f *batchForm) fit(args *tools.Args) tools.Result {
	f.level = levels[0]
	tooLong := f.setAll(complete)
	whole := f.show()
	if b := args.Budget(); !tooLong && (args.Fits(whole) || !b.Summarization) {
		return whole
	}
	if f.listAll(args) {
		f.raise(args)
	} else {
		f.listSome(args)
	}
	result := f.show()
	result.Outcome = tools.OutcomeSummarized
	result.Original = whole.Size()
	for _, item := range f.found {
		if item.tooLong {
			result.Original += item.size
		}
	}
	return result
}

// listAll shows every document as a row, beside as much of what else is to be said,
// and as wide, as fits. It reports whether the rows fit at all.
func (f *batchForm) listAll(args *tools.Args) bool {
	f.setAll(inRow)
	for _, f.level = range levels {
		for _, width := range rowWidths {
			for _, item := range f.found {
				item.list(width)
			}
			if args.Fits(f.show()) {
				return true
			}
		}
	}
	return false
}

// listSome shows as many narrow rows as fit, from the first on, once what else is to
// be said leaves room for one.
func (f *batchForm) listSome(args *tools.Args) {
	show := func(n int) tools.Result {
		for i, item := range f.found {
			if item.shown = omitted; i < n {
				item.shown = inRow
			}
		}
		return f.show()
	}
	for _, f.level = range levels {
		if args.Fits(show(1)) {
			break
		}
	}
	show(most(len(f.found), 1, func(n int) bool { return args.Fits(show(n)) }))
}

// setAll shows all documents in one form. It reports whether one is too long.
func (f *batchForm) setAll(shown fullness) (tooLong bool) {
	for _, item := range f.found {
		item.shown = shown
		tooLong = tooLong || item.tooLong
	}
	return tooLong
}

// raise shows documents as asked for, one after the other, each that fits beside
// those before it.
func (f *batchForm) raise(args *tools.Args) {
	items := slices.DeleteFunc(slices.Clone(f.found), func(item *batchItem) bool {
		return item.tooLong || item.size > args.Budget().Bytes
	})
	for len(items) > 0 {
		n := f.first(args, items)
		items = items[min(n+1, len(items)):]
	}
}

// first shows as many documents as asked for, from the first on, as fit together,
// and returns how many.
func (f *batchForm) first(args *tools.Args, items []*batchItem) int {
	set := func(n int) {
		for i, item := range items {
			if item.shown = inRow; i < n {
				item.shown = complete
			}
		}
	}
	n := most(len(items), 1, func(n int) bool {
		set(n)
		return args.Fits(f.show())
	})
	set(n)
	return n
}

// show answers with every document in its form.
func (f *batchForm) show() tools.Result {
	b := batch{Issues: []batchDocument{}, NotFound: []string{}, found: len(f.found), asked: len(f.found) + len(f.notFound) + len(f.ambiguous)}
	issues, object := make([]batchDocument, 0, len(f.found)), 0
	for _, item := range f.found {
		if item.shown == omitted {
			continue
		}
		e := item.entry()
		if item.shown == inRow {
			b.rows = append(b.rows, e.fields)
		} else {
			b.entries = append(b.entries, entry{e.fields, e.Description})
		}
		issues = append(issues, e.batchDocument)
		if object += e.object; len(issues) > 1 {
			object += len(",")
		}
	}
	shown, missing := f.level.texts(f.notFound)
	b.NotFound = append(b.NotFound, shown...)
	notes := []string{f.shortOf(len(b.entries), len(b.rows))}
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("%d more ids are not found.", missing))
	}
	asides := slices.DeleteFunc(slices.Clone(f.notes), func(note string) bool { return len(note) > f.level.length }) // a cut id is none
	asides = asides[:min(len(asides), f.level.entries)]
	b.Ambiguous, notes = f.ambiguities(append(notes, asides...))
	b.Note = sentences(notes...)
	object += tools.Result{Structured: b}.Size()
	b.Issues = issues
	text, mark := b.text()
	return tools.Result{Text: text, Mark: mark, Structured: b, Object: object, Items: len(issues)}
}

// ambiguities are the ids that name several documents, as the level shows them.
func (f *batchForm) ambiguities(notes []string) ([]ambiguity, []string) {
	if len(f.ambiguous) == 0 {
		return nil, notes
	}
	var all []ambiguity
	missing := 0
	for _, a := range f.ambiguous[:min(len(f.ambiguous), f.level.entries)] {
		shown := a.Paths
		if !f.level.whole() {
			shown = shown[:min(len(shown), max(2, f.level.entries/len(f.ambiguous)))]
		}
		missing += len(a.Paths) - len(shown)
		all = append(all, ambiguity{ID: f.level.name(a.ID), Paths: shown})
	}
	notes = append(notes, "Pass a path in place of an ambiguous id.")
	if unnamed := len(f.ambiguous) - len(all); unnamed > 0 {
		notes = append(notes, counted(unnamed, "more id")+" name several documents.")
	}
	if missing > 0 {
		notes = append(notes, counted(missing, "path")+" are left out: issues_get with the id lists them.")
	}
	return all, notes
}

// shortOf says how many documents are as asked for, what the rows of the others
// lack and how to read them, "" when nothing is missing.
func (f *batchForm) shortOf(whole, rows int) string {
	all := len(f.found)
	if whole == all {
		return ""
	}
	as := "shown whole"
	if len(f.fields) > 0 {
		as = "shown with the fields asked for"
	}
	note := fmt.Sprintf("To fit, %d of %d documents are %s and %d as list rows%s (priority is %s unless shown).", whole, all, as, rows, f.lacking(), usual)
	if left := all - whole - rows; left > 0 {
		note += fmt.Sprintf(" %d are left out, from %s on.", left, name(f.found[all-left].row.ID))
	}
	return note + " Read the others with issues_get, or call again with fewer ids or with maxTokens."
}

// lacking names what was asked for that no row has.
func (f *batchForm) lacking() string {
	if len(f.fields) == 0 {
		return " without their text"
	}
	var fields []string
	for _, field := range f.fields {
		switch field {
		case "title", "status", "priority", "labels":
		case "description":
			fields = append(fields, "text")
		case "dates":
			fields = append(fields, "createdAt")
		default:
			fields = append(fields, field)
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return " without " + strings.Join(fields, ", ")
}
