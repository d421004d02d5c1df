package cachedir

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// A Database is an SQLite file and what SQLite keeps beside it. It is one of ours
// when its header has our application id, or nothing was written to it yet.
type Database struct {
	Dir         *Dir
	Name        string
	Application uint32
}

// Suffixes end the names of the files that SQLite keeps beside a database. They belong to
// it whatever they hold, as they do for SQLite: a death or a power failure leaves them
// empty, cut, or with anything in them.
var Suffixes = []string{"-wal", "-shm", "-journal"}

// The format of a database: https://www.sqlite.org/fileformat2.html.
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

// Ours reports whether a file that begins so is a database of the application, or of none yet:
// one without anything in it. SQLite makes such a file before the application can say whose
// it is, and a power failure leaves a part of its header.
func (db Database) Ours(head []byte) bool {
	if begun := min(len(head), len(magic)); string(head[:begun]) != magic[:begun] {
		return false
	}
	if len(head) < headerSize {
		return true
	}
	number := func(offset int) uint32 { return binary.BigEndian.Uint32(head[offset:]) }
	never := number(pagesOffset) == 1 && number(schemaOffset) == 0 && number(versionOffset) == 0
	application := number(applicationOffset)
	return application == db.Application || application == 0 && never
}

// Check is a *ForeignError when the database was not made by the application, or something
// other than a file stands in the place of a file that SQLite keeps beside it. It opens the
// database: no connection of this process may have it open, since SQLite's locks would end
// with it.
func (db Database) Check() error {
	if err := CheckKinds(db.Path()); err != nil {
		return err
	}
	return db.Dir.Check(db.Name, db.Ours)
}

// held counts, by their paths, the databases that this process has open.
var held = struct {
	sync.Mutex
	count map[string]int
}{count: map[string]int{}}

// Hold checks the database, for a caller that is about to open it, and keeps it from being
// checked while this process has it open: SQLite's locks are of the whole process,
// and end when any of it closes the file.
func (db Database) Hold() (release func(), err error) {
	held.Lock()
	defer held.Unlock()
	if held.count[db.Path()] == 0 {
		if err := db.Check(); err != nil {
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
	for _, suffix := range Suffixes {
		all = append(all, database+suffix)
	}
	return all
}

// Discard deletes the database, which is known to be ours, and the files beside it. The
// database goes first: a connection that another process makes meanwhile finds none, and
// not one without its log.
func (db Database) Discard() error {
	for _, name := range names(db.Name) {
		if err := db.Dir.Discard(name); err != nil {
			return err
		}
	}
	return nil
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
