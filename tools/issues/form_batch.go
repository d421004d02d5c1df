package issues

import (
	"fmt"
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

// A batchItem is a document of a batch in its three forms.
type batchItem struct {
	id      string // to name it by
	short   document
	whole   document
	size    int  // of its text
	tooLong bool // its text alone does not fit, and is not here
	shown   fullness
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
		Status: cut(orNone(doc.Status), narrowWord), Priority: cut(orNone(doc.Priority), narrowWord),
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
		for _, item := range f.found {
			if !f.raise(args, item, named) {
				break
			}
		}
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
	scarce := !args.Fits(f.show())
	if scarce {
		f.setAll(named)
	}
	for i, item := range f.found {
		if i == 0 || !scarce {
			f.raise(args, item, complete)
		}
		if item.shown == named {
			f.raise(args, item, summarized)
		}
	}
}

// setAll shows all documents in one form. It reports whether one is too long.
func (f *batchForm) setAll(shown fullness) (tooLong bool) {
	for _, item := range f.found {
		item.shown = shown
		tooLong = tooLong || item.tooLong
	}
	return tooLong
}

// raise shows a document in a fuller form if that fits.
func (f *batchForm) raise(args *tools.Args, item *batchItem, to fullness) bool {
	if to == complete && (item.tooLong || item.size > args.Budget().Bytes) {
		return false
	}
	before := item.shown
	if item.shown = to; !args.Fits(f.show()) {
		item.shown = before
	}
	return item.shown == to
}

// show answers with every document in its form.
func (f *batchForm) show() tools.Result {
	b := batch{Issues: []document{}, NotFound: []string{}, found: len(f.found), asked: len(f.found) + len(f.notFound) + len(f.ambiguous)}
	counts := make(map[fullness]int)
	for _, item := range f.found {
		if counts[item.shown]++; item.shown == omitted && counts[omitted] == 1 {
			b.from = item.id
		}
		switch item.shown {
		case named:
			b.Issues = append(b.Issues, document{ID: item.id})
			b.named = append(b.named, name(item.id))
		case summarized:
			b.Issues = append(b.Issues, item.short)
			b.told = append(b.told, item.short)
		case complete:
			b.Issues = append(b.Issues, item.whole)
			b.told = append(b.told, item.whole)
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
	return tools.Result{Text: b.text(), Structured: b, Items: len(b.Issues)}
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
