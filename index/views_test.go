package index

import (
	"database/sql"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// viewQueries are what someone asks who looks into the index of a workspace
// that newViewedTree made, with the answers: rows of values joined by |.
var viewQueries = map[string]struct{ query, want string }{
	"every document with its fields": {
		`SELECT path, id, title, type, status, priority, labels, assignee, project, parent, created, updated, closed, wrangler_context, bytes > 0 FROM documents ORDER BY path`, `
.wrangler/ideas/twin.md|ISS-1|Same id|idea|open|medium|||||2026-02-03T00:00:00Z|2026-02-03T00:00:00Z|||1
.wrangler/issues/ISS-1.md|ISS-1|First|issue|open|high|a, b|@name|work|ISS-9|2026-02-01T00:00:00Z|2026-02-02T10:00:00Z|2026-02-03T00:00:00Z|{"parentTaskId":"ISS-9"}|1
.wrangler/issues/odd.md|odd|Odd|issue|someday|medium|a||||2026-02-03T00:00:00Z|2026-02-03T00:00:00Z|||1`},
	"the labels and how often they are used": {
		`SELECT label, documents FROM labels ORDER BY label`, `
a|2
b|1`},
	"what is wrong with which file": {
		`SELECT path, code, line FROM problems ORDER BY path, code`, `
.wrangler/ideas/twin.md|duplicate-id|
.wrangler/ideas/twin.md|id-filename-mismatch|
.wrangler/issues/ISS-1.md|dangling-parent|
.wrangler/issues/ISS-1.md|duplicate-id|
.wrangler/issues/odd.md|unknown-status|3`},
	"how documents are linked": {
		`SELECT id, kind, target, target_path FROM links ORDER BY path, kind, target`, `
ISS-1|parent|ISS-9|
ISS-1|waitsFor|odd|.wrangler/issues/odd.md`},
	"what can be begun": {
		`SELECT path, id, title, type, priority, assignee FROM ready`, `
.wrangler/ideas/twin.md|ISS-1|Same id|idea|medium|`},
	"what waits, and for what": {
		`SELECT id, title, type, status, priority, assignee, waits_for FROM blocked`, `
ISS-1|First|issue|open|high|@name|odd`},
	"how many documents have which status": {
		`SELECT type, status, documents FROM stats_by_status ORDER BY type, status`, `
idea|open|1
issue|open|1
issue|someday|1`},
}

func newViewedTree(t *testing.T) *tree {
	w := newTree(t, 0)
	w.write(".wrangler/issues/ISS-1.md", `---
id: ISS-1
title: First
status: open
priority: high
labels: [a, b]
assignee: "@name"
project: work
createdAt: 2026-02-01
updatedAt: 2026-02-02T10:00:00Z
closedAt: 2026-02-03
dependsOn: [odd]
wranglerContext:
  parentTaskId: ISS-9
---
`)
	w.write(".wrangler/issues/odd.md", "---\ntitle: Odd\nstatus: someday\nlabels: a\ncreated: 2026-02-03\nupdated: 2026-02-03\n---\n")
	w.write(".wrangler/ideas/twin.md", "---\nid: ISS-1\ntitle: Same id\ncreated: 2026-02-03\nupdated: 2026-02-03\n---\n")
	return w
}

func TestViewsBesideAServer(t *testing.T) {
	t.Parallel()
	w := newViewedTree(t)
	ix, _ := w.open(Options{})
	w.check(ix)

	t.Run("through a second connection that may only read", func(t *testing.T) {
		db, err := sql.Open("sqlite", "file:"+w.abs(DefaultPath)+"?mode=ro")
		w.must(err)
		defer db.Close()
		for name, v := range viewQueries {
			if got := pipeTable(t, db, v.query); got != v.want {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, v.want)
			}
		}

		t.Run("which sees what the server takes in", func(t *testing.T) {
			w.write(".wrangler/issues/more.md", "---\nstatus: open\nlabels: [b, c]\n---\n")
			documentPaths(t, ix)
			got := pipeTable(t, db, `SELECT status, documents FROM stats_by_status WHERE type = 'issue' AND status = 'open' UNION ALL SELECT * FROM labels WHERE label IN ('b', 'c')`)
			if want := "\nopen|2\nb|2\nc|1"; got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			w.remove(".wrangler/issues/more.md")
			documentPaths(t, ix)
			if _, err := db.ExecContext(t.Context(), `DELETE FROM document`); err == nil {
				t.Error("it could write")
			}
		})
	})

	t.Run("through the sqlite3 program", func(t *testing.T) {
		program, err := exec.LookPath("sqlite3")
		if err != nil {
			t.Skip("there is no sqlite3 program here")
		}
		for name, v := range viewQueries {
			out, err := exec.CommandContext(t.Context(), program, "-readonly", w.abs(DefaultPath), v.query).CombinedOutput()
			if got := "\n" + strings.TrimSpace(string(out)); err != nil || got != v.want {
				t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, v.want)
			}
		}
		// Without -readonly, too: the server's next answer is right.
		out, err := exec.CommandContext(t.Context(), program, w.abs(DefaultPath), `SELECT count(*) FROM documents`).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "3" {
			t.Errorf("%v: %s", err, out)
		}
		if found := documentPaths(t, ix); !slices.Equal(found, w.paths()) {
			t.Errorf("the server has %q", found)
		}
	})
}

func documentPaths(t *testing.T, ix *Index) []string {
	t.Helper()
	a, err := answersOf(t.Context(), ix, nil)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range a.Documents {
		paths = append(paths, d.Path)
	}
	return paths
}

// pipeTable is a query's rows as the sqlite3 program prints them.
func pipeTable(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			b.WriteString([]string{"\n", "|"}[min(i, 1)] + v.String)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
