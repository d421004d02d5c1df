package issues

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/tools"
)

const (
	// changeLength is the most characters of a value, old or new, that the
	// answer to a change shows; batchLength where there are many of them.
	changeLength = 120
	batchLength  = 40
)

// A revision tells what a change did to a document.
type revision struct {
	ID        string   `json:"id"`
	Changes   []string `json:"changes"` // as `field: old → new`
	UpdatedAt string   `json:"updatedAt"`
	Path      string   `json:"path"` // where the file is now
	Note      string   `json:"note,omitempty"`
}

// revised answers to a change, in as few words as it takes to fit.
func revised(args *tools.Args, done edit.Written, answer func(revision) tools.Result) tools.Result {
	noteWritten(args, done)
	return args.Smaller(lastLevel, func(n int) tools.Result {
		r := answer(levels[n].revision(done))
		r.Items = 1
		return r
	})
}

// revision tells a change as far as the level goes.
func (l level) revision(done edit.Written) revision {
	r := revision{
		ID:        l.id(done.After.ID, done.Path),
		UpdatedAt: stamp(done.After.Updated),
		Path:      done.Path,
	}
	all := changesIn(done)
	shown := all[:min(len(all), l.entries)]
	r.Changes = changesOf(shown, min(changeLength, l.length), l.length)
	if left := len(all) - len(shown); left > 0 {
		r.Note = fmt.Sprintf("%d more fields were changed, too.", left)
	}
	return r
}

// changesIn are the fields that were changed, or the path where all that was done is
// that the file went where its status belongs.
func changesIn(done edit.Written) []store.FieldChange {
	if len(done.Changes) == 0 && done.Path != done.OldPath {
		return []store.FieldChange{{Field: "path", Old: done.OldPath, New: done.Path}}
	}
	return done.Changes
}

// noteBehind says that a read may not show a change yet.
func noteBehind(args *tools.Args, behind error) {
	if behind != nil {
		args.Note("the change is on disk, but the index could not follow it yet: issues_list and issues_search may not show it")
	}
}

// noteWritten says what a change leaves to be known besides what it did.
func noteWritten(args *tools.Args, done edit.Written) {
	noteBehind(args, done.Behind)
	if done.NoParent == nil {
		return
	}
	meant := ""
	if near := done.NoParent.Suggestions; len(near) > 0 {
		meant = " (did you mean " + tools.Plain(strings.Join(near, ", ")) + "?)"
	}
	args.Note(fmt.Sprintf("no document has the parent's id %s%s; it counts as dangling until one has", tools.Quote(done.NoParent.ID), meant))
}

// changesOf words changes, their values and the names of the fields cut at so
// many characters.
func changesOf(changes []store.FieldChange, length, field int) []string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		if c.Field == "description" {
			texts[i] = fmt.Sprintf("description: %d → %d characters", utf8.RuneCountInString(c.Old), utf8.RuneCountInString(c.New))
			continue
		}
		texts[i] = fmt.Sprintf("%s: %s → %s", cut(line(c.Field), field), valueText(c.Old, length), valueText(c.New, length))
	}
	return texts
}

func valueText(value string, length int) string { return orNone(cut(line(value), length)) }

// text is what was changed, a line a field, under a first line such as
// `Updated ISS-000042`.
func (r revision) text(did string) string {
	lines := []string{did + " " + name(r.ID)}
	if len(r.Changes) == 0 && r.Note == "" {
		lines[0] = "No changes to " + name(r.ID) + ": it is as asked already."
	}
	lines = append(lines, r.Changes...)
	if r.Note != "" {
		lines = append(lines, r.Note)
	}
	return strings.Join(append(lines, "updated: "+r.UpdatedAt, "path: "+r.Path), "\n")
}

func (l level) quotedTitle(doc *store.Document) string {
	return `"` + cut(line(doc.Title), min(titleLength, l.length)) + `"`
}
