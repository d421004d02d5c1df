package sqlfile

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
)

// idleStatements counts the statements that the one connection of db keeps.
func idleStatements(t *testing.T, db *sql.DB) int {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	kept := 0
	err = conn.Raw(func(driver any) error {
		kept = len(driver.(*keepingConn).idle)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) *sql.DB {
		t.Helper()
		db, err := OpenStatements(DSN(filepath.Join(t.TempDir(), "kept.db"), nil), true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		db.SetMaxOpenConns(1)
		for _, statement := range []string{`CREATE TABLE t (n INTEGER PRIMARY KEY)`, `INSERT INTO t VALUES (1), (2), (3)`} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		return db
	}

	t.Run("one for each query, however often it is asked", func(t *testing.T) {
		db := open(t)
		before := idleStatements(t, db)
		for want := range 100 {
			var got int
			if err := db.QueryRowContext(t.Context(), `SELECT ?`, want).Scan(&got); err != nil || got != want {
				t.Fatalf("%d, %v, not %d", got, err, want)
			}
		}
		if kept := idleStatements(t, db) - before; kept != 1 {
			t.Errorf("%d are kept", kept)
		}
	})

	t.Run("and no more than some, of many queries", func(t *testing.T) {
		db := open(t)
		for n := range 3 * maxStatements {
			if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`UPDATE t SET n = n WHERE n = %d`, n)); err != nil {
				t.Fatal(err)
			}
		}
		if kept := idleStatements(t, db); kept != maxStatements {
			t.Errorf("%d are kept", kept)
		}
	})

	t.Run("apart from those whose rows are being read", func(t *testing.T) {
		tx, err := open(t).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		pairs := 0
		each(t, tx, func(a int) {
			each(t, tx, func(b int) { pairs += 10*a + b })
		})
		if want := 3*(10+20+30) + 3*(1+2+3); pairs != want {
			t.Errorf("the pairs add up to %d, not %d", pairs, want)
		}
	})

	t.Run("but not after an error, and not past a change of the schema", func(t *testing.T) {
		db := open(t)
		for range 2 {
			if _, err := db.ExecContext(t.Context(), `INSERT INTO t VALUES (1)`); err == nil {
				t.Fatal("the same key twice is no error")
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := db.ExecContext(ctx, `DELETE FROM t`); err == nil {
			t.Fatal("a call that was given up is no error")
		}
		columns := func() int {
			rows, err := db.QueryContext(t.Context(), `SELECT * FROM t`)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = rows.Close() }()
			names, err := rows.Columns()
			if err != nil || !rows.Next() || rows.Err() != nil {
				t.Fatal(err, rows.Err())
			}
			return len(names)
		}
		before := columns()
		if _, err := db.ExecContext(t.Context(), `ALTER TABLE t ADD COLUMN m`); err != nil {
			t.Fatal(err)
		}
		if after := columns(); before != 1 || after != 2 {
			t.Errorf("%d columns before, %d after", before, after)
		}
	})
}

func each(t *testing.T, tx *sql.Tx, do func(int)) {
	t.Helper()
	rows, err := tx.QueryContext(t.Context(), `SELECT n FROM t ORDER BY n`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		do(n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
