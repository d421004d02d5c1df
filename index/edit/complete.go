package edit

import (
	"context"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/layout"
)

// What stands around the time above a note.
const (
	noteBegin = "**Completion Notes ("
	noteEnd   = "):**\n\n"
)

// Backlog.md shows of a text what stands between marks: a note is its final summary, while it has none.
const (
	sectionMark  = "<!-- SECTION:"
	summaryBegin = sectionMark + "FINAL_SUMMARY:BEGIN -->\n"
	summaryEnd   = "\n" + sectionMark + "FINAL_SUMMARY:END -->"
)

// Complete gives a document the first status for work that is done, unless it has another one
// of these, and appends a note to its text, if there is one. Done again
// it changes nothing. Errors are Update's.
func (w *Writer) Complete(ctx context.Context, ref DocumentRef, note string) (Applied, error) {
	return w.Update(ctx, ref, w.Completion(note))
}

// Completion is the change that Complete makes.
func (w *Writer) Completion(note string) Change {
	note = unixLines(strings.TrimSpace(note))
	return func(doc *store.Document) (store.Fields, error) {
		status, again := w.ix.Workspace().Layout.First(layout.Done), doc.Category() == layout.Done
		if again {
			status = doc.Status
		}
		f := store.Fields{Status: &status}
		if note != "" && !(again && noted(doc.Body, note)) {
			f.At = w.ix.Workspace().Now()
			f.Append = noteBegin + noteTime(f.At) + noteEnd + note
			if strings.Contains(doc.Body, sectionMark) && !strings.Contains(doc.Body, summaryBegin) {
				f.Append = "## Final Summary\n\n" + summaryBegin + note + summaryEnd
			}
		}
		return f, nil
	}
}

// noted reports whether a body has a note of ours.
func noted(body, note string) bool {
	if strings.Contains(unixLines(body), summaryBegin+note+summaryEnd) {
		return true
	}
	for _, after := range strings.Split(unixLines(body), noteBegin)[1:] {
		_, text, _ := strings.Cut(after, noteEnd)
		if rest, same := strings.CutPrefix(text, note); same && (rest == "" || rest[0] == '\n') {
			return true
		}
	}
	return false
}

// noteTime is the time above a note.
func noteTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
