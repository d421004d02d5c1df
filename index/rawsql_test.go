package index

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func rawFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a ?#%b.db")
	db, err := sql.Open("sqlite", dsn(path, writeParams()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(`CREATE TABLE t (n INTEGER, s TEXT); INSERT INTO t VALUES (1, 'one'), (2, NULL)`); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestQueryRaw(t *testing.T) {
	path := rawFile(t)
	ctx := context.Background()

	t.Run("returns columns and typed values, whatever the file is called", func(t *testing.T) {
		columns, rows, err := QueryRaw(ctx, path, `SELECT n, s FROM t ORDER BY n`)
		if err != nil {
			t.Fatal(err)
		}
		if len(columns) != 2 || columns[1] != "s" || len(rows) != 2 {
			t.Fatalf("columns %q, rows %v", columns, rows)
		}
		if rows[0][0] != int64(1) || rows[0][1] != "one" || rows[1][1] != nil {
			t.Fatalf("rows %v", rows)
		}
	})

	for name, query := range map[string]string{
		"an insert":            `INSERT INTO t VALUES (3, 'x')`,
		"an unlocked insert":   `PRAGMA query_only(0); INSERT INTO t VALUES (3, 'x')`,
		"a dropped table":      `PRAGMA query_only(0); DROP TABLE t`,
		"an attached file":     `ATTACH 'beside.db' AS b`,
		"an attached URI":      `ATTACH 'file:beside.db?mode=rwc' AS b`,
		"a vacuum into a file": `VACUUM INTO 'beside.db'`,
		"no query at all":      `SELEC`,
	} {
		t.Run(name+" is refused and leaves nothing behind", func(t *testing.T) {
			t.Chdir(filepath.Dir(path))
			if _, _, err := QueryRaw(ctx, path, query); err == nil {
				t.Error("it passed")
			}
			if _, err := os.Stat("beside.db"); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("beside.db: %v", err)
			}
			_, rows, err := QueryRaw(ctx, path, `SELECT count(*) FROM t`)
			if err != nil || rows[0][0] != int64(2) {
				t.Errorf("the table has %v, %v", rows, err)
			}
		})
	}

	t.Run("a file that is not there is not made", func(t *testing.T) {
		missing := filepath.Join(t.TempDir(), "missing.db")
		if _, _, err := QueryRaw(ctx, missing, `SELECT 1`); err == nil {
			t.Error("it opened")
		}
		if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
			t.Error("it was made")
		}
	})

	t.Run("an index in memory cannot be asked", func(t *testing.T) {
		if _, _, err := QueryRaw(ctx, ":memory:", `SELECT 1`); !errors.Is(err, ErrNoFile) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("an endless query ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		endless := `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c`
		if _, _, err := QueryRaw(ctx, path, endless); err == nil {
			t.Error("it ended by itself")
		}
	})
}
