package issues

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/tools"
)

// A fullness is how much of a document a batch shows.
type fullness int

const (
	omitted    fullness = iota // nothing
	named                      // its id, or its path where that alone names it
	summarized                 // what a list shows, without the text
	complete                   // what was asked for
)

// A batchItem is a document of a batch in each form that it may be shown in.
type batchItem struct {
	id      string // to name it by
	forms   [complete + 1]batchEntry
	size    int  // of its text in JSON
	tooLong bool // its text alone does not fit, and is not here
	shown   fullness
}

// A batchEntry is one form of a document in both channels, and what it takes,
// found out when it is first shown.
type batchEntry struct {
	document
	fields string // as text
	object int    // bytes as JSON
}

// entry is the document in its form.
func (item *batchItem) entry() *batchEntry {
	e := &item.forms[item.shown]
	if e.fields != "" {
		return e
	}
	e.fields = e.document.fields()
	if item.shown == named {
		e.fields = name(item.id)
	}
	rest := e.document
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
	found     []*batchItem
	notFound  []string
	ambiguous []ambiguity
	notes     []string
	level     level // of all but the documents
}

// summaryOf is what identifies a document and tells its state.
func summaryOf(doc *store.Document) document {
	return document{
		ID: levels[1].id(doc.ID, doc.Path), Title: strings.Clone(cut(doc.Title, titleLength)), Type: doc.Type,
		Status: cut(doc.CountedStatus(), narrowWord), Priority: cut(doc.CountedPriority(), narrowWord),
		UpdatedAt: stamp(doc.Updated), Path: doc.Path,
	}
}

// fit shows the documents whole as far as they fit, in the order asked for, the
// others as summaries. When not even those fit, some are only named.
func (f *batchForm) fit(args *tools.Args) tools.Result {
	f.level = levels[0]
	tooLong := f.setAll(complete)
	whole := f.show()
	if b := args.Budget(); !tooLong && (args.Fits(whole) || !b.Summarization) {
		return whole
	}
	f.setAll(named)
	for _, f.level = range levels {
		if args.Fits(f.show()) {
			break
		}
	}
	if args.Fits(f.show()) {
		f.fill(args)
	} else {
		f.setAll(omitted)
		f.first(args, f.found, omitted, named)
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

// fill shows more of the documents, which are all named.
func (f *batchForm) fill(args *tools.Args) {
	f.setAll(summarized)
	if args.Fits(f.show()) {
		f.raise(args, f.found, complete)
		return
	}
	f.setAll(named)
	f.raise(args, f.found[:1], complete)
	f.raise(args, f.found, summarized)
}

// setAll shows all documents in one form. It reports whether one is too long.
func (f *batchForm) setAll(shown fullness) (tooLong bool) {
	for _, item := range f.found {
		item.shown = shown
		tooLong = tooLong || item.tooLong
	}
	return tooLong
}

// raise shows documents in a fuller form, one after the other, each that fits
// beside those before it.
func (f *batchForm) raise(args *tools.Args, items []*batchItem, to fullness) {
	items = slices.DeleteFunc(slices.Clone(items), func(item *batchItem) bool {
		return item.shown >= to || to == complete && (item.tooLong || item.size > args.Budget().Bytes)
	})
	for len(items) > 0 {
		n := f.first(args, items, items[0].shown, to)
		items = items[min(n+1, len(items)):]
	}
}

// first shows as many documents, from the first on, in a fuller form as fit
// together, and returns how many.
func (f *batchForm) first(args *tools.Args, items []*batchItem, from, to fullness) int {
	set := func(n int) {
		for i, item := range items {
			if item.shown = from; i < n {
				item.shown = to
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
	b := batch{Issues: []document{}, NotFound: []string{}, found: len(f.found), asked: len(f.found) + len(f.notFound) + len(f.ambiguous)}
	counts := make(map[fullness]int)
	issues, object := make([]document, 0, len(f.found)), 0
	for _, item := range f.found {
		if counts[item.shown]++; item.shown == omitted && counts[omitted] == 1 {
			b.from = item.id
		}
		if item.shown == omitted {
			continue
		}
		e := item.entry()
		if item.shown == named {
			b.named = append(b.named, e.fields)
		} else {
			b.entries = append(b.entries, entry{e.fields, e.Description})
		}
		issues = append(issues, e.document)
		if object += e.object; len(issues) > 1 {
			object += len(",")
		}
	}
	shown, missing := f.level.texts(f.notFound)
	b.NotFound = append(b.NotFound, shown...)
	notes := []string{shortOf(counts)}
	if n := counts[omitted]; n > 0 {
		notes = append(notes, fmt.Sprintf("%d more are left out, from %s on.", n, name(b.from)))
	}
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("%d more ids are not found.", missing))
	}
	asides, _ := f.level.texts(f.notes)
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

// shortOf says how many documents are not whole and how to read them, "" when
// all are.
func shortOf(counts map[fullness]int) string {
	var short []string
	if n := counts[summarized]; n > 0 {
		short = append(short, fmt.Sprintf("%d as summaries without their text", n))
	}
	if n := counts[named]; n > 0 {
		short = append(short, fmt.Sprintf("%d by id only", n))
	}
	if len(short) == 0 {
		return ""
	}
	return fmt.Sprintf("To fit, %d are shown whole and %s: read each of those with issues_get, or call again with fewer ids or with maxTokens.",
		counts[complete], strings.Join(short, " and "))
}
