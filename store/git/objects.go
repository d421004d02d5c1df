package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Objects reads files of a repository's history, all with one run of git.
type Objects struct{ *process }

// ErrTooLarge says that a file is larger than it may be.
var ErrTooLarge = errors.New("the file is too large")

// OpenObjects starts the reading in dir's repository. Close ends it, and so does the context.
func OpenObjects(ctx context.Context, dir string) (*Objects, error) {
	p, err := start(ctx, dir, "cat-file", "--batch")
	return &Objects{p}, err
}

// Read returns the bytes of an object that Log or Tree named. Errors: ErrTooLarge over most
// bytes, *Error where the clone does not have it.
func (o *Objects) Read(hash string, most int64) ([]byte, error) {
	found, _, data, err := o.read(hash, most)
	if err == nil && found == "" {
		err = &Error{said: "the clone lacks the object " + hash}
	}
	return data, err
}

// Find returns the object of a file in a commit, by its path from the directory, "" where there is
// no such file.
func (o *Objects) Find(commit, path string) (hash string, err error) {
	if strings.Contains(path, "\n") {
		return "", nil
	}
	hash, kind, _, err := o.read(commit+":./"+path, 0)
	if kind != "blob" {
		hash = ""
	}
	if errors.Is(err, ErrTooLarge) {
		err = nil
	}
	return hash, err
}

// read returns the name, the kind and the bytes of an object, "" for none.
func (o *Objects) read(name string, most int64) (hash, kind string, data []byte, err error) {
	_, failed := fmt.Fprintln(o.in, name)
	line, err := o.out.ReadString('\n')
	if failed != nil || err != nil {
		return "", "", nil, o.ended(errors.Join(failed, err))
	}
	fields := strings.Fields(line)
	if line == name+" missing\n" {
		return "", "", nil, nil
	}
	if len(fields) != 3 {
		return "", "", nil, errLog
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return "", "", nil, errLog
	}
	if size > most {
		if _, err = io.CopyN(io.Discard, o.out, size+1); err == nil {
			return fields[0], fields[1], nil, ErrTooLarge
		}
	} else {
		data = make([]byte, size+1) // with a line end
		_, err = io.ReadFull(o.out, data)
	}
	if err != nil {
		return "", "", nil, o.ended(err)
	}
	return fields[0], fields[1], data[:size], nil
}

// Close ends the reading.
func (o *Objects) Close() {
	_ = o.in.Close()
	_ = o.ended(nil) // it may be in the middle of an object
}

// A TreeEntry is one name in a tree. A link or a submodule is neither a file nor a folder.
type TreeEntry struct {
	Name   string
	File   bool
	Folder string // its tree, "" for what is none
}

// ReadTree returns the entries of a tree, none for a tree that the clone lacks, or that is over 32
// MiB: some 500,000 names.
func (o *Objects) ReadTree(tree string) (entries []TreeEntry, err error) {
	const most = 32 << 20 // bytes: some 500,000 names
	_, _, data, err := o.read(tree, most)
	if errors.Is(err, ErrTooLarge) {
		err = nil
	}
	for width := len(tree) / 2; ; { // of the names of objects, in bytes
		mode, rest, ok := bytes.Cut(data, []byte(" "))
		name, rest, named := bytes.Cut(rest, []byte{0})
		if !ok || !named || len(rest) < width {
			return entries, err
		}
		entry := TreeEntry{Name: string(name), File: isFile(string(mode))}
		if string(mode) == "40000" {
			entry.Folder = hex.EncodeToString(rest[:width])
		}
		entries, data = append(entries, entry), rest[width:]
	}
}
