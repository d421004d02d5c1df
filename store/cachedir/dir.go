// Package cachedir keeps the files that the program makes for itself, in folders
// that may come from a stranger: databases that can be rebuilt, and the locks and
// notes beside them.
//
// It knows nothing of documents, of SQL or of MCP. Its invariants: no file is
// opened, made, replaced or removed through a link; a database that has another
// program's header is not touched, nor is what lies beside it, and a [ForeignError]
// names it. Every other file is the program's own by its name, whatever a death or a
// power failure has left in it.
package cachedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// A Dir is an open folder of such files.
type Dir struct {
	path string
	root *os.Root
	perm func() fs.FileMode // called only where a file is made
}

// A ForeignError says that something stands where the program keeps a file of its
// own and was not made by the program. It is left as it is.
type ForeignError struct {
	Path   string // absolute, or relative to the workspace
	Reason string // completes "X …", such as "is a symbolic link"
}

func (e *ForeignError) Error() string { return e.Path + " " + e.Reason }

// Open opens the folder at path, and makes it and those above it where they are
// missing. perm is at most what others may do with it and with the files that are
// made in it; its owner may do all.
func Open(path string, perm fs.FileMode) (*Dir, error) {
	if err := os.MkdirAll(path, perm|0o700); err != nil {
		return nil, err
	}
	real, err := RealPath(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return &Dir{real, root, func() fs.FileMode { return perm }}, nil
}

// OpenIn is Open for the folder name below root, which is open and lies at path. No
// part of name is a symbolic link.
func OpenIn(root *os.Root, path, name string, perm func() fs.FileMode) (*Dir, error) {
	inner, err := root.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = root.MkdirAll(name, perm()|0o700); err == nil {
			inner, err = root.OpenRoot(name)
		}
	}
	if err != nil {
		return nil, err
	}
	return &Dir{filepath.Join(path, name), inner, perm}, nil
}

// Sub is Open for a folder in d. A link in its place is a *ForeignError.
func (d *Dir) Sub(name string) (*Dir, error) {
	if info, err := d.root.Lstat(name); err == nil && !info.IsDir() {
		return nil, &ForeignError{d.Join(name), "is " + kind(info.Mode()) + ", where this program keeps a folder"}
	}
	return OpenIn(d.root, d.path, name, d.perm)
}

// Close releases the folder.
func (d *Dir) Close() error { return d.root.Close() }

// Path is where the folder lies: absolute, with links resolved.
func (d *Dir) Path() string { return d.path }

// Join is the path of a file in d.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, name) }

// Restrict takes from others the rights to the folder that they are not to have.
func (d *Dir) Restrict() error { return d.restrict(".", d.perm()|0o700) }

func (d *Dir) restrict(name string, allowed fs.FileMode) error {
	info, err := d.root.Stat(name)
	if err != nil || info.Mode().Perm()&^allowed == 0 {
		return err
	}
	return d.root.Chmod(name, info.Mode().Perm()&allowed)
}

// IgnoreInGit has git ignore the folder and all that is in it, unless it has a
// .gitignore already.
func (d *Dir) IgnoreInGit() error {
	const name = ".gitignore"
	if _, err := d.root.Lstat(name); err == nil {
		return nil
	}
	f, err := d.Create(name)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// Names are the names in d that begin with prefix.
func (d *Dir) Names(prefix string) ([]string, error) {
	all, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range all {
		if strings.HasPrefix(entry.Name(), prefix) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// Stat describes the regular file at name. Anything else there is a *ForeignError,
// nothing fs.ErrNotExist.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	if err == nil {
		err = checkKind(d.Join(name), info)
	}
	return info, err
}

func checkKind(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &ForeignError{path, "is " + kind(info.Mode()) + ", where this program keeps a file"}
}

// Open opens the regular file at name for reading.
func (d *Dir) Open(name string) (*os.File, error) {
	if _, err := d.Stat(name); err != nil {
		return nil, err
	}
	return d.root.OpenFile(name, os.O_RDONLY|NoBlock, 0)
}

// Read returns what is in the regular file at name, at most the given bytes.
func (d *Dir) Read(name string, most int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(f, most))
}

