package history

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/frontmatter"
)

// A HistoryQuery asks for some entries.
type HistoryQuery struct {
	Field string    // that changed, "" for any; see HistoryChange.Is
	Since time.Time // at or after this time
	After string    // the Key of the entry that the last page ended with, "" for the first page
}

// ErrUnknownKey says that no entry has the key that a query goes on after: the history was
// rewritten, or the change committed.
var ErrUnknownKey = errors.New("the history has no such entry")

// mostBytes is how many bytes of versions are read for one page.
const mostBytes = 256 << 20

// ErrEnough ends a page early: so much was read that the rest is for the next one, which
// goes on after the last entry.
var ErrEnough = errors.New("the versions of the document are large")

// Key names an entry of a history, in 12 letters, digits, hyphens and underscores.
func (e HistoryEntry) Key() string {
	const length = 9 // bytes
	sum := sha256.Sum256([]byte(e.Commit + " " + e.Path))
	return base64.RawURLEncoding.EncodeToString(sum[:length])
}

// Entries yields the entries that a query asks for, the newest first, and what is not
// committed before all. Each reads two versions of the document. An error ends it.
func (h *History) Entries(q HistoryQuery) iter.Seq2[HistoryEntry, error] {
	return func(yield func(HistoryEntry, error) bool) {
		h.docs, h.left, h.began = map[fileVersion]*store.Document{}, mostBytes, false
		skip := q.After != ""
		for i, s := range h.steps {
			bare := s.bare()
			if skip {
				skip = bare.Key() != q.After
				continue
			}
			if bare.Time.Before(q.Since) {
				continue
			}
			entry, err := h.entry(i, q.Field != "")
			entry.Changes = slices.DeleteFunc(entry.Changes, func(c HistoryChange) bool {
				return q.Field != "" && !c.Is(q.Field)
			})
			asked := len(entry.Changes) > 0 || q.Field == "" && entry.Event != ""
			if (asked || err != nil) && !yield(entry, err) || err != nil {
				return
			}
			if h.left < 0 {
				yield(entry, ErrEnough)
				return
			}
			if h.began {
				return
			}
		}
		if skip {
			yield(HistoryEntry{}, ErrUnknownKey)
		}
	}
}

// bare is the entry of a step without its changes.
func (s committedStep) bare() HistoryEntry {
	return HistoryEntry{
		Commit: s.Hash, Time: s.Time, Author: s.Author, Subject: s.Subject,
		Path: s.after.path, Merge: len(s.Parents) > 1,
	}
}

// Is reports whether the change is one of a field, by any name of it.
func (c HistoryChange) Is(field string) bool {
	switch strings.ToLower(field) {
	case "description", "body", "section", "sections":
		field = Text
	case "box", "checkbox", "checkboxes", "checklist":
		field = Boxes
	case "file", "folder", "name":
		field = Path
	}
	return strings.EqualFold(c.Field, field) || strings.EqualFold(c.Field, frontmatter.ContextKey+"."+field)
}
