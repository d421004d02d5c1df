// Package undo keeps what the last commands and forms of pages have changed in the documents of a
// workspace, so that it can be taken back. Changes of agents are not kept.
//
// It knows nothing about the index or the command line. Its invariants: the entries are files of
// the workspace's cache, which can be deleted at any time, and bounded in number and size; a
// command's change is written down before it is made, a form's right after; an entry is taken back
// as a whole or refused; the changes of an entry are each of another document; a command that has
// changed something has an entry, also a command that has died.
package undo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	maxSize    = 128 << 20 // bytes of all entries, and of one: the texts in base64, paths and hashes
	prefix     = "undo-"
	suffix     = ".undo" // not one of those that older versions read
	lockName   = "undo.lock"
	lockWait   = 10 * time.Second
	lockRetry  = 10 * time.Millisecond
)

// An Undoable is what one command has changed. Its entry is a file with a line of JSON for the
// command, a line for each change, and a line that says that the command has ended. It is not made
// durable, which would double the time of a command: a death of the program loses nothing of it,
// a power failure may.
type Undoable struct {
	At      time.Time `json:"at"`
	Command string    `json:"command"`

	// The others are those of an entry that was read.

	Changes []store.DocumentChange `json:"-"`
	// TooLarge is set when the changes were not kept.
	TooLarge bool `json:"-"`
	// Unfinished is set when the command died. Changes are those that it had made.
	Unfinished bool `json:"-"`
	// Torn is set when the end of what such a command wrote down cannot be read, as after a
	// power failure: it may have changed more.
	Torn bool `json:"-"`

	damaged bool // it cannot be read
	dir     *cachedir.Dir
	lock    *flock.Flock // shared, as long as the command runs
	file    *os.File
	size    int64
	head    int64 // where the first line ends
	err     error // why the file has not all changes; then it is empty, or was never made
}

// A line is one change, or says that the command has ended or that its changes were too large to
// be kept.
type line struct {
	store.DocumentChange
	TooLarge bool `json:"tooLarge,omitempty"`
	Ended    bool `json:"ended,omitempty"`
}

// ErrNothing says that there is no change to take back.
var ErrNothing = errors.New("no change to take back")

// ErrTooLarge says that the last change was too large to be kept.
var ErrTooLarge = errors.New("the last change was too large to be kept")

// ErrDamaged says that what was kept of the last change cannot be read.
var ErrDamaged = errors.New("what was kept of the last change is damaged, or of another version of this program")

// ErrRunning says that a command which has changed documents has not ended.
var ErrRunning = errors.New("a command is still changing documents in this workspace")

// ErrUndoing says that a change is being taken back, so that a command must not begin to
// change documents.
var ErrUndoing = errors.New("another program is taking a change back in this workspace: repeat the command")

// Changing writes down a change that is made next, for [store.Options]; a page calls it after its
// change. If the program dies
// before Keep, TakeBack takes back what was changed until then. An entry that cannot be written
// hinders no change. The only error is ErrUndoing.
func (e *Undoable) Changing(ws *store.Workspace, c store.DocumentChange) (dropped func() error, err error) {
	if e.dir == nil && e.err == nil {
		err := e.begin(ws)
		if errors.Is(err, ErrUndoing) {
			return nil, err
		}
		e.err = err
	}
	before := e.size
	e.write(line{DocumentChange: c})
	return func() error {
		if e.err == nil && !e.TooLarge {
			e.size = before
			e.failed(e.file.Truncate(before))
		}
		return nil
	}, nil
}

