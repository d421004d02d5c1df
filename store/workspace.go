// Package store reads and writes the documents of a workspace: Markdown files with YAML
// frontmatter. It finds the workspace, walks its collections, and reads, creates, changes,
// moves and deletes single files. Document, in document.go, is the central type. Package
// store/frontmatter, which store imports, parses and edits a document's text.
//
// It knows nothing about sessions, SQL, the index or MCP.
//
// Invariants:
//   - A document's identity is its path, slash-separated and relative to the root.
//   - Every file is opened through one os.Root, so nothing outside of the workspace is
//     opened. Only the names and ids of documents in other git worktrees are read there.
//   - Parsing never fails: any bytes give a Document, whose Body is a suffix of the file, and
//     what is wrong with it is a Problem.
//   - A mutation is decided on the file's bytes under the write lock and changes only what it was
//     asked to change and the times of the change. Wherever it stops, one readable document is
//     left. It never overwrites a file that it has not read.
//   - A reported write is durable.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"issues-index/store/cachedir"
	"issues-index/store/follow"
	"issues-index/store/git"
	"issues-index/store/layout"
	"issues-index/store/mirror"
)

// Options says where to look for a workspace.
type Options struct {
	// Root is the workspace root as the user gave it, "" to find it.
	Root string
	// Getenv and Getwd default to package os's.
	Getenv func(string) string
	Getwd  func() (string, error)
	// Now is the clock of what is written; it defaults to time.Now.
	Now func() time.Time
	// OnlyWorkspace opens of a mirror the branches of one workspace, as if there were no others;
	// "" opens all.
	OnlyWorkspace string
	// Waiting is called before a change waits for other writers, and what it returns
	// afterwards; it may be nil.
	Waiting func() (waited func())
}

// A Workspace is a directory with collections of documents. Its methods may be
// called from several goroutines at once.
type Workspace struct {
	// Root is the absolute path of the workspace, symbolic links resolved.
	Root        string
	Collections []Collection
	// Layout is how the documents are laid out. It is never changed.
	Layout *layout.Layout

	// path leads to the root as it was given or found: symbolic links in it are
	// followed again when the workspace is opened again.
	path    string
	options Options
	opened  fs.FileInfo // of the folder that is open

	mirror        mirrored
	root          *os.Root
	dir           *os.File // the same folder, for calls of the system
	settings      string   // the file that says how documents are laid out: layout.File or mirror.Marker
	layoutFile    *follow.Follower
	refusedLayout atomic.Pointer[error] // see RefusedLayout

	disk disk
	now  func() time.Time
	turn chan struct{} // held by the goroutine of this process that writes
	ids  *idAllocator

	commits commitFollower
}

// A Collection is a folder with documents of one type. The first collection of a type is the
// home of its new documents.
type Collection struct {
	Type string
	Dir  string // slash-separated, relative to the root; "." is the root itself
	// Branch is whose documents these are in a mirror, zero elsewhere.
	Branch mirror.Branch `json:",omitzero"`

	layout  *layout.Layout // of the branch
	archive string         // the folder that finished documents move to; "" for none
	further bool           // there is another one of its type before it
}

// A RootError says why a directory cannot be opened as a workspace.
type RootError struct {
	Dir string
	Err error
}

func (e *RootError) Error() string { return fmt.Sprintf("open workspace: %s: %s", e.Dir, e.Err) }
func (e *RootError) Unwrap() error { return e.Err }

// rootError is without the name of the system call that failed.
func rootError(dir string, err error) *RootError { return &RootError{dir, bare(err)} }

