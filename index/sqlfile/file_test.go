package sqlfile

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"issues-index/store/cachedir"
)

var notes = Format{Application: 0x6e6f7465, Version: 1, Schema: `CREATE TABLE note (text TEXT NOT NULL);`, Tables: []string{"note"}}

// keep is a keeper of a file in a folder, and the file's path.
func keep(t *testing.T, f Format) (*Keeper, string) {
	t.Helper()
	root := t.TempDir()
	k := &Keeper{Format: f, Place: func(context.Context) (*cachedir.Dir, string, error) {
		dir, err := cachedir.Open(root, 0o700)
		return dir, "notes.db", err
	}}
	t.Cleanup(k.Close)
	return k, filepath.Join(root, "notes.db")
}

func (k *Keeper) add(t *testing.T, text string) {
	t.Helper()
	err := k.Use(t.Context(), func(f *OpenFile) error {
		_, err := f.ExecContext(t.Context(), `INSERT INTO note VALUES (?)`, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (k *Keeper) count(t *testing.T) (n int) {
	t.Helper()
	err := k.Use(t.Context(), func(f *OpenFile) error {
		return f.QueryRowContext(t.Context(), `SELECT count(*) FROM note`).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKeeper(t *testing.T) {
	t.Run("keeps what was written when it is closed and opened", func(t *testing.T) {
		k, _ := keep(t, notes)
		k.add(t, "a")
		k.Close()
		if k.add(t, "b"); k.count(t) != 2 {
			t.Error("a note is lost")
		}
	})
	t.Run("begins anew when the file was deleted", func(t *testing.T) {
		k, path := keep(t, notes)
		k.add(t, "a")
		for _, suffix := range append([]string{""}, cachedir.Suffixes...) {
			_ = os.Remove(path + suffix)
		}
		if k.add(t, "b"); k.count(t) != 1 {
			t.Error("it writes to a file that is gone")
		}
	})
	t.Run("moves a damaged file aside, and goes on with a new one", func(t *testing.T) {
		k, path := keep(t, notes)
		k.add(t, "a")
		k.Close()
		db, err := sql.Open("sqlite", DSN(path, nil))
		if err == nil {
			_, err = db.Exec(`DROP TABLE note`)
		}
		if err != nil || db.Close() != nil {
			t.Fatal(err)
		}
		if k.add(t, "b"); k.count(t) != 1 {
			t.Error("the damaged file is in use")
		}
		if _, err := os.Stat(path + CorruptSuffix); err != nil {
			t.Error(err)
		}
	})
	t.Run("leaves another program's file as it is", func(t *testing.T) {
		k, path := keep(t, notes)
		const thesis = "My thesis.\n"
		if err := os.WriteFile(path, []byte(thesis), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := k.Use(t.Context(), func(*OpenFile) error { return nil }); err == nil {
			t.Error("it was opened")
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != thesis {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("upgrades an older version, and refuses a later one", func(t *testing.T) {
		k, path := keep(t, notes)
		k.add(t, "a")
		k.Close()
		later := notes
		later.Version, later.Upgrades = 2, map[int]string{1: `ALTER TABLE note ADD COLUMN day TEXT;`}
		k.Format = later
		if k.count(t) != 1 {
			t.Error("the note is lost")
		}
		k.Close()
		k.Format = notes
		if err := k.Use(t.Context(), func(*OpenFile) error { return nil }); err == nil {
			t.Error("an older program writes to a later version")
		}
		if _, err := os.Stat(path + CorruptSuffix); err == nil {
			t.Error("a later version was moved aside")
		}
	})
}

// SQLite writes the first page of a file before the program can say in it whose it is.
func TestFilesOfWhoWasKilledWhileMakingThemAreUsed(t *testing.T) {
	for name, statements := range map[string]struct {
		sql  string
		used bool
	}{
		"before the tables": {"PRAGMA auto_vacuum = 2", true},
		"another program's": {"PRAGMA auto_vacuum = 2; CREATE TABLE other (a)", false},
		"which is empty":    {"CREATE TABLE other (a); DROP TABLE other", false},
	} {
		t.Run(name, func(t *testing.T) {
			k, path := keep(t, notes)
			db, err := sql.Open("sqlite", DSN(path, nil))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), statements.sql); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Fatalf("nothing was made: %v", err)
			}
			err = k.Use(t.Context(), func(*OpenFile) error { return nil })
			if foreign := (*cachedir.ForeignError)(nil); (err == nil) != statements.used || err != nil && !errors.As(err, &foreign) {
				t.Errorf("%v", err)
			}
		})
	}
}
