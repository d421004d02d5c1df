package undo

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/gofrs/flock"

	"issues-index/store"
	"issues-index/store/cachedir"
)

// A Recording writes down what one command, form or call changes, as one entry of the journal. It
// begins with the first change, so what changes nothing opens no file. The journal is not made
// durable, which would double the time of a change: a death of the program loses nothing of it,
// a power failure may.
type Recording struct {
	ID string // of the entry, "" before the first change
	head

	dir   *cachedir.Dir
	lock  *flock.Flock // shared, as long as the recording runs
	file  *os.File
	first []byte // the line to write before the next one
	size  int
	err   error // why the journal has not all changes
}

// A head says who made the changes of an entry, by which command, form or tool, and when.
type head struct {
	At      time.Time `json:"at"`
	By      string    `json:"by"` // a holder of claims
	Command string    `json:"command"`
}

// Record returns a context in which mutations of documents are written down before they are made.
// The caller ends the recording.
func Record(ctx context.Context, by, command string) (context.Context, *Recording) {
	r := &Recording{head: head{By: by, Command: command}}
	return store.Recorded(ctx, r.change), r
}

// change writes down a change that is made next, under the lock of the documents. A change that
// cannot be written down is made all the same.
func (r *Recording) change(ws *store.Workspace, c store.DocumentChange) (dropped func() error) {
	if r.file == nil && r.err == nil {
		r.err = r.begin(ws)
	}
	r.write(kindChanged, newChange(c))
	return func() error {
		r.write(kindDropped, nil)
		return nil
	}
}

// begin opens the journal. It has the lock of the documents, as who takes an entry back has, so that
// it never waits.
func (r *Recording) begin(ws *store.Workspace) (err error) {
	r.ID, r.At = rand.Text(), ws.Now()
	if r.dir, err = ws.OpenOwnCache(); err != nil {
		return err
	}
	r.lock = r.dir.Lock(lockName)
	info, err := r.dir.Stat(journal)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > maxSegment {
		rotate(r.dir, r.lock)
	}
	if _, err = r.lock.TryRLock(); err != nil {
		return store.WrapDiskError("lock", path.Join(store.CacheDir, lockName), err)
	}
	r.file, err = r.dir.Append(journal)
	r.first = newLine(r.ID, kindBegun, r.head)
	return err
}

// write appends a line, unless the entry is too large already or lacks a line.
func (r *Recording) write(kind string, value any) {
	if r.err != nil {
		return
	}
	data := newLine(r.ID, kind, value)
	if r.size += len(data); r.size > maxEntry {
		data, r.err = newLine(r.ID, kindTooLarge, nil), ErrTooLarge
	}
	if _, err := r.file.Write(append(r.first, data...)); err != nil {
		r.err = err
	}
	r.first = nil
}

// End ends the entry. The error says why it cannot be taken back.
func (r *Recording) End() error {
	if r.file != nil {
		r.write(kindEnded, nil)
	}
	return errors.Join(r.err, r.close())
}

// close ends the writing of an entry.
func (r *Recording) close() (err error) {
	if r.file != nil {
		err = r.file.Close()
	}
	if r.dir != nil {
		err = errors.Join(err, r.lock.Unlock(), r.dir.Close())
	}
	r.dir, r.file = nil, nil
	return err
}