// withDefaults fills in what the options leave open.
func (o Options) withDefaults() Options {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Getwd == nil {
		o.Getwd = os.Getwd
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Find returns the root that Open would open, for callers that want none of its documents.
// Errors are Open's.
func Find(o Options) (root string, err error) {
	_, root, _, err = o.withDefaults().find()
	return root, err
}

// find returns the path of the root as it was given or found, the root itself, and the
// folder in it that the collections are relative to.
func (o Options) find() (given, root, base string, err error) {
	named := cmp.Or(o.Root, o.Getenv(RootVariable))
	if given, err = o.absolute(named); err != nil {
		return "", "", "", err
	}
	if named == "" {
		given, err = RootOf(given, func(string) bool { return false })
	}
	if err == nil {
		root, err = resolveDir(given)
	}
	if err != nil {
		return "", "", "", err
	}
	elsewhere := o.Getenv(BasePathVariable)
	if elsewhere == "" {
		return given, root, ".", nil
	}
	dir, err := o.absolute(elsewhere)
	if err != nil {
		return "", "", "", err
	}
	if dir, err = cachedir.RealPath(dir); err != nil {
		return "", "", "", rootError(BasePathVariable+" "+elsewhere, err)
	}
	if within, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(within) {
		return given, root, filepath.ToSlash(within), nil
	}
	if named != "" {
		return "", "", "", &BasePathError{elsewhere, root}
	}
	return dir, dir, ".", nil
}

// absolute is a path as it was given, "" for the working directory.
func (o Options) absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	wd, err := o.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	return filepath.Join(wd, path), nil
}

// Open finds the workspace and its collections. A directory that cannot be
// opened is a *RootError, a configured folder outside the workspace a
// *PathError or a *BasePathError, and a layout that cannot be read a
// *layout.InvalidError.
func Open(o Options) (*Workspace, error) {
	o = o.withDefaults()
	given, dir, base, err := o.find()
	if err != nil {
		return nil, err
	}
	w, err := openRoot(dir, given, o)
	if err != nil {
		return nil, err
	}
	if w.settings == mirror.Marker {
		err = w.openMirror()
	} else if o.OnlyWorkspace != "" {
		err = fmt.Errorf("open the workspace %s of a mirror: %s is none", o.OnlyWorkspace, dir)
	} else if w.Layout, err = w.parseLayout(); err == nil {
		err = w.configure(o.Getenv, base)
	}
	if err != nil {
		closeQuietly(w)
		return nil, err
	}
	return w, nil
}

// openRoot opens the folder of a workspace, which has no layout and no collections yet.
func openRoot(dir, given string, o Options) (*Workspace, error) {
	handle, err := os.OpenRoot(dir)
	if err != nil {
		return nil, rootError(dir, err)
	}
	folder, err := handle.Open(".")
	if err != nil {
		closeQuietly(handle)
		return nil, rootError(dir, err)
	}
	opened, err := folder.Stat()
	if err != nil {
		closeQuietly(folder)
		closeQuietly(handle)
		return nil, rootError(dir, err)
	}
	w := &Workspace{
		Root: dir, path: given, options: o, opened: opened, root: handle, dir: folder,
		now: o.Now, turn: make(chan struct{}, 1), ids: newIDAllocator(), settings: layout.File,
	}
	if isMirror(handle) {
		w.settings = mirror.Marker
	}
	w.disk = rootDisk{handle, w}
	w.layoutFile = follow.New(w.statLayout, w.readLayout)
	return w, nil
}

// RootIdentity tells the folder at the root from others that have been there before:
// by when it was made, which no later folder shares, or where the system does not
// tell that, by its inode.
func (w *Workspace) RootIdentity() (string, error) {
	f, err := w.root.Open(".")
	if err != nil {
		return "", rootError(w.Root, err)
	}
	defer closeQuietly(f)
	info, err := f.Stat()
	if err != nil {
		return "", rootError(w.Root, err)
	}
	if born := bornAt(f, info); born != 0 {
		return fmt.Sprintf("born %d", born), nil
	}
	return fmt.Sprintf("inode %d", statOpen(f, info).Inode), nil
}

// Close releases the workspace's directory handles. Closing it again does nothing.
func (w *Workspace) Close() error {
	closeQuietly(w.dir)
	return w.root.Close()
}

// RootVariable names the workspace in the environment.
const RootVariable = "WRANGLER_WORKSPACE_ROOT"

// RootOf returns the root of the workspace that a path belongs to, which may be that of a
// file: the nearest directory, from the path upwards, that has .wrangler or that isRoot says
// is a root, else the top of the git repository, else the directory itself. Symbolic links
// are followed first. A linked worktree of git without .wrangler is its own root, and never
// part of a checkout around it. The error is a *RootError where there is no such path.
func RootOf(path string, isRoot func(dir string) bool) (string, error) {
	real, info, err := resolve(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		real = filepath.Dir(real)
	}
	root, ok := cachedir.Ancestor(real, func(dir string) bool {
		return isRoot(dir) || HoldsWrangler(dir) || git.IsLinkedWorktree(dir)
	})
	if !ok {
		root, ok = git.Top(real)
	}
	if !ok {
		root = real
	}
	if _, branch := mirror.ParseBranch(filepath.Base(root)); branch {
		if _, err := os.Stat(filepath.Join(filepath.Dir(root), filepath.FromSlash(mirror.Marker))); err == nil {
			return filepath.Dir(root), nil // the user stands among the copies of one branch
		}
	}
	return root, nil
}

// IsWorkspace reports whether a directory has .wrangler or is the top of a git repository.
// Any other one can become a workspace.
func IsWorkspace(dir string) bool {
	top, ok := git.Top(dir)
	return HoldsWrangler(dir) || ok && top == dir
}

// HoldsWrangler reports whether a directory has the folder .wrangler.
func HoldsWrangler(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, ".wrangler"))
	return err == nil && info.IsDir()
}

