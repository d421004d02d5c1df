package issues

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/words"
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
	Version   string   `json:"version"`
}

// readRef reads which document a call changes, and the version that it must have.
func readRef(args *tools.Args) edit.DocumentRef {
	return edit.DocumentRef{ID: args.Required("id"), IfVersion: args.String("ifVersion")}
}

// revised answers to a change.
func revised(args *tools.Args, done edit.Applied, answer func(revision) tools.Result) tools.Result {
	done = namingOf(args).applied(done)
	noteWritten(args, done)
	r := answer(revisionOf(done))
	r.Items, r.Hint = 1, inFile(done.Path)
	return r
}

func revisionOf(done edit.Applied) revision {
	return revision{
		ID: documents.ShortID(done.After.ID, done.Path), Changes: changesOf(changesIn(done), changeLength),
		UpdatedAt: documents.Stamp(done.After.Updated), Path: done.Path, Version: done.After.Version,
	}
}

// changesIn are the fields that were changed, or the path where all that was done is
// that the file went where its status belongs.
func changesIn(done edit.Applied) []store.FieldChange {
	if len(done.Changes) == 0 && done.Path != done.OldPath {
		return []store.FieldChange{{Field: "path", Old: done.OldPath, New: done.Path}}
	}
	return done.Changes
}

// noteBehind says that a read may not show a change yet.
func noteBehind(args *tools.Args, behind error) {
	if behind != nil {
		args.Note(documents.Behind)
	}
}

// noteWritten says what a change leaves to be known besides what it did.
func noteWritten(args *tools.Args, done edit.Applied) {
	for _, note := range documents.WrittenNotes(done, documents.Stamp) {
		args.Note(note)
	}
}

// noteClaim says that somebody else is at work on the document.
func noteClaim(args *tools.Args, c *edit.OthersClaim) {
	if c != nil {
		args.Note(c.Says(documents.Stamp))
	}
}

// changesOf words changes. Values and names of fields are cut at so many characters.
func changesOf(changes []store.FieldChange, length int) []string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		if c.Field == "description" {
			texts[i] = fmt.Sprintf(
				"description: %d → %d characters", utf8.RuneCountInString(c.Old), utf8.RuneCountInString(c.New),
			)
			continue
		}
		texts[i] = fmt.Sprintf(
			"%s: %s → %s", words.Cut(words.OneLine(c.Field), length), documents.ValueText(c.Old, length),
			documents.ValueText(c.New, length),
		)
	}
	return texts
}

// text is what was changed, a line a field, under a first line such as
// `Updated ISS-000042`.
func (r revision) text(did string) string {
	return r.lines(did, len(r.Changes) > 0)
}

// lines are text's, with others behind what was changed.
func (r revision) lines(did string, changed bool, others ...string) string {
	first := did + " " + documents.Name(r.ID)
	if !changed {
		first = "No changes to " + documents.Name(r.ID) + ": it is as asked already."
	}
	lines := slices.Concat(
		[]string{first}, r.Changes, others, []string{"updated: " + r.UpdatedAt, "path: " + r.Path, "version: " + r.Version},
	)
	return strings.Join(lines, "\n")
}

// quotedTitle is a title as it stands in a sentence.
func quotedTitle(doc *store.Document) string {
	return `"` + words.Cut(words.OneLine(doc.Title), documents.TitleLength) + `"`
}
