package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"issues-index/index/sqlfile"
	"issues-index/store/storetest"
)

func rawFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a ?#%b.db")
	params := writeParams(DefaultLockWait, writeCache)
	params.Set("mode", "rwc")
	db, err := sql.Open("sqlite", sqlfile.DSN(path, params))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(`CREATE TABLE t (n INTEGER, s TEXT); INSERT INTO t VALUES (1, 'one'), (2, NULL);
		CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('one')`); err != nil {
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

	t.Run("an endless query ends with its context, even in the middle of a step", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		endless := `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c`
		if _, _, err := QueryRaw(ctx, path, endless); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("an endless answer ends before it fills the memory", func(t *testing.T) {
		endless := `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT zeroblob(1000000) FROM c`
		if _, _, err := QueryRaw(ctx, path, endless); !errors.Is(err, ErrLargeAnswer) {
			t.Errorf("got %v", err)
		}
	})

	for name, query := range storetest.Few(map[string]string{
		"sorting":              `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT hex(zeroblob(500))||x FROM c ORDER BY 1`,
		"sorting large values": `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT hex(zeroblob(1000000))||x FROM c ORDER BY 1`,
		"grouping":             `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT hex(zeroblob(500))||x, count(*) FROM c GROUP BY 1`,
		"leaving out twins of": `WITH RECURSIVE c(x) AS (SELECT hex(zeroblob(500))||1 UNION SELECT substr(x, 1, 1000)||(substr(x, 1001)+1) FROM c) SELECT count(*) FROM c`,
		"windows over":         `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT sum(x) OVER (ORDER BY hex(zeroblob(500))||x) FROM c`,
	}, 1) {
		t.Run(name+" an endless table ends before it fills the memory", func(t *testing.T) {
			if _, _, err := QueryRaw(ctx, path, query); !errors.Is(err, ErrLargeQuery) {
				t.Errorf("got %v", err)
			}
			if _, rows, err := QueryRaw(ctx, path, `SELECT count(*) FROM t`); err != nil || rows[0][0] != int64(2) {
				t.Errorf("the next query answers %v, %v", rows, err)
			}
		})
	}

	for name, query := range storetest.Few(map[string]string{
		"sorted":  `SELECT x, fields FROM d ORDER BY fields`,
		"grouped": `SELECT fields, count(*) FROM d GROUP BY fields`,
	}, 1) {
		t.Run("100,000 documents are "+name, func(t *testing.T) {
			documents := `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 100000), d AS (SELECT x, hex(randomblob(200)) AS fields FROM c) `
			if _, rows, err := QueryRaw(ctx, path, documents+query); err != nil || len(rows) != 100_000 {
				t.Errorf("%d rows, %v", len(rows), err)
			}
		})
	}

	t.Run("a query leaves no bound behind", func(t *testing.T) {
		tls := libc.NewTLS()
		defer tls.Close()
		if bound := sqlite3.Xsqlite3_hard_heap_limit64(tls, -1); bound != 0 {
			t.Errorf("SQLite may take %d bytes", bound)
		}
	})

	t.Run("a huge value is not made", func(t *testing.T) {
		if _, _, err := QueryRaw(ctx, path, `SELECT length(zeroblob(1000000000))`); err == nil {
			t.Error("it was")
		}
	})
}

// TestQueryRawOnlyReads holds that whatever is asked, the index file stays as it
// is, and no other file is made: not beside it, not where the program runs, not
// where temporary files go.
func TestQueryRawOnlyReads(t *testing.T) {
	path := rawFile(t)
	here, temporary := t.TempDir(), t.TempDir()
	t.Chdir(here)
	t.Setenv("TMPDIR", temporary)
	t.Setenv("SQLITE_TMPDIR", temporary)
	look := func() string {
		t.Helper()
		var b strings.Builder
		for _, dir := range []string{filepath.Dir(path), here, temporary} {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				info, err := e.Info()
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%s %d", e.Name(), info.Size())
				// Readers leave their marks in the shared memory, and nowhere else.
				if !strings.HasSuffix(e.Name(), "-shm") {
					fmt.Fprintf(&b, " %s", info.ModTime())
				}
				b.WriteByte('\n')
			}
		}
		return b.String()
	}
	ctx := context.Background()
	count := func() any {
		t.Helper()
		_, rows, err := QueryRaw(ctx, path, `SELECT count(*) FROM t`)
		if err != nil {
			t.Fatal(err)
		}
		return rows[0][0]
	}
	count()
	before := look()
	var refused *RawError
	for name, query := range map[string]string{
		"an insert":                       `INSERT INTO t VALUES (3, 'x')`,
		"an insert behind WITH":           `WITH x AS (SELECT 3) INSERT INTO t SELECT *, 'x' FROM x`,
		"an insert that returns":          `INSERT INTO t VALUES (3, 'x') RETURNING n`,
		"an update":                       `UPDATE t SET n = 9`,
		"an update behind a comment":      "-- read me\n/* SELECT */ UPDATE t SET n = 9",
		"a replacement":                   `REPLACE INTO t VALUES (1, 'x')`,
		"a deletion":                      `DELETE FROM t`,
		"a deletion behind WITH":          `WITH x AS (SELECT 1) DELETE FROM t`,
		"a deletion behind a query":       `SELECT 1; DELETE FROM t`,
		"a deletion in quotes' clothes":   `SELECT ';--' ; DELETE FROM t`,
		"a new table":                     `CREATE TABLE u (x)`,
		"a temporary table":               `CREATE TEMP TABLE u (x)`,
		"a temporary view":                `CREATE TEMP VIEW u AS SELECT 1`,
		"a trigger":                       `CREATE TRIGGER u AFTER INSERT ON t BEGIN DELETE FROM t; END`,
		"a full-text table":               `CREATE VIRTUAL TABLE u USING fts5(x)`,
		"a dropped table":                 `DROP TABLE t`,
		"a dropped shadow table":          `DROP TABLE f_data`,
		"an altered table":                `ALTER TABLE t RENAME TO u`,
		"a full-text rebuild":             `INSERT INTO f(f) VALUES ('rebuild')`,
		"the schema made writable":        `PRAGMA writable_schema = 1`,
		"the lock taken off":              `PRAGMA query_only(0)`,
		"the lock taken off, then insert": `PRAGMA query_only(0); INSERT INTO t VALUES (3, 'x')`,
		"another journal":                 `PRAGMA journal_mode = DELETE`,
		"another journal in brackets":     `PRAGMA main.journal_mode(DELETE)`,
		"another version":                 `PRAGMA user_version = 7`,
		"a checkpoint":                    `PRAGMA wal_checkpoint(TRUNCATE)`,
		"a pragma behind EXPLAIN's back":  `EXPLAIN SELECT 1; PRAGMA user_version = 7`,
		"temporary files elsewhere":       `PRAGMA temp_store_directory = '/'`,
		"an attached file":                `ATTACH 'beside.db' AS b`,
		"an attached URI":                 `ATTACH 'file:beside.db?mode=rwc' AS b`,
		"a detached file":                 `DETACH main`,
		"a vacuum":                        `VACUUM`,
		"a vacuum into a file":            `VACUUM INTO 'beside.db'`,
		"a new index":                     `REINDEX`,
		"statistics":                      `ANALYZE`,
		"a transaction":                   `BEGIN IMMEDIATE`,
		"a savepoint":                     `SAVEPOINT s`,
		"nothing":                         ``,
		"a comment":                       "-- SELECT 1",
		"an end before its beginning":     `;`,
		"a hidden end":                    "SELECT 1;\x00DELETE FROM t",
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			_, _, err := QueryRaw(ctx, path, query)
			if !errors.As(err, &refused) {
				t.Errorf("got %v", err)
			}
			if now := look(); now != before {
				t.Errorf("files were\n%s\nand are\n%s", before, now)
			}
			if n := count(); n != int64(2) {
				t.Errorf("the table has %v rows", n)
			}
		})
	}

	for name, query := range map[string]string{
		"a full-text shadow write":              `WITH x AS (SELECT 1) DELETE FROM f_data`,
		"the schema written to":                 `WITH x AS (SELECT 1) UPDATE sqlite_schema SET sql = ''`,
		"no SQL":                                `SELECT FROM WHERE`,
		"an extension":                          `SELECT load_extension('beside')`,
		"a file written by a function":          `SELECT writefile('beside.db', 'x')`,
		"a checkpoint by a function":            `SELECT * FROM pragma_wal_checkpoint('main')`,
		"a journal by a function":               `SELECT * FROM pragma_journal_mode('delete')`,
		"a tokenizer of one's own":              `SELECT fts3_tokenizer('x', x'00')`,
		"a query after an unclosed quote":       `SELECT 'x; DELETE FROM t`,
		"a query after an unclosed bracket":     `SELECT [x; DELETE FROM t`,
		"a table of the disk's pages, written":  `WITH x AS (SELECT 1) UPDATE sqlite_dbpage SET data = x'00'`,
		"a parameter that nobody gives a value": `SELECT n FROM t LIMIT ?`,
	} {
		t.Run(name+" is an error, and changes nothing", func(t *testing.T) {
			if columns, rows, err := QueryRaw(ctx, path, query); err == nil {
				t.Errorf("it answered %v %v", columns, rows)
			}
			if now := look(); now != before {
				t.Errorf("files were\n%s\nand are\n%s", before, now)
			}
		})
	}

	for name, query := range map[string]string{
		"a query":                             `SELECT n FROM t`,
		"one in lower case with an end":       " \n select n from t ; -- so\n ; ",
		"one with ends in quotes":             `SELECT ';', "s;", [s;], ` + "`s;`" + `, 'it''s;' FROM (SELECT 1 AS "s;") /* ; */`,
		"one behind WITH":                     `WITH x AS (SELECT 1) SELECT * FROM x`,
		"values":                              `VALUES (1), (2)`,
		"a plan":                              `EXPLAIN QUERY PLAN SELECT * FROM t`,
		"the plan of a deletion, not done":    `EXPLAIN DELETE FROM t`,
		"the columns of a table":              `PRAGMA main.table_info(t)`,
		"the columns by a function":           `SELECT name FROM pragma_table_info('t')`,
		"the pages of the file":               `pragma page_count;`,
		"a query behind a byte order mark":    "\ufeffSELECT 1",
		"the whole, checked":                  `PRAGMA integrity_check`,
		"a search":                            `SELECT rowid FROM f WHERE f MATCH 'one'`,
		"a big sort, without temporary files": `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 20000) SELECT count(*) FROM (SELECT x, row_number() OVER (ORDER BY hex(randomblob(200))) FROM c)`,
	} {
		t.Run(name+" is answered", func(t *testing.T) {
			columns, rows, err := QueryRaw(ctx, path, query)
			if err != nil || len(columns) == 0 || len(rows) == 0 {
				t.Errorf("%v %v, %v", columns, rows, err)
			}
			if now := look(); now != before {
				t.Errorf("files were\n%s\nand are\n%s", before, now)
			}
		})
	}
}
