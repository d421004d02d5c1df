package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Objects reads files of a repository's history, all with one run of git.
type Objects struct {
	git  *process
	stop func()
	in   io.WriteCloser
	out  *bufio.Reader
}

// ErrTooLarge says that a file is larger than it may be.
var ErrTooLarge = errors.New("the file is too large")

// Objects starts the reading. Close ends it, and so does the context.
func (r *Repository) Objects(ctx context.Context) (*Objects, error) {
	p, stop, err := prepare(ctx, MaxTime, r.dir, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	o := &Objects{git: p, stop: stop}
	out, err := p.StdoutPipe()
	if err == nil {
		o.in, err = p.StdinPipe()
	}
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		stop()
		return nil, p.failure(err)
	}
	o.out = bufio.NewReaderSize(out, 64<<10)
	return o, nil
}

// Read returns the bytes of an object that Log or Tree named. Errors: ErrTooLarge over most
// bytes, *Error where the clone does not have it.
func (o *Objects) Read(hash string, most int64) ([]byte, error) {
	if strings.Trim(hash, "0123456789abcdef") != "" || hash == "" {
		return nil, &Error{said: "no object is named " + strconv.Quote(hash)}
	}
	found, data, err := o.read(hash, most)
	if err == nil && found == "" {
		err = &Error{said: "the clone lacks the object " + hash}
	}
	return data, err
}

// ReadAt returns the object of a file in a commit, "" where there is no such file, and its bytes.
// Errors: ErrTooLarge over most bytes.
func (o *Objects) ReadAt(commit, path string, most int64) (hash string, data []byte, err error) {
	if strings.Contains(path, "\n") {
		return "", nil, nil
	}
	return o.read(commit+":./"+path, most)
}

// read returns what an object is, "" for none and for a folder.
func (o *Objects) read(name string, most int64) (hash string, data []byte, err error) {
	_, failed := fmt.Fprintln(o.in, name)
	line, err := o.out.ReadString('\n')
	if failed != nil || err != nil {
		return "", nil, o.ended(errors.Join(failed, err))
	}
	if line == name+" missing\n" {
		return "", nil, nil
	}
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return "", nil, errLog
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return "", nil, errLog
	}
	if size > most {
		_, err = io.CopyN(io.Discard, o.out, size+1)
		return fields[0], nil, o.ended(errors.Join(err, ErrTooLarge))
	}
	data = make([]byte, size+1) // with a line end
	if _, err = io.ReadFull(o.out, data); err != nil {
		return "", nil, o.ended(err)
	}
	if fields[1] == "tree" {
		return "", nil, nil
	}
	return fields[0], data[:size], nil
}

// ended words an error after which git may have ended.
func (o *Objects) ended(err error) error {
	switch {
	case o.git.ctx.Err() != nil:
		return fmt.Errorf("run git: %w", o.git.ctx.Err())
	case errors.Is(err, ErrTooLarge):
		return ErrTooLarge
	case o.git.stderr.line() != "":
		return &Error{said: o.git.stderr.line()}
	}
	return fmt.Errorf("read from git: %w", err)
}

// Close ends the reading.
func (o *Objects) Close() {
	_ = o.in.Close()
	o.stop() // it may be in the middle of an object
	_ = o.git.Wait()
}
