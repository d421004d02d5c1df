// Package undo keeps what the last commands have changed in the documents of a workspace,
// so that it can be taken back.
//
// It knows nothing about the index or the command line. Its invariants: the entries are
// files of the workspace's cache, which can be deleted at any time, and bounded in number
// and size; an entry is taken back as a whole or refused; the changes of an entry are each
// of another document; a command that has changed something has an entry, also one that has
// died.
package undo

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"issues-index/store"
	"issues-index/store/cachedir"
)

const (
	maxEntries = 20
	maxSize    = 64 << 20 // bytes of all entries, and of the texts of one
	prefix     = "undo-"
	suffix     = ".json.gz"
	lockName   = "undo.lock"
	lockWait   = 10 * time.Second
	lockRetry  = 10 * time.Millisecond
)

// An Undoable is what one command has changed.
type Undoable struct {
	At      time.Time              `json:"at"`
	Command string                 `json:"command"`
	Changes []store.DocumentChange `json:"changes"`
	// TooLarge is set when the changes were not kept.
	TooLarge bool `json:"tooLarge,omitempty"`
	// Unfinished is set when the command died. Changes are those that it had made.
	Unfinished bool `json:"unfinished,omitempty"`
	// Torn is set when the end of what such a command wrote down cannot be read, as after a
	// power failure: it may have changed more.
	Torn bool `json:"torn,omitempty"`

	journal *journal // nil before the first change
	size    int      // bytes of the texts
	damaged bool     // it cannot be read
}

// ErrNothing says that there is no change to take back.
var ErrNothing = errors.New("no change to take back")

// ErrTooLarge says that the last change was too large to be kept.
var ErrTooLarge = errors.New("the last change was too large to be kept")

// ErrDamaged says that what was kept of the last change cannot be read.
var ErrDamaged = errors.New("what was kept of the last change is damaged")

// ErrRunning says that a command which has changed documents has not ended.
var ErrRunning = errors.New("a command is still changing documents in this workspace")

// Add notes a change that was made. Several of one document become one.
func (e *Undoable) Add(c store.DocumentChange) {
	if e.size += len(c.Was); e.size > maxSize {
		e.Changes, e.TooLarge = nil, true
	}
	if e.TooLarge {
		return
	}
	i := slices.IndexFunc(e.Changes, func(earlier store.DocumentChange) bool {
		return earlier.Path != "" && earlier.Path == c.OldPath
	})
	if i < 0 {
		e.Changes = append(e.Changes, c)
		return
	}
	both, ok := e.Changes[i].Then(c)
	if !ok {
		e.Changes = slices.Delete(e.Changes, i, i+1)
		return
	}
	e.Changes[i] = both
}

// Empty reports whether nothing was changed.
func (e *Undoable) Empty() bool { return len(e.Changes) == 0 && !e.TooLarge }

// Keep makes an entry the last one of a workspace, or the one that Changing has begun a whole
// one, and forgets the oldest. An empty one is not kept.
func Keep(ctx context.Context, ws *store.Workspace, e *Undoable) (err error) {
	j := e.journal
	if j == nil {
		if e.Empty() {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, lockWait)
		defer cancel()
		j, err = begin(ws, e, func(lock *flock.Flock) (bool, error) { return lock.TryRLockContext(ctx, lockRetry) })
	}
	e.journal = nil
	defer func() { err = errors.Join(err, j.close()) }()
	if err != nil || j.file == nil {
		return j.err
	}
	if !e.Empty() {
		data, err := e.pack()
		if err == nil {
			err = j.dir.Replace(entryName(j.number), data)
		}
		if err != nil {
			return err
		}
	}
	err = j.file.Close()
	j.file = nil
	return errors.Join(err, j.dir.Discard(journalName(j.number)), forget(j.dir))
}

