package claims

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/index/sqlfile"
	"issues-index/store"
)

// What an older program keeps in a file of its own is taken over once, while that program goes on
// with its file.
func TestTheSecretOfAnOlderProgramIsTakenOver(t *testing.T) {
	b := sessionsIn(t)
	path := filepath.Join(b.root, filepath.FromSlash(store.CacheDir), "agreed.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	older, err := sql.Open("sqlite", sqlfile.DSN(path, nil))
	if err == nil {
		_, err = older.Exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = 0x69696167; PRAGMA user_version = 1;
			CREATE TABLE clone (secret TEXT NOT NULL); INSERT INTO clone VALUES ('s1')`)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = older.Close() }()
	secrets := func(d *Database) (all []string) {
		t.Helper()
		err := d.Use(t.Context(), func(f *sqlfile.OpenFile) (err error) {
			all, err = Rows(t.Context(), f, func(scan func(...any) error) (secret string, err error) {
				err = scan(&secret)
				return secret, err
			}, `SELECT secret FROM clone`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := secrets(b.db); !slices.Equal(got, []string{"s1"}) {
		t.Errorf("%q", got)
	}
	if _, err := older.Exec(`UPDATE clone SET secret = 's2'`); err != nil {
		t.Fatalf("the older program cannot go on: %v", err)
	}
	again := DatabaseOf(b.ws)
	defer func() { _ = again.Close() }()
	if got := secrets(again); !slices.Equal(got, []string{"s1"}) {
		t.Errorf("taken over again: %q", got)
	}
}

// Nothing in the place of an older program's file keeps the leases from being used.
func TestWhatCannotBeTakenOver(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"nothing":               func(string) error { return nil },
		"another program's":     func(path string) error { return os.WriteFile(path, []byte("My thesis.\n"), 0o644) },
		"a link":                func(path string) error { return os.Symlink("leases.db", path) },
		"one without its table": makeEmpty,
	} {
		t.Run(name, func(t *testing.T) {
			b := sessionsIn(t)
			path := filepath.Join(b.root, filepath.FromSlash(store.CacheDir), "agreed.db")
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), put(path)); err != nil {
				t.Fatal(err)
			}
			b.claim(HolderSession{Client: "ann"}, "ISS-000001")
			if _, err := os.Lstat(path); name == "nothing" && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a file was made: %v", err)
			}
			if _, err := os.Stat(filepath.Join(b.root, filepath.FromSlash(Path)+sqlfile.CorruptSuffix)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the leases were moved aside: %v", err)
			}
		})
	}
}

func makeEmpty(path string) error {
	db, err := sql.Open("sqlite", sqlfile.DSN(path, nil))
	if err == nil {
		_, err = db.Exec(`PRAGMA application_id = 0x69696167; PRAGMA user_version = 1`)
	}
	return errors.Join(err, db.Close())
}
