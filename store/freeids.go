package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"issues-index/store/layout"
)

// A ReplacedID is the id that a document of a collection has, and is to have no longer.
type ReplacedID struct {
	Collection string // its type
	Path, ID   string // of the document
}

// wholeSearch is how long FreeIDs takes for the refs of the repository, at most. An id that
// is found to be taken later is a lot of work.
const wholeSearch = time.Minute

// FreeIDs returns a new id for each of some documents: a number above all that FreeIDs finds in
// the workspace, in the other worktrees and in the refs of the repository; a hash that follows
// from the path and the old id, so that the same question has the same answer. The id of a
// child stays one of its parent's. Nothing is reserved: FixTogether does that. note says what
// could not be looked at, "" for nothing.
func (w *Workspace) FreeIDs(ctx context.Context, replaced []ReplacedID) (ids []string, note string, err error) {
	err = w.Mutate(ctx, func(m *Mutation) error {
		refs := &w.ids.refs
		defer func(usual time.Duration) { refs.time = usual }(refs.time)
		refs.time = wholeSearch
		present, err := w.readIDs(ctx)
		if err != nil {
			return err
		}
		next := map[string]int{}
		for _, r := range replaced {
			id, err := m.freeID(ctx, r, next, present)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		note = m.note
		return nil
	})
	return ids, note, err
}

// freeID finds one id. next has the numbers that may be given out next, by series. A hash is present
// from now on.
func (m *Mutation) freeID(
	ctx context.Context, r ReplacedID, next map[string]int, present presentIDs,
) (string, error) {
	if m.w.Layout.IDScheme == layout.SchemeHash {
		drawn := 0
		id, err := m.w.newHash(r.Collection, present.taken, func(bytes []byte) {
			drawn++
			sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", r.Path, r.ID, drawn))
			copy(bytes, sum[:])
		})
		if err == nil {
			present.ids[FoldID(id)] = true
		}
		return id, err
	}
	series, parent := m.w.seriesOf(r.Collection, r.ID)
	if next[series] == 0 {
		highest, err := m.highestTaken(ctx, series, present.floor)
		if err != nil {
			return "", err
		}
		next[series] = highest + 1
	}
	number := next[series]
	if number > maxIDNumber {
		return "", m.w.usedUp(r.Collection)
	}
	next[series]++
	return m.w.newID(r.Collection, series, parent, number), nil
}

// seriesOf returns the series that the id of a document takes its number from, and the id of
// the parent that it is the child's id of, "" for none.
func (w *Workspace) seriesOf(collection, id string) (series, parent string) {
	if parent = w.ParentOfID(collection, id); parent != "" {
		return FoldID(parent), parent
	}
	return collection, ""
}

// ParentOfID returns the id that a child's id begins with, "" where ids of children say nothing
// of their parents, and for an id that is no child's.
func (w *Workspace) ParentOfID(collection, id string) string {
	numbers := w.IDNumbers(collection, id)
	if len(numbers) < 2 {
		return ""
	}
	series := numbers[len(numbers)-1].Series
	for end := range id {
		if FoldID(id[:end]) == series {
			return id[:end]
		}
	}
	return ""
}

// agreeNumbers asks for the numbers of ids that FreeIDs has found, and returns the ids with those
// that it got; nil when nothing changes.
func (m *Mutation) agreeNumbers(found []ReplacedID, o FixOptions) (ids []string, err error) {
	if m.w.Layout.IDScheme == layout.SchemeHash {
		return nil, nil
	}
	given, next, other := map[string]bool{}, map[string]int{}, false
	for _, id := range found {
		given[FoldID(id.ID)] = true
		ids = append(ids, id.ID)
	}
	for i, id := range found {
		series, parent := m.w.seriesOf(id.Collection, id.ID)
		numbers := m.w.IDNumbers(id.Collection, id.ID)
		if given[FoldID(parent)] || len(numbers) == 0 { // reserve refuses the latter
			continue
		}
		number, err := m.agreeNumber(o.Number, series, max(next[series], numbers[len(numbers)-1].Number))
		if err != nil {
			return nil, err
		}
		next[series] = number + 1
		ids[i] = m.w.newID(id.Collection, series, parent, number)
		other = other || ids[i] != id.ID
	}
	if !other {
		return nil, nil
	}
	return ids, nil
}

// reserve makes sure that ids which FreeIDs has found are still free, and keeps their numbers
// from being given out to others.
func (m *Mutation) reserve(ctx context.Context, ids []ReplacedID) error {
	if len(ids) == 0 {
		return nil
	}
	present, err := m.w.readIDs(ctx)
	if err != nil {
		return err
	}
	highest := numbers{}
	checked := map[string]bool{}
	for _, id := range ids {
		if m.w.Layout.IDScheme == layout.SchemeHash {
			if present.ids[FoldID(id.ID)] {
				return takenID(id)
			}
			continue
		}
		numbers := m.w.IDNumbers(id.Collection, id.ID)
		if len(numbers) == 0 {
			return &ValueError{Field: "id", Value: id.ID, Reason: "is not one that this workspace gives out"}
		}
		last := numbers[len(numbers)-1]
		if !checked[last.Series] {
			checked[last.Series] = true
			taken, err := m.highestTaken(ctx, last.Series, present.floor)
			if err != nil {
				return err
			}
			if last.Number <= taken {
				return takenID(id)
			}
		}
		highest.add([]IDNumber{last})
	}
	return m.remember(highest)
}

func takenID(id ReplacedID) error {
	return &ConflictError{id.Path, "was to get the id " + id.ID + ", which has been given out since"}
}
