package history

import (
	"errors"
	"path"
	"slices"

	"issues-index/store"
	"issues-index/store/git"
)

// mostKept bounds how many versions are kept, since most are needed twice.
const mostKept = 8

// load reads a version; nil for none.
func (h *History) load(v fileVersion) (*store.Document, error) {
	switch v.object {
	case "":
		return nil, nil
	case uncommitted:
		return h.now, nil
	}
	if doc := h.docs[v]; doc != nil {
		return doc, nil
	}
	data, err := h.objects.Read(v.object, store.MaxFileSize)
	if err != nil && !errors.Is(err, git.ErrTooLarge) {
		return nil, err
	}
	h.left -= len(data)
	if len(h.docs) >= mostKept {
		clear(h.docs)
	}
	h.docs[v] = parse(h.ws, v.path, data, err)
	return h.docs[v], nil
}

// parse makes a document of what was read of a version. Its times do not count.
func parse(ws *store.Workspace, at string, data []byte, err error) *store.Document {
	c, ok := ws.CollectionOf(at)
	if !ok { // it came from elsewhere
		c = ws.Collections[0]
	}
	if errors.Is(err, git.ErrTooLarge) {
		err = store.ErrTooLarge
	}
	return ws.Parse(store.File{Path: at, Collection: &c}, data, err)
}

// entry says what a step did. Without changes and an event there is nothing to say. Where one field
// is asked for, it says what a new document has, and what a deleted one had.
func (h *History) entry(i int, oneField bool) (e HistoryEntry, err error) {
	s := h.steps[i]
	e = s.bare()
	before, err := h.load(s.before)
	if err != nil {
		return e, err
	}
	after, err := h.load(s.after)
	switch none := new(store.Document); {
	case err != nil || before == nil && after == nil:
		return e, err
	case before == nil:
		e.Event, err = h.beginning(i, after)
		e.Changes = comparedWithNone(none, after, oneField)
	case after == nil:
		e.Event, e.Changes = Deleted, comparedWithNone(before, none, oneField)
	default:
		e.Event = moved(h.ws, before.Path, after.Path)
		e.Changes, err = h.compare(i, before, after)
	}
	switch {
	case err != nil:
	case s.Hash == "" && e.Event == "" && !slices.ContainsFunc(e.Changes, saysSomething):
		e.Changes = nil // which git may change when it checks files out
	case e.Merge:
		err = h.markMerged(e.Changes, s, after)
	}
	return e, err
}

func saysSomething(c HistoryChange) bool { return c.Field != LineEnds && c.Field != Formatting }

// comparedWithNone compares a version with none. Unless one field is asked for, all that it says would
// tell nothing but where it is, and that it cannot be read.
func comparedWithNone(before, after *store.Document, oneField bool) []HistoryChange {
	return slices.DeleteFunc(CompareVersions(before, after), func(c HistoryChange) bool {
		return !oneField && c.Field != Frontmatter && c.Field != Path
	})
}

// beginning says how the document came to be.
func (h *History) beginning(i int, after *store.Document) (Event, error) {
	s := h.steps[i]
	switch {
	case h.Shallow && s.Hash != "" && len(s.Parents) == 0:
		return Begins, nil
	case len(s.Parents) > 1:
		return Created, nil
	}
	for _, older := range h.steps[i+1:] {
		if older.after.object != "" {
			continue
		}
		deleted, err := h.load(older.before)
		if err != nil {
			return "", err
		}
		if deleted.ID == after.ID || unreadable(deleted) != "" || unreadable(after) != "" {
			return Restored, nil
		}
		h.began = true
		break
	}
	return Created, nil
}

// moved says which way a file has gone, "" when it stayed.
func moved(ws *store.Workspace, from, to string) Event {
	if from == to {
		return ""
	}
	archives := func(at string) bool {
		c, ok := ws.CollectionOf(at)
		return ok && c.Archives(at)
	}
	switch was, is := archives(from), archives(to); {
	case is && !was:
		return Archived
	case was && !is:
		return Returned
	case path.Dir(from) != path.Dir(to):
		return Moved
	}
	return Renamed
}

// compare compares the two versions of a step. A version that cannot be read is passed over: what
// follows is compared with the last one before it that could be.
func (h *History) compare(i int, before, after *store.Document) ([]HistoryChange, error) {
	changes := CompareVersions(before, after)
	if unreadable(before) != "" && unreadable(after) == "" {
		readable, err := h.lastReadable(i)
		if err != nil {
			return nil, err
		}
		if readable != nil {
			changes = append(changes, Compare(readable, after)...)
		}
	}
	committed := h.steps[i].Hash != "" // so that git has seen other bytes
	if len(changes) == 0 && (committed || before.Version != after.Version) {
		changes = append(changes, HistoryChange{Field: Formatting})
	}
	return changes, nil
}

// lastReadable is the last version before a step that can be read, nil where there is none.
func (h *History) lastReadable(i int) (*store.Document, error) {
	const most = 50
	at := h.steps[i].before
	for _, s := range h.steps[i+1 : min(len(h.steps), i+1+most)] {
		if s.after != at {
			continue
		}
		at = s.before
		if doc, err := h.load(at); err != nil || doc == nil || unreadable(doc) == "" {
			return doc, err
		}
	}
	return nil, nil
}

// markMerged marks the changes that a merge took over from another parent than the first: those
// that are no changes from that parent.
func (h *History) markMerged(changes []HistoryChange, merge committedStep, after *store.Document) error {
	for _, parent := range merge.Parents[1:] {
		at, err := h.inCommit(parent, merge.after.path)
		if err != nil {
			return err
		}
		before, err := h.load(at)
		if err != nil {
			return err
		}
		var own []HistoryChange
		if before != nil && after != nil {
			own = CompareVersions(before, after)
		} else if before != after { // it was made or deleted by the merge
			continue
		}
		for i, c := range changes {
			same := func(o HistoryChange) bool { return o.Field == c.Field && o.Part == c.Part }
			changes[i].Merged = c.Merged || !slices.ContainsFunc(own, same)
		}
	}
	return nil
}
