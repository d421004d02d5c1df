package history

import (
	"errors"
	"maps"
	"path"
	"slices"

	"issues-index/store"
	"issues-index/store/git"
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
	return r.keep(v, data, err)
}

// keep parses the bytes of a version that were read.
func (r *versionReader) keep(v fileVersion, data []byte, err error) (*store.Document, error) {
	if errors.Is(err, git.ErrTooLarge) {
		err = store.ErrTooLarge
	} else if err != nil {
		return nil, err
	}
	r.left -= len(data)
	if len(r.docs) >= mostKept {
		clear(r.docs)
	}
	r.docs[v] = r.h.parse(v.path, data, err)
	return r.docs[v], nil
}

// parse makes a document of a version. Its times do not count.
func (h *History) parse(at string, data []byte, err error) *store.Document {
	c, ok := h.ws.CollectionOf(at)
	if !ok { // it came from elsewhere
		c = h.ws.Collections[0]
	}
	return h.ws.Parse(store.File{Path: at, Collection: c}, data, err)
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
		e.Changes = append(r.against(after, true), HistoryChange{Field: Path, To: after.Path})
	case after == nil:
		e.Event = Deleted
		e.Changes = append(r.against(before, false), HistoryChange{Field: Path, From: before.Path})
	default:
		e.Event = r.h.moved(before.Path, after.Path)
		e.Changes, err = r.compare(i, s.before, before, after)
	}
	switch {
	case err != nil:
	case i < 0 && e.Event == "" && !slices.ContainsFunc(e.Changes, saysSomething):
		e.Changes = nil // which git may change when it checks files out
	case e.Merge:
		err = r.markMerged(e.Changes, r.h.steps[i], after)
	}
	return e, err
}

func saysSomething(c HistoryChange) bool { return c.Field != LineEnds && c.Field != Formatting }

// against compares a version with none, where one field is asked for: all that it says would
// tell nothing.
func (r *versionReader) against(doc *store.Document, isNew bool) []HistoryChange {
	none := new(store.Document)
	switch why := unreadable(doc); {
	case why != "":
		return []HistoryChange{{Field: Frontmatter, To: why}}
	case !r.oneField:
		return nil
	case isNew:
		return Compare(none, doc)
	}
	return Compare(doc, none)
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
		c, ok := h.ws.CollectionOf(at)
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

// compare compares the two versions of an entry, of which the first one is at a place. A version
// that cannot be read is passed over: what follows is compared with the last one before it that
// could be.
func (r *versionReader) compare(i int, at fileVersion, before, after *store.Document) ([]HistoryChange, error) {
	changes := append(comparePlaces(before, after), compareVersions(before, after)...)
	if unreadable(before) != "" && unreadable(after) == "" {
		readable, err := r.lastReadable(i+1, at)
		if err != nil {
			return nil, err
		}
		if readable != nil {
			changes = append(changes, Compare(readable, after)...)
		}
	}
	committed := i >= 0 // so that git has seen other bytes
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

// markMerged marks the changes that a merge took over from another parent than the first: those
// that are no changes from that parent.
func (r *versionReader) markMerged(changes []HistoryChange, merge committedStep, after *store.Document) error {
	for _, parent := range merge.Parents[1:] {
		before, err := r.inCommit(parent, merge.after)
		if err != nil {
			return err
		}
		var own []HistoryChange
		if before != nil && after != nil {
			own = append(comparePlaces(before, after), compareVersions(before, after)...)
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

// inCommit is the document in a commit, by the name that it has in a version or else by another
// one; nil where the commit does not have it.
func (r *versionReader) inCommit(commit string, like fileVersion) (*store.Document, error) {
	for _, name := range append([]string{like.path}, slices.Sorted(maps.Keys(r.h.names))...) {
		object, data, err := r.h.objects.ReadAt(commit, name, store.MaxFileSize)
		if object != "" || err != nil {
			return r.keep(fileVersion{name, object}, data, err)
		}
	}
	return nil, nil
}
