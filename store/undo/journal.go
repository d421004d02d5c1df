package undo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/gofrs/flock"

	"issues-index/store"
	"issues-index/store/cachedir"
)

const (
	journalSuffix = ".journal"
	// maxJournal is how many bytes a journal may have: the texts of an entry in base64, and the
	// paths and hashes beside them.
	maxJournal = 2 * maxSize
)

// ErrUndoing says that a change is being taken back, so that a command must not begin to
// change documents.
var ErrUndoing = errors.New("another program is taking a change back in this workspace: repeat the command")

// A journal is the file in which a running command writes down each change before it makes it: a
// line with the command, and one for each change. It is not made durable, which would double the
// time of a command: a death of the program loses nothing of it, a power failure may.
type journal struct {
	number int // of the entry
	dir    *cachedir.Dir
	lock   *flock.Flock // shared, as long as the command runs
	file   *os.File
	size   int64
	full   bool
	err    error // why it has not all changes; then it is empty, or was never made
}

// A journalLine is one change, or says that the others were too large to be kept.
type journalLine struct {
	store.DocumentChange
	TooLarge bool `json:"tooLarge,omitempty"`
}

// Changing writes down a change that is made next, for [store.Options]: if the program dies
// before Keep, TakeBack takes back what was changed until then. A journal that cannot be written
// keeps nobody from a change. The only error is ErrUndoing.
func (e *Undoable) Changing(ws *store.Workspace, c store.DocumentChange) (dropped func() error, err error) {
	if e.journal == nil {
		e.At = ws.Now()
		j, err := begin(ws, e, (*flock.Flock).TryRLock)
		if errors.Is(err, ErrUndoing) {
			return nil, err
		}
		e.journal = j
	}
	j := e.journal
	before := j.size
	j.write(journalLine{DocumentChange: c})
	return func() error {
		j.cut(before)
		return nil
	}, nil
}

// begin makes the journal of the entry that becomes the last one. take takes its lock. It must
// not wait while the documents are locked: who takes a change back has this lock, and waits for
// the documents.
func begin(ws *store.Workspace, e *Undoable, take func(*flock.Flock) (bool, error)) (*journal, error) {
	j := &journal{}
	j.err = j.open(ws, e, take)
	return j, j.err
}

func (j *journal) open(ws *store.Workspace, e *Undoable, take func(*flock.Flock) (bool, error)) (err error) {
	if j.dir, err = openCache(ws); err != nil {
		return err
	}
	j.lock = j.dir.Lock(lockName)
	taken, err := take(j.lock)
	switch {
	case err != nil:
		return fmt.Errorf("lock %s: %w", j.dir.Join(lockName), err)
	case !taken:
		return errors.Join(ErrUndoing, j.close())
	}
	names, err := entries(j.dir)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		j.number = number(names[len(names)-1])
	}
	for j.file == nil {
		j.number++
		if j.file, err = j.dir.Create(journalName(j.number)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	j.write(Undoable{At: e.At, Command: e.Command})
	return j.err
}

// close ends the journal, whose file stays. What it holds may be missing.
func (j *journal) close() (err error) {
	if j.file != nil {
		err = j.file.Close()
	}
	if j.lock != nil {
		err = errors.Join(err, j.lock.Unlock())
	}
	if j.dir != nil {
		err = errors.Join(err, j.dir.Close())
	}
	j.file, j.lock, j.dir = nil, nil, nil
	return err
}

func (j *journal) write(line any) {
	if j.err != nil || j.full {
		return
	}
	data, err := json.Marshal(line)
	if j.full = j.size+int64(len(data)) > maxJournal; j.full && err == nil {
		data, err = json.Marshal(journalLine{TooLarge: true})
	}
	if err == nil {
		_, err = j.file.WriteAt(append(data, '\n'), j.size)
		j.size += int64(len(data)) + 1
	}
	j.failed(err)
}

// cut takes back what was written after the first size bytes.
func (j *journal) cut(size int64) {
	if j.err == nil && !j.full {
		j.size = size
		j.failed(j.file.Truncate(size))
	}
}

// failed empties a journal that has not all changes, so that it does not pass for one that has.
func (j *journal) failed(err error) {
	if err != nil {
		j.err = errors.Join(err, j.file.Truncate(0))
	}
}

// settle makes an entry of a journal whose command has died, or nothing if that had changed
// nothing. No other command has changed documents since, and the lock is held alone.
func settle(ws *store.Workspace, dir *cachedir.Dir, name string) error {
	entry := entryName(number(name))
	if _, err := dir.Stat(entry); err == nil { // it died in Keep
		return dir.Discard(name)
	}
	e, err := readJournal(dir, name)
	if err != nil {
		return dir.Rename(name, entry) // it is damaged as an entry, too
	}
	e.Changes = slices.DeleteFunc(e.Changes, func(c store.DocumentChange) bool { return !made(ws, c) })
	switch {
	case !e.Empty():
		data, err := e.pack()
		if err == nil {
			err = dir.Replace(entry, data)
		}
		if err != nil {
			return err
		}
	case e.Torn:
		return dir.Rename(name, entry)
	}
	return dir.Discard(name)
}

// lastEntry is the name of the last entry, "" for none.
func lastEntry(ws *store.Workspace, dir *cachedir.Dir) (string, error) {
	for {
		names, err := entries(dir)
		if err != nil || len(names) == 0 {
			return "", err
		}
		last := names[len(names)-1]
		if last == entryName(number(last)) {
			return last, nil
		}
		if err := settle(ws, dir, last); err != nil {
			return "", err
		}
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

// readJournal reads as much of a journal as can be read.
func readJournal(dir *cachedir.Dir, name string) (*Undoable, error) {
	file, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	lines := json.NewDecoder(io.LimitReader(file, maxJournal+maxSize))
	e := &Undoable{}
	if err := lines.Decode(e); err != nil {
		return nil, err
	}
	e.Unfinished = true
	for {
		var line journalLine
		if err := lines.Decode(&line); err != nil {
			e.Torn = !errors.Is(err, io.EOF)
			return e, nil
		}
		if line.TooLarge {
			e.Changes, e.TooLarge = nil, true
		} else {
			e.Add(line.DocumentChange)
		}
	}
}
