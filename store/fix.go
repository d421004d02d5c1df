package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"strings"
)

// A Fix is one exact change of one document, as somebody has seen and agreed to
// it: a move, other bytes in one place of the file, or both. It is made for the
// file as it was then, and for no other.
type Fix struct {
	From string
	To   string // From again when the file stays where it is, "" when it is deleted
	// Was and Is are the hashes (HashOf) of the whole file before and after.
	Was string
	Is  string
	// At is where in the file, in bytes, New takes the place of Old.
	At  int
	Old string
	New string
}

// HashOf is the SHA-256 of a file's bytes, in hexadecimal digits.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// NewFix describes the change from the bytes at from to those at to. Old and
// New are whole lines, as few as there can be in one place.
func NewFix(from, to string, was, is []byte) Fix {
	f := Fix{From: from, To: to, Was: HashOf(was), Is: HashOf(is)}
	if bytes.Equal(was, is) {
		return f
	}
	first := 0
	for first < min(len(was), len(is)) && was[first] == is[first] {
		first++
	}
	first = bytes.LastIndexByte(was[:first], '\n') + 1
	last := 0
	for last < min(len(was), len(is))-first && was[len(was)-1-last] == is[len(is)-1-last] {
		last++
	}
	if !endsLine(was, first, last) || !endsLine(is, first, last) {
		_, rest, _ := bytes.Cut(was[len(was)-last:], []byte("\n"))
		last = len(rest)
	}
	f.At, f.Old, f.New = first, string(was[first:len(was)-last]), string(is[first:len(is)-last])
	return f
}

// endsLine reports whether what follows the first bytes and ends with the last
// ends where a line does.
func endsLine(data []byte, first, last int) bool {
	end := len(data) - last
	return end == first || end == len(data) || data[end-1] == '\n'
}

// Moves reports whether the file gets another path.
func (f Fix) Moves() bool { return f.From != f.To && f.To != "" }

// Deletes reports whether the file goes.
func (f Fix) Deletes() bool { return f.To == "" }

// Edits reports whether the file gets other bytes.
func (f Fix) Edits() bool { return f.Old != f.New }

// Fix makes an exact change. A file with other bytes than the change was made
// for, and one in the way of a move, is a *ConflictError; one that is not there
// is fs.ErrNotExist; a refusal of the file system is a *DiskError. A file that
// only moves keeps its times.
func (w *Workspace) Fix(ctx context.Context, f Fix) error {
	return w.Mutate(ctx, func(m *Mutation) error { return m.fix(f) })
}

// reasonChanged refuses a document that is another one by now.
const reasonChanged = "is not as it was when the change was chosen"

func (m *Mutation) fix(f Fix) error {
	l, err := m.load(f.From)
	if err != nil {
		return err
	}
	from := l.Path
	to, err := CleanPath(f.To)
	if err != nil {
		return err
	}
	if _, ok := m.w.CollectionOf(to); !ok {
		return &PathError{f.To, reasonNoDocument}
	}
	changed, ok := f.apply(l.data)
	if !ok {
		return &ConflictError{from, reasonChanged}
	}
	if err := m.changing(DocumentChange{OldPath: from, Path: to, Was: l.data, Is: f.Is}); err != nil {
		return err
	}
	switch {
	case f.Edits():
		err = m.write(l, to, changed)
	case from != to:
		err = m.relocate(from, to)
	}
	if errors.Is(err, errConcurrentEdit) {
		return &ConflictError{from, reasonChanged}
	}
	if err != nil {
		return err
	}
	_, err = m.readBack(to, changed)
	return err
}

// apply changes the bytes; ok is false when they are not those of the fix.
func (f Fix) apply(data []byte) (changed []byte, ok bool) {
	if HashOf(data) != f.Was || f.At < 0 || f.At > len(data) || !strings.HasPrefix(string(data[f.At:]), f.Old) {
		return nil, false
	}
	changed = append(changed, data[:f.At]...)
	changed = append(changed, f.New...)
	changed = append(changed, data[f.At+len(f.Old):]...)
	return changed, HashOf(changed) == f.Is
}

// relocate moves a document and leaves its file as it is.
func (m *Mutation) relocate(from, to string) error {
	at, err := m.placeOf(from)
	if err != nil {
		return err
	}
	dir, err := m.makeParent(to)
	if err != nil {
		return err
	}
	if err := m.moveTo(at, path.Join(dir, path.Base(to)), from, to); err != nil {
		return err
	}
	m.done()
	return m.settle(to, dir, path.Dir(at.entry))
}

// ArchivePath is where the collection keeps a finished document of p's name.
func (c Collection) ArchivePath(p string) string { return c.home(path.Base(p), true) }