// Create makes a new file; what is there already is fs.ErrExist.
func (d *Dir) Create(name string) (*os.File, error) {
	return d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, d.filePerm())
}

// Append opens the regular file at name, or a new one, to be written at its end.
func (d *Dir) Append(name string) (*os.File, error) {
	_, err := d.Stat(name)
	flags, perm := os.O_WRONLY|os.O_APPEND|NoFollow|NoBlock, fs.FileMode(0)
	if errors.Is(err, fs.ErrNotExist) {
		flags, perm, err = flags|os.O_CREATE, d.filePerm(), nil
	}
	if err != nil {
		return nil, err
	}
	return d.root.OpenFile(name, flags, perm)
}

// Touch makes an empty file unless there is a file already, which must be
// writable.
func (d *Dir) Touch(name string) error {
	f, err := d.Append(name)
	if err != nil {
		return err
	}
	return f.Close()
}

func (d *Dir) filePerm() fs.FileMode { return d.perm()&0o666 | 0o600 }

// CreateUnique makes a new file whose name is prefix and a random number.
func (d *Dir) CreateUnique(prefix string) (*os.File, string, error) {
	for {
		name := fmt.Sprintf("%s%08x", prefix, rand.Uint32())
		f, err := d.Create(name)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
}

// Replace puts data into the file at name, all of it or nothing.
func (d *Dir) Replace(name string, data []byte) error { return d.replace(name, data, false) }

// ReplaceDurably is Replace of a file that keeps its permissions and outlives a power failure.
func (d *Dir) ReplaceDurably(name string, data []byte) error { return d.replace(name, data, true) }

func (d *Dir) replace(name string, data []byte, durably bool) error {
	info, missing := d.Stat(name)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return missing
	}
	temporary := TemporaryName()
	f, err := d.Create(temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if durably && missing == nil {
		err = errors.Join(err, f.Chmod(info.Mode().Perm()))
	}
	if durably {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, d.Discard(temporary))
	}
	return nil
}

// Discard deletes a file that is known to be the program's own, if it is there.
func (d *Dir) Discard(name string) error {
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Rename gives a file of the program's another name, in place of what has it.
func (d *Dir) Rename(from, to string) error { return d.root.Rename(from, to) }

// headSize is how much of a file tells whose it is, in bytes: all of SQLite's header.
const headSize = 512

// Check is nil for a file that is missing, empty, or one of ours, as its first bytes
// tell. Any other is a *ForeignError.
func (d *Dir) Check(name string, ours func(head []byte) bool) error {
	head, err := d.Read(name, headSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(head) > 0 && !ours(head):
		return &ForeignError{d.Join(name), "was not made by this program, which leaves it alone"}
	}
	return nil
}

// kind says what a file is that is not a regular one.
func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a folder"
	case mode.IsRegular():
		return "a file"
	}
	return "a special file"
}

// Lock returns the lock on the file at name, which is made when the lock is first
// taken. A link in its place is an error then.
func (d *Dir) Lock(name string) *flock.Flock {
	flags := flock.SetFlag(os.O_RDONLY | os.O_CREATE | NoFollow | NoBlock)
	var perm fs.FileMode
	if info, err := d.Stat(name); err == nil {
		perm = info.Mode().Perm() // without a look at the documents' rights
	} else {
		perm = d.filePerm()
	}
	return flock.New(d.Join(name), flags, flock.SetPermissions(perm))
}

// Temporary files are hidden, so that no walk takes them for documents, and never
// end in .md. No two writers choose the same name.
const (
	temporaryPrefix = ".issues-index-"
	temporarySuffix = ".tmp"
)

// TemporaryName is a new name for a file that will be renamed.
func TemporaryName() string {
	return fmt.Sprintf("%s%016x%s", temporaryPrefix, rand.Uint64(), temporarySuffix)
}

// IsTemporary reports whether a name is one of TemporaryName: a writer who died has
// left it behind.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix)
}
