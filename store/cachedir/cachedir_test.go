package cachedir_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/cachedir"
)

const application = 0x69696478

func open(t testing.TB) *cachedir.Dir {
	t.Helper()
	dir, err := cachedir.Open(filepath.Join(t.TempDir(), "a", "b"), 0o750)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// header is how an SQLite file of an application begins.
func header(id uint32) []byte {
	head := make([]byte, 4096)
	copy(head, "SQLite format 3\x00")
	binary.BigEndian.PutUint32(head[68:], id)
	return head
}

func TestDatabaseIsRemovedOnlyWhenItIsOurs(t *testing.T) {
	junk := bytes.Repeat([]byte("junk"), 1000)
	for name, c := range map[string]struct {
		files   map[string][]byte // by suffix
		foreign string            // suffix of the file that is named, "-" for none
	}{
		"nothing":                                   {nil, "-"},
		"an empty file":                             {map[string][]byte{"": {}}, "-"},
		"ours":                                      {map[string][]byte{"": header(application)}, "-"},
		"ours with what a death left beside it":     {map[string][]byte{"": header(application), "-wal": junk, "-shm": {0, 0, 0}, "-journal": junk[:7]}, "-"},
		"what a death left of a database":           {map[string][]byte{"-wal": junk, "-shm": {0, 0, 0}, "-journal": {}}, "-"},
		"a part of a header":                        {map[string][]byte{"": header(application)[:99]}, "-"},
		"the begin of a header":                     {map[string][]byte{"": header(application)[:3]}, "-"},
		"another program's":                         {map[string][]byte{"": header(0)}, ""},
		"another program's with its log":            {map[string][]byte{"": header(0), "-wal": junk}, ""},
		"a text":                                    {map[string][]byte{"": []byte("My thesis.\n")}, ""},
		"a short text that begins as a header does": {map[string][]byte{"": []byte("SQL is fun.\n")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := open(t)
			db := cachedir.Database{Dir: dir, Name: "x.db", Application: application}
			for suffix, data := range c.files {
				write(t, dir.Join("x.db"+suffix), data)
			}
			err := db.Check()
			if err == nil {
				err = db.Discard()
			}
			if c.foreign == "-" {
				if names, _ := dir.Names(""); err != nil || len(names) != 0 {
					t.Errorf("left are %v, %v", names, err)
				}
				return
			}
			var foreign *cachedir.ForeignError
			if !errors.As(err, &foreign) || foreign.Path != dir.Join("x.db"+c.foreign) {
				t.Errorf("it says %v", err)
			}
			for suffix, data := range c.files {
				if now, err := os.ReadFile(dir.Join("x.db" + suffix)); err != nil || !bytes.Equal(now, data) {
					t.Errorf("x.db%s was changed, %v", suffix, err)
				}
			}
		})
	}
}

// No bytes but our own mark make a file one that may go.
func TestFilesOfAnyContentStay(t *testing.T) {
	dir := open(t)
	db := cachedir.Database{Dir: dir, Name: "x.db", Application: application}
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "data")
		if rapid.Bool().Draw(t, "like SQLite") {
			data = append([]byte("SQLite format 3\x00"), data...)
		}
		if err := os.WriteFile(db.Path(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		magic := []byte("SQLite format 3\x00")
		ours := bytes.HasPrefix(magic, data) ||
			bytes.HasPrefix(data, magic) && (len(data) < 100 || binary.BigEndian.Uint32(data[68:]) == application)
		if db.Check() == nil {
			_ = db.Discard() // what is left is looked at below
		}
		now, err := os.ReadFile(db.Path())
		if gone := errors.Is(err, fs.ErrNotExist); gone != ours || !gone && !bytes.Equal(now, data) {
			t.Errorf("gone: %t, ours: %t", gone, ours)
		}
	})
}

func TestFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, []byte("ours, and outside"))
	for name, c := range map[string]struct {
		put      func(path string) error
		replaced bool
	}{
		"nothing":            {func(string) error { return nil }, true},
		"an empty file":      {func(path string) error { return os.WriteFile(path, nil, 0o600) }, true},
		"one of ours":        {func(path string) error { return os.WriteFile(path, []byte("ours 1"), 0o600) }, true},
		"what a death left":  {func(path string) error { return os.WriteFile(path, []byte{0, 0}, 0o600) }, true},
		"a folder":           {func(path string) error { return os.Mkdir(path, 0o700) }, false},
		"a link to a file":   {func(path string) error { return os.Symlink(outside, path) }, false},
		"a link beside it":   {func(path string) error { return os.Symlink("other", path) }, false},
		"a link to nowhere":  {func(path string) error { return os.Symlink(outside+"-none", path) }, false},
		"a link to a folder": {func(path string) error { return os.Symlink(filepath.Dir(outside), path) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := open(t)
			write(t, dir.Join("other"), []byte("ours, and another"))
			if err := c.put(dir.Join("seal")); err != nil {
				t.Fatal(err)
			}
			err := dir.Replace("seal", []byte("ours 2"))
			var foreign *cachedir.ForeignError
			if (err == nil) != c.replaced || err != nil && (!errors.As(err, &foreign) || foreign.Path != dir.Join("seal")) {
				t.Errorf("it says %v", err)
			}
			if data, err := os.ReadFile(dir.Join("seal")); c.replaced && (err != nil || string(data) != "ours 2") {
				t.Errorf("it has %q, %v", data, err)
			}
			for path, want := range map[string]string{outside: "ours, and outside", dir.Join("other"): "ours, and another"} {
				if data, err := os.ReadFile(path); err != nil || string(data) != want {
					t.Errorf("%s has %q, %v", path, data, err)
				}
			}
			if left, err := dir.Names(".issues-index-"); err != nil || len(left) != 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

func TestLinksAreNotLocked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	dir := open(t)
	outside := filepath.Join(t.TempDir(), "none")
	if err := os.Symlink(outside, dir.Join("x.lock")); err != nil {
		t.Fatal(err)
	}
	if ok, err := dir.Lock("x.lock").TryLock(); ok || err == nil {
		t.Errorf("locked: %t, %v", ok, err)
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was made outside")
	}
}

func TestFilesHaveTheRightsOfTheFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such rights there")
	}
	dir := open(t)
	f, err := dir.Create("made")
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	info, err := os.Stat(dir.Join("made"))
	if err != nil || info.Mode().Perm()&^0o640 != 0 {
		t.Errorf("it is %s, %v", info.Mode(), err)
	}
	if err := os.Chmod(dir.Path(), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := dir.Restrict(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir.Path()); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the folder is %s, %v", info.Mode(), err)
	}
}