// forget removes the oldest entries.
func forget(dir *cachedir.Dir) error {
	names, err := entries(dir)
	if err != nil {
		return err
	}
	kept, size := 0, 0
	for _, name := range slices.Backward(names) {
		info, err := dir.Stat(name)
		if errors.Is(err, fs.ErrNotExist) { // another command has ended
			continue
		}
		if err != nil {
			return err
		}
		size += int(info.Size())
		if kept++; kept > maxEntries || size > maxSize {
			if err := dir.Discard(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// TakeBack has the last entry taken back by revert, and forgets it. Its errors are
// ErrNothing, ErrTooLarge, ErrDamaged and those of revert, after which the entry stays.
func TakeBack(ctx context.Context, ws *store.Workspace, revert func(*Undoable) error) error {
	return Skip(ctx, ws, func(e *Undoable) error {
		switch {
		case e.damaged:
			return ErrDamaged
		case e.TooLarge:
			return ErrTooLarge
		}
		return revert(e)
	})
}

// Skip forgets the last entry once seen has returned nil for it, also one that was too large
// to be kept or is damaged. Its errors are ErrNothing and those of seen.
func Skip(ctx context.Context, ws *store.Workspace, seen func(*Undoable) error) error {
	return locked(ctx, ws, func(dir *cachedir.Dir) error {
		last, err := lastEntry(ws, dir)
		if err != nil {
			return err
		}
		if last == "" {
			return ErrNothing
		}
		info, err := dir.Stat(last)
		if err != nil {
			return err
		}
		e, err := read(dir, last)
		if err != nil {
			e = &Undoable{At: info.ModTime(), Command: "a damaged change", damaged: true}
		}
		if err := seen(e); err != nil {
			return err
		}
		return dir.Discard(last)
	})
}

// Last returns the entry that TakeBack would take back. Its errors are TakeBack's.
func Last(ctx context.Context, ws *store.Workspace) (*Undoable, error) {
	var last *Undoable
	errSeen := errors.New("seen")
	err := TakeBack(ctx, ws, func(e *Undoable) error {
		last = e
		return errSeen
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return last, err
}

// openCache opens the folder of the entries.
func openCache(ws *store.Workspace) (*cachedir.Dir, error) {
	dir, err := ws.OpenOwnCache()
	if err != nil {
		return nil, err
	}
	if err := dir.IgnoreInGit(); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// locked opens the cache of a workspace while no other process changes its entries.
func locked(ctx context.Context, ws *store.Workspace, do func(*cachedir.Dir) error) (err error) {
	dir, err := openCache(ws)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := dir.Lock(lockName)
	_, err = lock.TryLockContext(ctx, lockRetry)
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrRunning
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", dir.Join(lockName), err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return do(dir)
}

func entryName(number int) string   { return fmt.Sprintf("%s%010d%s", prefix, number, suffix) }
func journalName(number int) string { return fmt.Sprintf("%s%010d%s", prefix, number, journalSuffix) }

// entries are the names of the entries, and behind each that of its journal, the oldest first.
func entries(dir *cachedir.Dir) ([]string, error) {
	names, err := dir.Names(prefix)
	names = slices.DeleteFunc(names, func(name string) bool { return number(name) == 0 })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(number(a)-number(b), strings.Compare(b, a)) })
	return names, err
}

// number is the place of an entry among all, 0 for the name of another file.
func number(name string) int {
	digits, ok := strings.CutSuffix(strings.TrimPrefix(name, prefix), suffix)
	if !ok {
		digits, ok = strings.CutSuffix(digits, journalSuffix)
	}
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 {
		return 0
	}
	return n
}

func (e *Undoable) pack() ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	err := json.NewEncoder(zip).Encode(e)
	err = errors.Join(err, zip.Close())
	return out.Bytes(), err
}

// read unpacks an entry. It takes no more than an entry can have, whoever made the file.
func read(dir *cachedir.Dir, name string) (*Undoable, error) {
	data, err := dir.Read(name, maxSize)
	if err != nil {
		return nil, err
	}
	unzip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	e := &Undoable{}
	err = json.NewDecoder(io.LimitReader(unzip, 2*maxSize)).Decode(e)
	return e, err
}
