package undo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/gofrs/flock"

	"issues-index/store"
	"issues-index/store/cachedir"
)

// The files of the journal in the workspace's cache. Several programs append to the journal at
// once, each line with one write.
const (
	journal    = "undo.jsonl"
	oldJournal = "undo.old.jsonl" // what the journal was until it had maxSegment
	lockName   = "undo.lock"
	olderNames = "undo-" // begin the names of the files that older versions had

	maxSegment = 16 << 20  // bytes: a thousand changes of texts of 10 KB, which base64 makes longer by a third
	maxEntry   = 128 << 20 // bytes
)

// A line is one step of an entry: the entry's id, the kind of the step, and JSON, null for most kinds.
const (
	kindBegun    = "begun"   // with a head
	kindChanged  = "change"  // with a change
	kindDropped  = "dropped" // the change before was not made after all
	kindEnded    = "ended"
	kindTooLarge = "too-large" // the changes are not kept
	kindGone     = "gone"      // the entry was taken back, or is to be forgotten
)

// newLine returns a line, with a line end also before it: a program that was killed may have left
// half a line there.
func newLine(id, kind string, value any) []byte {
	b := bytes.NewBufferString("\n" + id + " " + kind + " ")
	_ = json.NewEncoder(b).Encode(value) // no value of these types fails
	return b.Bytes()
}

// A change has of the text after it only what differs from the text before.
type change struct {
	store.DocumentChange
	Head int    `json:"head,omitempty"` // bytes that both texts begin with
	Tail int    `json:"tail,omitempty"` // and that they end with
	New  []byte `json:"new,omitempty"`
}

func newChange(c store.DocumentChange) *change {
	n, head, tail := min(len(c.Was), len(c.Now)), 0, 0
	for head < n && c.Was[head] == c.Now[head] {
		head++
	}
	for tail < n-head && c.Was[len(c.Was)-1-tail] == c.Now[len(c.Now)-1-tail] {
		tail++
	}
	return &change{c, head, tail, c.Now[head : len(c.Now)-tail]}
}

// whole is the change as it was made. A stranger's may have no text after it.
func (c *change) whole() store.DocumentChange {
	if c.Head >= 0 && c.Tail >= 0 && c.Head <= len(c.Was)-c.Tail {
		c.Now = slices.Concat(c.Was[:c.Head], c.New, c.Was[len(c.Was)-c.Tail:])
	}
	return c.DocumentChange
}

// rotate begins a new journal in place of one that is full, unless it is being written. Then the
// next entry tries again.
func rotate(dir *cachedir.Dir, lock *flock.Flock) {
	if alone, err := lock.TryLock(); err != nil || !alone {
		return
	}
	older, _ := dir.Names(olderNames)
	for _, name := range older {
		_ = dir.Discard(name) // the next rotation tries again
	}
	_ = dir.Rename(journal, oldJournal) // there may be none
	_ = lock.Unlock()
}

// forget notes that an entry is gone.
func forget(dir *cachedir.Dir, e *Entry) error {
	file, err := dir.Append(journal)
	if err == nil {
		_, err = file.Write(newLine(e.ID, kindGone, nil))
		err = errors.Join(err, file.Close())
	}
	return store.WrapDiskError("write", store.CacheDir+"/"+journal, err)
}

// read returns the entries in the order of their last changes. It reads no more of a file than it can
// have, whatever made it.
func read(dir *cachedir.Dir) ([]*Entry, error) {
	known, place := map[string]*Entry{}, 0
	for _, name := range []string{oldJournal, journal} {
		data, err := dir.Read(name, 2*maxEntry)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, store.WrapDiskError("read", store.CacheDir+"/"+name, err)
		}
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if len(line) > 0 {
				place++
				readLine(known, line, place)
			}
		}
	}
	byLast := func(a, b *Entry) int { return cmp.Compare(a.last, b.last) }
	return slices.SortedFunc(maps.Values(known), byLast), nil
}

// readLine takes a line into the entries that are known so far.
func readLine(known map[string]*Entry, line []byte, place int) {
	name, rest, _ := bytes.Cut(line, []byte(" "))
	kind, value, _ := bytes.Cut(rest, []byte(" "))
	id, head := string(name), head{}
	e := known[id]
	switch kind := string(kind); {
	case kind == kindBegun && json.Unmarshal(value, &head) == nil:
		known[id] = &Entry{ID: id, head: head, Unfinished: true, last: place}
	case !slices.Contains([]string{kindChanged, kindDropped, kindEnded, kindTooLarge, kindGone}, kind):
		for _, e := range known { // of which one it is cannot be told
			e.Torn = e.Torn || e.Unfinished
		}
	case e == nil: // its beginning is no longer kept
	case kind == kindChanged:
		e.noted, e.last = append(e.noted, value), place
	case kind == kindDropped:
		e.noted = e.noted[:max(0, len(e.noted)-1)]
	case kind == kindEnded:
		e.Unfinished, e.Torn = false, false
	case kind == kindTooLarge:
		e.noted, e.TooLarge, e.Unfinished = nil, true, false
	case kind == kindGone:
		delete(known, id)
	}
}

// settle finds the changes of an entry: those that were made, one of each document. It reports
// whether there is anything to take back, or to be told that it cannot be.
func (e *Entry) settle(ws *store.Workspace) bool {
	var all []store.DocumentChange
	for _, value := range e.noted {
		var c change
		if json.Unmarshal(value, &c) != nil {
			e.Torn = true
			break
		}
		all = append(all, c.whole())
	}
	if n := len(all); e.Unfinished && n > 0 && !made(ws, all[n-1]) {
		all = all[:n-1]
	}
	e.noted = nil
	for _, c := range all {
		i := slices.IndexFunc(e.Changes, func(earlier store.DocumentChange) bool {
			return earlier.Path != "" && earlier.Path == c.OldPath
		})
		if i < 0 {
			e.Changes = append(e.Changes, c)
			continue
		}
		both, ok := e.Changes[i].Then(c)
		if e.Changes[i] = both; !ok {
			e.Changes = slices.Delete(e.Changes, i, i+1)
		}
	}
	return len(e.Changes) > 0 || e.TooLarge || e.Torn
}

// made reports whether a change was made: the command may have died right before it.
func made(ws *store.Workspace, c store.DocumentChange) bool {
	data, _, err := ws.Read(cmp.Or(c.OldPath, c.Path))
	if c.OldPath == "" {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return err != nil || store.HashOf(data) != store.HashOf(c.Was)
}
