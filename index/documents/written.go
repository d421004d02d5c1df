package documents

import (
	"fmt"
	"strings"
	"time"

	"issues-index/index/edit"
	"issues-index/store/words"
)

// Behind is the note about a change that lists may not show yet.
const Behind = "the change is made, but the index could not follow it yet: lists and searches may not show it"

// WrittenNotes say what is to be known of a change besides what it did, each in a sentence without
// its full stop: what closing leaves and frees, other holders, links that stay, an unknown parent. at
// words the time until which a claim counts.
func WrittenNotes(done edit.Applied, at func(time.Time) string) (notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if done.Behind != nil {
		note(Behind)
	}
	notes = append(notes, done.ClosingNotes()...)
	if done.Note != "" {
		note("%s", done.Note)
	}
	if done.Claim != nil {
		note("%s", done.Claim.Says(at))
	}
	if done.Unrenewed != nil {
		note("your claims could not be renewed; the next change tries it again")
	}
	const most = 3 // that have room among the notes of an answer
	for _, kept := range done.Kept[:min(len(done.Kept), most)] {
		note("%s", StillWaits(done, kept))
	}
	if more := len(done.Kept) - most; more > 0 {
		note("it still waits for %d more that name it in their files", more)
	}
	if unknown := done.NoParent; unknown != nil {
		meant := ""
		if len(unknown.Suggestions) > 0 {
			meant = " (did you mean " + words.Plain(strings.Join(unknown.Suggestions, ", ")) + "?)"
		}
		note("no document has the parent's id %s%s; it counts as dangling until one has", words.Quote(unknown.ID), meant)
	}
	return notes
}

// StillWaits says which key of which file has a document wait for another, and what to do.
func StillWaits(done edit.Applied, kept edit.KeptLink) string {
	return fmt.Sprintf("%s still waits for %s: %s names it under %s; take it out of that file",
		Name(ShortID(done.After.ID, done.Path)), Name(ShortID(kept.Blocker.Handle(), kept.Blocker.Path)),
		words.Line(kept.Blocker.Path), strings.Join(kept.Keys, " and "))
}
