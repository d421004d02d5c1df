package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"issues-index/store/cachedir"
	"issues-index/store/frontmatter"
)

// MaxFileSize is the most bytes of a file that are read; a larger file is listed by name and size.
const MaxFileSize = frontmatter.MaxFileSize

// ErrTooLarge says that a file is larger than MaxFileSize.
var ErrTooLarge = errors.New("file is larger than 16 MiB")

// Read returns the bytes of the regular file at p and the description of
// exactly what was read. A file over MaxFileSize gives its description and
// ErrTooLarge; a file that another program holds (IsHeld) one without Ctime and Inode. Whatever is
// no regular file is fs.ErrNotExist.
func (w *Workspace) Read(p string) ([]byte, Stat, error) {
	clean, err := CleanPath(p)
	if err != nil {
		return nil, Stat{}, err
	}
	f, link, err := w.OpenFile(clean)
	if IsHeld(err) {
		st, _ := w.Stat(clean)
		st.Ctime, st.Inode = 0, 0 // as of no file that was read: its times stay when it is let go
		return nil, st, err
	}
	if err != nil {
		return nil, Stat{}, err
	}
	defer closeQuietly(f)
	info, err := f.Stat()
	if err != nil {
		return nil, Stat{}, at("read", clean, err)
	}
	if !info.Mode().IsRegular() {
		return nil, Stat{}, at("read", clean, ErrIrregular)
	}
	st := statOpen(f, info)
	st.Symlink = link
	if st.Size > MaxFileSize {
		return nil, st, ErrTooLarge
	}
	var data bytes.Buffer
	data.Grow(int(st.Size) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(f, MaxFileSize+1)); err != nil {
		return nil, st, err
	}
	if data.Len() > MaxFileSize { // by now
		return nil, st, ErrTooLarge
	}
	return data.Bytes(), st, nil
}

// OpenFile opens the file at p, and says whether p is a symbolic link. It looks
// before it opens, since opening alone has effects on some devices, and does
// not wait, since a FIFO may have taken the file's place after the look.
func (w *Workspace) OpenFile(p string) (f *os.File, link bool, err error) {
	if f = w.openPlain(p); f != nil {
		return f, false, nil
	}
	dir, name, _, link, err := w.locate(p)
	if err != nil {
		return nil, false, err
	}
	defer closeQuietly(dir)
	err = patiently(func() (err error) {
		f, err = dir.OpenFile(name, os.O_RDONLY|cachedir.NoBlock, 0)
		return err
	})
	if err != nil {
		return nil, link, at("read", p, err)
	}
	return f, link, nil
}

// Load reads and parses one document. A path that is no document's is a
// *PathError, a file that is not there fs.ErrNotExist; what is wrong inside the
// file is among the document's problems.
func (w *Workspace) Load(p string) (*Document, Stat, error) {
	f, data, err := w.readDocument(p, w.Read)
	if f.Path == "" {
		return nil, Stat{}, err
	}
	return w.Parse(f, data, err), f.Stat, nil
}

// readDocument reads the file of the document at p. Its Path is empty where there is no
// such document; with a Path, the error is that of reading it.
func (w *Workspace) readDocument(p string, read func(p string) ([]byte, Stat, error)) (File, []byte, error) {
	clean, err := CleanPath(p)
	if err != nil {
		return File{}, nil, err
	}
	c, ok := w.CollectionOf(clean)
	if !ok {
		return File{}, nil, &PathError{p, reasonNoDocument}
	}
	data, st, err := read(clean)
	var outside *PathError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &outside) {
		return File{}, nil, err
	}
	return File{Path: clean, Collection: &c, Stat: st}, data, err
}

const reasonNoDocument = "is no document of this workspace"