// begin makes the entry that becomes the last one. It must not wait for the lock while the
// documents are locked: a program that takes a change back has it, and waits for the documents.
func (e *Undoable) begin(ws *store.Workspace) (err error) {
	e.At = cmp.Or(e.At, ws.Now())
	if e.dir, err = ws.OpenOwnCache(); err != nil {
		return err
	}
	e.lock = e.dir.Lock(lockName)
	switch taken, err := e.lock.TryRLock(); {
	case err != nil:
		return fmt.Errorf("lock %s: %w", e.dir.Join(lockName), err)
	case !taken:
		return errors.Join(ErrUndoing, e.close())
	}
	names, err := entries(e.dir)
	if err != nil {
		return err
	}
	next := 0
	if len(names) > 0 {
		next = number(names[len(names)-1])
	}
	for e.file == nil {
		next++
		e.file, err = e.dir.Create(fmt.Sprintf("%s%010d%s", prefix, next, suffix))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	e.write(e)
	e.head = e.size
	return e.err
}

func (e *Undoable) write(line any) {
	if e.err != nil || e.TooLarge {
		return
	}
	data, err := json.Marshal(line)
	if e.TooLarge = e.size+int64(len(data)) > maxSize; e.TooLarge && err == nil {
		data, e.size = []byte(`{"tooLarge":true}`), e.head
		err = e.file.Truncate(e.size)
	}
	if err == nil {
		_, err = e.file.WriteAt(append(data, '\n'), e.size)
		e.size += int64(len(data)) + 1
	}
	e.failed(err)
}

// failed empties an entry that has not all changes, so that it does not pass for a whole entry.
func (e *Undoable) failed(err error) {
	if err != nil {
		e.err = errors.Join(err, e.file.Truncate(0))
	}
}

// close ends the writing of an entry, whose file stays.
func (e *Undoable) close() error {
	var err error
	if e.file != nil {
		err = e.file.Close()
	}
	err = errors.Join(err, e.lock.Unlock(), e.dir.Close())
	e.dir, e.file = nil, nil
	return err
}

// Keep ends the entry that Changing has begun, and forgets the oldest: 20 entries (maxEntries) and
// 128 MiB (maxSize) stay at most. The error says why the entry may not be usable.
func (e *Undoable) Keep() error {
	if e.dir == nil {
		return e.err
	}
	e.write(line{Ended: true})
	return errors.Join(e.err, forget(e.dir), e.close())
}

// forget removes the oldest entries.
func forget(dir *cachedir.Dir) error {
	names, err := entries(dir)
	if err != nil {
		return err
	}
	kept, size := 0, int64(0)
	for _, name := range slices.Backward(names) {
		info, err := dir.Stat(name)
		if err != nil { // another command has forgotten it
			continue
		}
		size += info.Size()
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

// Skip forgets the last entry once seen has returned nil for it, also an entry that was too
// large to be kept or is damaged. Its errors are ErrNothing, ErrRunning and those of seen.
func Skip(ctx context.Context, ws *store.Workspace, seen func(*Undoable) error) (err error) {
	dir, err := ws.OpenOwnCache()
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
	names, err := entries(dir)
	if err != nil {
		return err
	}
	for _, name := range slices.Backward(names) {
		e, err := read(ws, dir, name)
		if err != nil {
			return err
		}
		if !e.damaged && !e.TooLarge && len(e.Changes) == 0 { // the command has changed nothing
			continue
		}
		if err := seen(e); err != nil {
			return err
		}
		return dir.Discard(name)
	}
	return ErrNothing
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

// List returns what can be taken back one after the other, the last change first. A command that still
// runs may be among them.
func List(ws *store.Workspace) (all []*Undoable, err error) {
	dir, err := ws.OpenOwnCache()
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // it was only read
	names, err := entries(dir)
	for _, name := range slices.Backward(names) {
		if e, err := read(ws, dir, name); err == nil && (len(e.Changes) > 0 || e.TooLarge || e.damaged) {
			all = append(all, e)
		}
	}
	return all, err
}

// entries are the names of the entries, also of those of older versions, the oldest first.
func entries(dir *cachedir.Dir) ([]string, error) {
	names, err := dir.Names(prefix)
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return slices.DeleteFunc(names, func(name string) bool { return number(name) == 0 }), err
}

// number is the place of an entry among all, 0 for the name of another file.
func number(name string) int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), ".")
	n, _ := strconv.Atoi(digits)
	return max(0, n)
}

// read reads as much of an entry as can be read, and no more than one can have, whatever made the
// file. No command writes one now.
func read(ws *store.Workspace, dir *cachedir.Dir, name string) (*Undoable, error) {
	file, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	lines := json.NewDecoder(io.LimitReader(file, 2*maxSize))
	e := &Undoable{}
	if !strings.HasSuffix(name, suffix) || lines.Decode(e) != nil {
		return &Undoable{At: info.ModTime(), Command: "a damaged change", damaged: true}, nil
	}
	for {
		var l line
		switch err := lines.Decode(&l); {
		case err != nil:
			e.Unfinished, e.Torn = true, !errors.Is(err, io.EOF)
			e.Changes = slices.DeleteFunc(e.Changes, func(c store.DocumentChange) bool { return !made(ws, c) })
			e.damaged = e.Torn && len(e.Changes) == 0
			return e, nil
		case l.TooLarge:
			e.Changes, e.TooLarge = nil, true
			return e, nil
		case l.Ended:
			return e, nil
		}
		e.add(l.DocumentChange)
	}
}

// add notes a change. Several of one document become one.
func (e *Undoable) add(c store.DocumentChange) {
	i := slices.IndexFunc(e.Changes, func(earlier store.DocumentChange) bool {
		return earlier.Path != "" && earlier.Path == c.OldPath
	})
	if i < 0 {
		e.Changes = append(e.Changes, c)
		return
	}
	both, ok := e.Changes[i].Then(c)
	if e.Changes[i] = both; !ok {
		e.Changes = slices.Delete(e.Changes, i, i+1)
	}
}

// made reports whether a change was made: the command may have died right before it.
func made(ws *store.Workspace, c store.DocumentChange) bool {
	data, _, err := ws.Read(cmp.Or(c.OldPath, c.Path))
	if c.OldPath == "" {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return err != nil || store.HashOf(data) != store.HashOf(c.Was)
}
