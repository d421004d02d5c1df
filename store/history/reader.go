package history

import (
	"errors"
	"issues-index/store"
	"issues-index/store/git"
	"path"
	"slices"
)

// A versionReader reads versions of the document.
type versionReader struct {
	h    *History
	docs map[fileVersion]*store.Document
	left int // bytes that may be read
	// oneField is set where the changes of one field are asked for.
	oneField bool
	// began is set when the document came to be in the place of another one, whose history
	// follows.
	began bool
}

// mostKept bounds how many versions are kept, since most are needed twice.
const mostKept = 8

// load reads a version; nil for none.
func (r *versionReader) load(v fileVersion) (*store.Document, error) {
	if v.object == "" {
		return nil, nil
	}
	if doc := r.docs[v]; doc != nil {
		return doc, nil
	}
	data, err := r.h.objects.Read(v.object, store.MaxFileSize)
	if errors.Is(err, git.ErrTooLarge) {
		return r.keep(v, r.h.parse(v.path, nil, store.ErrTooLarge)), nil
	}
	if err != nil {
		return nil, err
	}
	r.left -= len(data)
	return r.keep(v, r.h.parse(v.path, data, nil)), nil
}

func (r *versionReader) keep(v fileVersion, doc *store.Document) *store.Document {
	if len(r.docs) >= mostKept {
		clear(r.docs)
	}
	r.docs[v] = doc
	return doc
}

// parse makes a document of a version. Its times do not count.
func (h *History) parse(at string, data []byte, err error) *store.Document {
	c, ok := h.follower.ws.CollectionOf(at)
	if !ok { // it came from elsewhere
		c = h.follower.ws.Collections[0]
	}
	return h.follower.ws.Parse(store.File{Path: at, Collection: c}, data, err)
}

// entry says what a step did; -1 is what is not committed. Without changes and an event
// there is nothing to say.
func (r *versionReader) entry(i int) (e HistoryEntry, err error) {
	e = r.h.bare(i)
	s := r.h.pending
	if i >= 0 {
		s = r.h.steps[i].step
	}
	before, err := r.load(s.before)
	if err != nil {
		return e, err
	}
	var after *store.Document
	switch {
	case i >= 0:
		after, err = r.load(s.after)
	case s.after.path != "":
		after = r.h.now()
	}
	switch {
	case err != nil:
		return e, err
	case before == nil && after == nil:
		return e, nil
	case before == nil:
		e.Event, err = r.beginning(i, after)
		e.Changes = append(r.against(after, func(doc *store.Document) []HistoryChange { return Compare(new(store.Document), doc) }), HistoryChange{Field: Path, To: after.Path})
	case after == nil:
		e.Event = Deleted
		e.Changes = append(r.against(before, func(doc *store.Document) []HistoryChange { return Compare(doc, new(store.Document)) }), HistoryChange{Field: Path, From: before.Path})
	default:
		e.Event = r.h.moved(before.Path, after.Path)
		e.Changes, err = r.compare(i+1, s.before, before, after)
	}
	if err != nil || i < 0 || !e.Merge {
		if i < 0 && e.Event == "" && !slices.ContainsFunc(e.Changes, func(c HistoryChange) bool { return c.Field != LineEnds && c.Field != Formatting }) {
			e.Changes = nil // which git may change when it checks files out
		}
		return e, err
	}
	return e, r.markMerged(e.Changes, r.h.steps[i], after)
}

// against compares a version with none, where one field is asked for: all that it says would
// tell nothing.
func (r *versionReader) against(doc *store.Document, compare func(*store.Document) []HistoryChange) []HistoryChange {
	if why := unreadable(doc); why != "" {
		return []HistoryChange{{Field: Frontmatter, To: why}}
	}
	if !r.oneField {
		return nil
	}
	return compare(doc)
}

// now is the file as it is.
func (h *History) now() *store.Document {
	var err error
	if h.data == nil {
		err = store.ErrTooLarge
	}
	return h.parse(h.pending.after.path, h.data, err)
}

// beginning says how the document came to be.
func (r *versionReader) beginning(i int, after *store.Document) (Event, error) {
	if i >= 0 && r.h.Shallow && len(r.h.steps[i].Parents) == 0 {
		return Begins, nil
	}
	if i >= 0 && len(r.h.steps[i].Parents) > 1 {
		return Created, nil
	}
	for _, older := range r.h.steps[i+1:] {
		if older.after.object != "" {
			continue
		}
		deleted, err := r.load(older.before)
		if err != nil {
			return "", err
		}
		if deleted.ID == after.ID || unreadable(deleted) != "" || unreadable(after) != "" {
			return Restored, nil
		}
		r.began = true
		break
	}
	return Created, nil
}

// moved says which way a file has gone, "" when it stayed.
func (h *History) moved(from, to string) Event {
	if from == to {
		return ""
	}
	archives := func(at string) bool {
		c, ok := h.follower.ws.CollectionOf(at)
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

// compare compares two versions, of which older steps than from led to the first one. A
// version that cannot be read is passed over: what follows is compared with the last one
// before that could be.
func (r *versionReader) compare(from int, at fileVersion, before, after *store.Document) (changes []HistoryChange, err error) {
	if before.Path != after.Path {
		changes = append(changes, HistoryChange{Field: Path, From: before.Path, To: after.Path})
	}
	was, is := unreadable(before), unreadable(after)
	if was != is {
		changes = append(changes, HistoryChange{Field: Frontmatter, From: was, To: is})
	}
	if is == "" {
		if was != "" {
			before, err = r.lastReadable(from, at)
		}
		if err != nil {
			return nil, err
		}
		if before != nil {
			changes = append(changes, Compare(before, after)...)
		}
	}
	committed := from > 0 // so that git has seen other bytes
	if len(changes) == 0 && (committed || before.Version != after.Version) {
		changes = append(changes, HistoryChange{Field: Formatting})
	}
	return changes, nil
}

// lastReadable is the last version before one that cannot be read, nil where there is none.
func (r *versionReader) lastReadable(from int, at fileVersion) (*store.Document, error) {
	const most = 50
	tried := 0
	for i := from; i < len(r.h.steps) && tried < most; i++ {
		s := r.h.steps[i]
		if s.after != at || s.before.object == "" {
			continue
		}
		tried++
		doc, err := r.load(s.before)
		if err != nil {
			return nil, err
		}
		if unreadable(doc) == "" {
			return doc, nil
		}
		at = s.before
	}
	return nil, nil
}

// markMerged marks the changes that a merge took over from another parent than the first.
func (r *versionReader) markMerged(changes []HistoryChange, merge committed, after *store.Document) error {
	own := make([]bool, len(changes))
	for i := range changes {
		own[i] = len(merge.same) == 0
	}
	for _, other := range merge.others {
		var theirs []HistoryChange
		before, err := r.load(other.before)
		if err == nil && before != nil && after != nil {
			theirs, err = r.compare(len(r.h.steps), other.before, before, after)
		}
		if err != nil {
			return err
		}
		for i, c := range changes {
			differs := before == nil || after == nil || slices.ContainsFunc(theirs, func(t HistoryChange) bool { return t.Field == c.Field && t.Part == c.Part })
			own[i] = own[i] && differs
		}
	}
	for i := range changes {
		changes[i].Merged = !own[i]
	}
	return nil
}
