package store

import (
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"
)

// A faultyDisk counts the operations of a mutation and lets some of them fail.
// It makes nothing durable, which no process can tell from outside: only a
// crash of the machine would.
type faultyDisk struct {
	disk
	// strike is called before each operation with its number, from 1, and its
	// name. With an error the operation is not done, or done late.
	strike func(n int, op string) (late bool, err error)

	mu sync.Mutex
	n  int
}

func (d *faultyDisk) do(op string, f func() error) error {
	d.mu.Lock()
	d.n++
	n := d.n
	d.mu.Unlock()
	late, err := d.strike(n, op)
	if err == nil {
		return f()
	}
	if late { // the operation is done, and its failure a lie
		_ = f()
	}
	return err
}

func (d *faultyDisk) read(p string) (data []byte, st Stat, err error) {
	err = d.do("read", func() (err error) { data, st, err = d.disk.read(p); return err })
	return data, st, err
}

func (d *faultyDisk) Lstat(p string) (info fs.FileInfo, err error) {
	err = d.do("lstat", func() (err error) { info, err = d.disk.Lstat(p); return err })
	return info, err
}

func (d *faultyDisk) Readlink(p string) (text string, err error) {
	err = d.do("readlink", func() (err error) { text, err = d.disk.Readlink(p); return err })
	return text, err
}

func (d *faultyDisk) attributes(p string) (a attributes, err error) {
	err = d.do("attributes", func() (err error) { a, err = d.disk.attributes(p); return err })
	return a, err
}

func (d *faultyDisk) create(p string, perm fs.FileMode) (f newFile, err error) {
	var opened newFile
	err = d.do("create", func() (err error) { opened, err = d.disk.create(p, perm); return err })
	if err != nil {
		if opened != nil {
			opened.Close()
		}
		return nil, err
	}
	return &faultyFile{opened, d}, nil
}

func (d *faultyDisk) Symlink(target, p string) error {
	return d.do("symlink", func() error { return d.disk.Symlink(target, p) })
}
func (d *faultyDisk) Mkdir(p string, perm fs.FileMode) error {
	return d.do("mkdir", func() error { return d.disk.Mkdir(p, perm) })
}
func (d *faultyDisk) rename(from, to string) error {
	return d.do("rename", func() error { return d.disk.rename(from, to) })
}
func (d *faultyDisk) move(from, to string) error {
	return d.do("move", func() error { return d.disk.move(from, to) })
}
func (d *faultyDisk) remove(p string) error {
	return d.do("remove", func() error { return d.disk.remove(p) })
}
func (d *faultyDisk) syncDir(string) error { return d.do("syncDir", func() error { return nil }) }

func (d *faultyDisk) tryLock(p string) (unlock func() error, err error) {
	err = d.do("tryLock", func() (err error) { unlock, err = d.disk.tryLock(p); return err })
	if err != nil && unlock != nil {
		unlock()
		unlock = nil
	}
	return unlock, err
}

// A faultyFile writes half of its bytes before a write fails.
type faultyFile struct {
	newFile
	d *faultyDisk
}

func (f *faultyFile) Write(data []byte) (n int, err error) {
	if n, err = f.newFile.Write(data[:len(data)/2]); err != nil {
		return n, err
	}
	err = f.d.do("write", func() error { _, err := f.newFile.Write(data[len(data)/2:]); return err })
	return len(data), err
}
func (f *faultyFile) Chown(uid, gid int) error {
	return f.d.do("chown", func() error { return f.newFile.Chown(uid, gid) })
}
func (f *faultyFile) Chmod(mode fs.FileMode) error {
	return f.d.do("chmod", func() error { return f.newFile.Chmod(mode) })
}
func (f *faultyFile) setXattr(x xattr) error {
	return f.d.do("setxattr", func() error { return f.newFile.setXattr(x) })
}
func (f *faultyFile) Sync() error { return f.d.do("sync", func() error { return nil }) }
func (f *faultyFile) Close() error {
	defer f.newFile.Close()
	return f.d.do("close", func() error { return nil })
}

// tick is a clock for tests: it stands still.
func tick() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// never is a disk that does not strike.
func never(int, string) (bool, error) { return false, nil }

// openFaulty opens root with a disk that strikes.
func openFaulty(t testing.TB, root string, strike func(n int, op string) (bool, error)) (*Workspace, *faultyDisk) {
	t.Helper()
	w, err := Open(Options{Root: root, Getenv: func(string) string { return "" }, Now: tick})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	d := &faultyDisk{disk: w.disk, strike: strike}
	w.disk = d
	return w, d
}

// temporaries are the paths in a tree that belong to no document.
func temporaries(all map[string]string) []string {
	var found []string
	for p := range all {
		if strings.Contains(p, "/.issues-index-") {
			found = append(found, p)
		}
	}
	return found
}