// resolve follows the symbolic links to a workspace, or to what lies in it.
func resolve(path string) (real string, info fs.FileInfo, err error) {
	if real, err = cachedir.RealPath(path); err == nil {
		info, err = os.Stat(real)
	}
	if err != nil {
		return "", nil, rootError(path, err)
	}
	return real, info, nil
}

func resolveDir(dir string) (string, error) {
	real, info, err := resolve(dir)
	if err == nil && !info.IsDir() {
		err = &RootError{dir, syscall.ENOTDIR}
	}
	return real, err
}

// ErrReplaced says that another folder lies at the workspace's path than the one
// that is open.
var ErrReplaced = errors.New("the workspace's folder was replaced by another one")

// InPlace is nil while the workspace's path leads to the folder that is open. It is
// ErrReplaced when that was renamed, deleted or mounted over and another one is there
// now, and a *RootError when there is none.
func (w *Workspace) InPlace() error {
	info, err := os.Stat(w.path)
	switch {
	case err != nil:
		return rootError(w.path, err)
	case !info.IsDir():
		return &RootError{w.path, syscall.ENOTDIR}
	case !os.SameFile(info, w.opened):
		return ErrReplaced
	}
	return nil
}

// Reopen opens the folder that lies at the workspace's path now, with its own
// configuration of collections. Errors are Open's.
func (w *Workspace) Reopen() (*Workspace, error) {
	o := w.options
	o.Root = w.path
	return Open(o)
}

// Elsewhere opens another folder as a workspace with the collections and the layout of this one.
func (w *Workspace) Elsewhere(dir string) (*Workspace, error) {
	dir, err := resolveDir(dir)
	if err != nil {
		return nil, err
	}
	other, err := openRoot(dir, dir, Options{Root: dir}.withDefaults())
	if err != nil {
		return nil, err
	}
	other.Collections, other.Layout, other.now = w.Collections, w.Layout, w.now
	return other, nil
}

// BasePathVariable is where another program that keeps the same documents has the folder
// that the collections' folders are relative to. One elsewhere is the root itself, unless a root
// was named, too.
const BasePathVariable = "WRANGLER_ISSUE_BASE_PATH"

// A BasePathError refuses a base of the documents that does not lie in the workspace.
type BasePathError struct {
	Base, Root string
}

func (e *BasePathError) Error() string {
	return fmt.Sprintf("%s names %s, which is outside of the workspace %s", BasePathVariable, e.Base, e.Root)
}
