package cachedir

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
)

// A Database is an SQLite file and what SQLite keeps beside it. It is one of ours
// when its header has our application id, or nothing was written to it yet.
type Database struct {
	Dir         *Dir
	Name        string
	Application uint32
}

// companions are the files beside a database by their suffixes, each with what
// tells SQLite's own from others. There are two signs of those that damage is most
// likely in, since one turned bit must not make a file a stranger's. A file that
// SQLite has begun or ended begins with zeros.
var companions = []struct {
	suffix string
	signs  []sign
}{
	{"-wal", []sign{{0, "\x37\x7f\x06\x82"}, {0, "\x37\x7f\x06\x83"}, {4, "\x00\x2d\xe2\x18"}, zeros}},
	{"-shm", []sign{{0, "\x18\xe2\x2d\x00"}, {48, "\x18\xe2\x2d\x00"}, {0, "\x00\x2d\xe2\x18"}, {48, "\x00\x2d\xe2\x18"}, zeros}},
	{"-journal", []sign{{0, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"}, zeros}},
}

// A sign is bytes that stand at an offset of a file.
type sign struct {
	offset int
	bytes  string
}

var zeros = sign{0, "\x00\x00\x00\x00\x00\x00\x00\x00"}

func (s sign) in(head []byte) bool {
	return len(head) >= s.offset && bytes.HasPrefix(head[s.offset:], []byte(s.bytes))
}

// The formats: https://www.sqlite.org/fileformat2.html, and for the last one
// https://www.sqlite.org/walformat.html.
const (
	magic             = "SQLite format 3\x00"
	pagesOffset       = 28
	schemaOffset      = 40 // counts the changes of the tables
	versionOffset     = 60
	applicationOffset = 68
	headerSize        = 100
)

// Path is where the database lies.
func (db Database) Path() string { return db.Dir.Join(db.Name) }

// Ours reports whether a file that begins so is a database of the application, or nobody's: one
// without anything in it. SQLite makes such a file before the application can say whose it is,
// and whoever is killed then leaves it.
func (db Database) Ours(head []byte) bool {
	if len(head) < headerSize || string(head[:len(magic)]) != magic {
		return false
	}
	number := func(offset int) uint32 { return binary.BigEndian.Uint32(head[offset:]) }
	never := number(pagesOffset) == 1 && number(schemaOffset) == 0 && number(versionOffset) == 0 && number(applicationOffset) == 0
	return never || number(applicationOffset) == db.Application
}

// Check is a *ForeignError when the database, or a file beside it, was not made by
// the application. known, if not nil, tells from its description a database that
// was known to be ours before it was damaged. Check opens the files: no connection
// of this process may have the database open, since SQLite's locks would end with it.
func (db Database) Check(known func(fs.FileInfo) bool) error {
	ours := func(head []byte) bool {
		if db.Ours(head) {
			return true
		}
		info, err := db.Dir.Stat(db.Name)
		return known != nil && err == nil && known(info)
	}
	if err := db.Dir.Check(db.Name, ours); err != nil {
		return err
	}
	for _, c := range companions {
		err := db.Dir.Check(db.Name+c.suffix, func(head []byte) bool {
			return slices.ContainsFunc(c.signs, func(s sign) bool { return s.in(head) }) || db.Ours(head)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// held counts, by their paths, the databases that this process has open.
var held = struct {
	sync.Mutex
	count map[string]int
}{count: map[string]int{}}

// Hold checks the database, for whoever is about to open it, and keeps it from being
// checked while this process has it open: SQLite's locks are of the whole process,
// and end when any of it closes the file.
func (db Database) Hold() (release func(), err error) {
	held.Lock()
	defer held.Unlock()
	if held.count[db.Path()] == 0 {
		if err := db.Check(nil); err != nil {
			return nil, err
		}
	}
	held.count[db.Path()]++
	return func() {
		held.Lock()
		defer held.Unlock()
		held.count[db.Path()]--
	}, nil
}

// CheckKinds is a *ForeignError when a link, a folder or the like stands in the
// place of the SQLite file at path or of one beside it. It opens nothing.
func CheckKinds(path string) error {
	for _, name := range names(path) {
		info, err := os.Lstat(name)
		if err == nil {
			err = checkKind(name, info)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// names are those of a database and of the files beside it.
func names(database string) []string {
	all := []string{database}
	for _, c := range companions {
		all = append(all, database+c.suffix)
	}
	return all
}

// Remove deletes the database and the files beside it. When Check refuses one of
// them, nothing is deleted.
func (db Database) Remove(known func(fs.FileInfo) bool) error {
	if err := db.Check(known); err != nil {
		return err
	}
	var errs []error
	for _, name := range names(db.Name) {
		errs = append(errs, db.Dir.Discard(name))
	}
	return errors.Join(errs...)
}

// Restrict takes from others the rights to the database that they are not to have.
func (db Database) Restrict() error {
	for _, name := range names(db.Name) {
		if _, err := db.Dir.Stat(name); err != nil { // missing, mostly
			continue
		}
		if err := db.Dir.restrict(name, db.Dir.filePerm()); err != nil {
			return err
		}
	}
	return nil
}
