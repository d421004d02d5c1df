package history

import (
	"cmp"
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
	Field string    // that changed, "" for any; see Change.Is
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
		r := &versionReader{h: h, docs: map[fileVersion]*store.Document{}, left: mostBytes, oneField: q.Field != ""}
		skip := q.After != ""
		for i := -1; i < len(h.steps); i++ {
			if skip {
				skip = h.bare(i).Key() != q.After
				continue
			}
			if !q.Since.IsZero() && h.bare(i).Time.Before(q.Since) {
				continue
			}
			entry, err := r.entry(i)
			entry.Changes = slices.DeleteFunc(entry.Changes, func(c HistoryChange) bool {
				return q.Field != "" && !c.Is(q.Field)
			})
			asked := len(entry.Changes) > 0 || q.Field == "" && entry.Event != ""
			if (asked || err != nil) && !yield(entry, err) || err != nil {
				return
			}
			if r.left < 0 {
				yield(entry, ErrEnough)
				return
			}
			if r.began {
				return
			}
		}
		if skip {
			yield(HistoryEntry{}, ErrUnknownKey)
		}
	}
}

// bare is an entry without its changes; -1 is what is not committed.
func (h *History) bare(i int) HistoryEntry {
	if i < 0 {
		return HistoryEntry{Path: cmp.Or(h.pending.after.path, h.pending.before.path), Time: h.written}
	}
	c := h.steps[i]
	return HistoryEntry{
		Commit: c.Hash, Time: c.Time, Author: c.Author, Subject: c.Subject,
		Path: cmp.Or(c.after.path, c.before.path), Merge: len(c.Parents) > 1,
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
