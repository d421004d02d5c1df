package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// argErr is what reading wrong arguments of a tool answers.
func argErr(readOnly bool, raw string, read func(*tools.Args)) error {
	args := tools.NewArgs(taker(readOnly), json.RawMessage(raw))
	read(args)
	return args.Err()
}

// TestErrorTexts compares what a client and a terminal show of every error with
// testdata/errors.txt.
func TestErrorTexts(t *testing.T) {
	nothing := func(*tools.Args) {}
	var manyRows []index.Row
	for i := range 25 {
		manyRows = append(manyRows, index.Row{Path: fmt.Sprintf(".wrangler/issues/%02d.md", i), Title: "Same id"})
	}
	cases := []struct {
		name string
		err  error
	}{
		{"a required argument is missing", argErr(true, `{}`, func(a *tools.Args) { a.Required("id") })},
		{"it came under another name", argErr(true, `{"issueId":"x"}`, func(a *tools.Args) { a.Required("id") })},
		{"it is blank", argErr(true, `{"id":" "}`, func(a *tools.Args) { a.Required("id") })},
		{"a required list is empty", argErr(true, `{"labels":[]}`, func(a *tools.Args) { a.RequiredIDs("labels", 50) })},
		{"a required enum is missing", argErr(true, `{}`, func(a *tools.Args) { a.RequiredEnum("status", "open") })},
		{"a list is too long", argErr(true, `{"labels":["a","b","c"]}`, func(a *tools.Args) { a.RequiredIDs("labels", 2) })},
		{"a string is an object", argErr(true, `{"id":{}}`, func(a *tools.Args) { a.String("id") })},
		{"a list is an object", argErr(true, `{"labels":{}}`, func(a *tools.Args) { a.Strings("labels") })},
		{"a list holds a list", argErr(true, `{"labels":[["a"]]}`, func(a *tools.Args) { a.Strings("labels") })},
		{"a value is not in the enum", argErr(true, `{"status":"P0"}`, func(a *tools.Args) {
			a.Enum("status", "low", "medium", "high", "critical")
		})},
		{"a number is over the maximum", argErr(true, `{"limit":500}`, func(a *tools.Args) { a.Int("limit", 1, 100, 25) })},
		{"a number is far over the maximum", argErr(true, `{"limit":1e400}`, func(a *tools.Args) { a.Int("limit", 1, 100, 25) })},
		{"a number is under the minimum", argErr(true, `{"limit":-1}`, func(a *tools.Args) { a.Int("limit", 1, 100, 25) })},
		{"a number has a fraction", argErr(true, `{"limit":"2.5"}`, func(a *tools.Args) { a.Int("limit", 1, 100, 25) })},
		{"a number is a word", argErr(true, `{"limit":"many"}`, func(a *tools.Args) { a.Int("limit", 1, 100, 25) })},
		{"a number is a list", argErr(true, `{"limit":[1,2]}`, func(a *tools.Args) { a.Int("limit", 1, 100, 25) })},
		{"a truth value is a word", argErr(true, `{"confirm":"maybe"}`, func(a *tools.Args) { a.Bool("confirm") })},
		{"a date is a word", argErr(true, `{"after":"tomorrow"}`, func(a *tools.Args) { a.Time("after") })},
		{"a date does not exist", argErr(true, `{"after":"2026-02-30"}`, func(a *tools.Args) { a.Time("after") })},
		{"an object is a list", argErr(true, `{"filters":[]}`, func(a *tools.Args) { a.Object("filters") })},
		{"a member of an object is wrong", argErr(true, `{"filters":{"status":"rejected"}}`, func(a *tools.Args) {
			a.Object("filters", "status").Enum("status", "open", "closed")
		})},
		{"the arguments are a list", argErr(true, `[]`, nothing)},
		{"a writing tool gets an unknown argument", argErr(false, `{"id":"x","colour":"red"}`, nothing)},
		{"a writing tool gets a misspelt argument", argErr(false, `{"id":"x","lables":["a"]}`, nothing)},
		{"all mistakes are told", argErr(true, `{"limit":0,"confirm":2}`, func(a *tools.Args) {
			a.Int("limit", 1, 100, 25)
			a.Bool("confirm")
		})},
		{"each mistake is told once, and so is the same advice", argErr(true, `{"id":""}`, func(a *tools.Args) {
			a.Required("id")
			a.Required("id")
			a.RequiredIDs("labels", 9)
		})},
		{"a value of another tracker", argErr(true, `{"status":"in review"}`, func(a *tools.Args) { a.Enum("status", "open", "in_progress") })},
		{"a filter for all", argErr(true, `{"status":"all"}`, func(a *tools.Args) { a.Enums("status", "open", "closed") })},
		{"a list of ids holds an object without one", argErr(true, `{"labels":["a",{"name":"b"}]}`, func(a *tools.Args) { a.IDs("labels") })},
		{"a value is long and has control characters", argErr(true, `{"status":"`+strings.Repeat(`x\n`, 999)+`"}`, func(a *tools.Args) {
			a.Enum("status", "open")
		})},

		{"no document has the id", &index.NotFoundError{ID: "ISS-000099"}},
		{"no document has the id, but one had it", &index.NotFoundError{ID: "ISS-000099", Renumbered: []string{"ISS-000120"}}},
		{"no document has the id, but one near", &index.NotFoundError{ID: "ISS-000099", Suggestions: []string{"ISS-000098"}}},
		{"the id is ambiguous", &index.AmbiguousError{ID: "ISS-000058", Candidates: []index.Row{
			{Path: ".wrangler/issues/ISS-000058-one.md", Title: "One"},
			{Path: ".wrangler/issues/archived/ISS-000058-two.md", Title: "Two"},
		}}},
		{"the id is very ambiguous", &index.AmbiguousError{ID: "1", Candidates: manyRows}},
		{"the cursor is unknown", &index.CursorError{Reason: index.CursorUnknown}},
		{"the cursor has expired", &index.CursorError{Reason: index.CursorExpired}},
		{"the cursor is another tool's", &index.CursorError{Reason: index.CursorScope, Scope: "issues_search"}},
		{"the path leads out", fmt.Errorf("load: %w", &store.PathError{Path: "../../etc/passwd", Reason: "leads out of the workspace"})},
		{"the time is up", fmt.Errorf("query: %w", context.DeadlineExceeded)},
		{"the time is up while the index catches up", fmt.Errorf("list: %w", &index.BehindError{Done: 4200, Total: 100000})},
		{"a search has too many words", &index.TermsError{Terms: 2000, Most: 256}},
		{"the call is cancelled", context.Canceled},
		{"the file is gone", &fs.PathError{Op: "open", Path: "/home/me/secret.md", Err: fs.ErrNotExist}},
		{"the file may not be read", &fs.PathError{Op: "open", Path: "/home/me/secret.md", Err: fs.ErrPermission}},
		{"the workspace is locked", fmt.Errorf("update: %w", store.ErrLocked)},
		{"another program writes to the index", fmt.Errorf("wait: %w", &index.LockedError{Path: ".wrangler/cache/issues-index.db"})},
		{"another program opens an index outside of the workspace", &index.LockedError{Path: "/home/me/x.db.turn", Opening: true}},
		{"the workspace is away", &store.RootError{Dir: "/home/me/repository", Err: syscall.ENOENT}},
		{"the workspace cannot be opened", &store.RootError{Dir: "/home/me/repository", Err: syscall.ESTALE}},
		{"the workspace is another folder now", fmt.Errorf("open: %w", store.ErrReplaced)},
		{"the title is taken", &edit.DuplicateTitleError{Row: index.Row{ID: "ISS-000042", Type: "issue", Path: "a.md", Status: "open"}}},
		{"the title is taken by one whose id is shared", &edit.DuplicateTitleError{
			Row: index.Row{ID: "SPEC-000001", Type: "specification", Path: ".wrangler/specifications/b.md", Shared: true},
		}},
		{"a document cannot have the value", &store.ValueError{Field: "priority", Value: "urgent", Reason: "is no priority", Allowed: layout.Default().Priorities}},
		{"a document cannot have the text", &store.ValueError{Field: "description", Reason: "has a NUL byte"}},
		{"another file is in the way", &store.ConflictError{Path: ".wrangler/issues/archived/a.md", Reason: "exists already"}},
		{"the frontmatter is broken", &store.UneditableError{Reason: "the closing --- is missing", Line: 7}},
		{"the disk is full", &store.DiskError{Op: "write", Path: ".wrangler/issues/a.md", Err: syscall.ENOSPC}},
		{"the disk failed after the change", &store.DiskError{Op: "save", Path: ".wrangler/issues/a.md", Err: syscall.EIO, Unsettled: true}},
		{"the disk is read-only", &store.DiskError{Op: "write", Path: ".wrangler/issues/a.md", Err: syscall.EROFS}},
		{"the file may not be written", fmt.Errorf("update: %w", &store.DiskError{
			Op: "write", Path: ".wrangler/issues/a.md", Err: fmt.Errorf("the file is write-protected: %w", fs.ErrPermission),
		})},
		{"the file system says something unknown", &store.DiskError{Op: "write", Path: ".wrangler/issues/a.md", Err: errors.New("os: process already finished")}},
		{"anything else", errors.New("sql: database is closed at /home/me/x.db")},
		{"an error of the tools' own", fmt.Errorf("wrapped: %w", tools.Errorf(tools.CodePermissionDenied,
			"Cannot delete issue without confirm: true.").On("confirm").Try("Pass {id: 'X', confirm: true} to confirm deletion."))},
	}
	var got strings.Builder
	for _, c := range cases {
		if c.err == nil {
			t.Fatalf("%s: no error", c.name)
		}
		e := tools.ErrorOf(c.err)
		text, _, _ := strings.Cut(e.Error(), "\n")
		if len(text) >= 500 {
			t.Errorf("%s: %d bytes", c.name, len(text))
		}
		fmt.Fprintf(&got, "# %s\n%s\n", c.name, e.Error())
		if own := (*tools.Error)(nil); !errors.As(c.err, &own) {
			message, hint := e.Terminal()
			fmt.Fprintf(&got, "terminal: %s\nhint: %s\n", message, hint)
		}
		got.WriteString("\n")
	}
	toolstest.Same(t, filepath.Join("testdata", "errors.txt"), []byte(got.String()))
}

func TestErrorNeverShowsWhatLiesBelow(t *testing.T) {
	for _, err := range []error{
		errors.New("sql: database is closed at /home/me/x.db"),
		&fs.PathError{Op: "open", Path: "/home/me/secret.md", Err: fs.ErrNotExist},
	} {
		if text := tools.ErrorOf(err).Error(); strings.Contains(text, "/home") || strings.Contains(text, "sql") {
			t.Errorf("%v is shown: %s", err, text)
		}
	}
}

func TestErrorTextIsCutBetweenRunes(t *testing.T) {
	text := tools.Errorf(tools.CodeConflict, "%s", strings.Repeat("é", 400)).Error()
	if len(text) >= 500 || !strings.HasSuffix(text, "é…") {
		t.Errorf("%d bytes, ends in %q", len(text), text[len(text)-8:])
	}
}
