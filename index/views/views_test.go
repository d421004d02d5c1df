package views

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store"
)

// load reads the views of a workspace with a file of them, or without when it is "".
func load(t *testing.T, file string) (*Set, error) {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".wrangler"), 0o755); err != nil {
		t.Fatal(err)
	}
	if file != "" {
		if err := os.WriteFile(filepath.Join(root, File), []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	return Load(ws)
}

func TestViews(t *testing.T) {
	t.Parallel()
	t.Run("without a file there are the built-in ones", func(t *testing.T) {
		set, err := load(t, "")
		if err != nil || strings.Join(set.Names(), " ") != "blocked mine ready recent stale" || len(set.Boards) != 0 {
			t.Error(set, err)
		}
	})
	t.Run("a file adds to them, and may replace them", func(t *testing.T) {
		set, err := load(t, "ready: {where: 'is:ready type = issue', sort: 'updated desc', columns: [ID, title]}\nbugs:\n  where: label:bug\n")
		if err != nil || strings.Join(set.Names(), " ") != "blocked bugs mine ready recent stale" {
			t.Fatal(set, err)
		}
		ready, err := set.Named("READY")
		if err != nil || ready.Criteria.String() != "is:ready type = issue sort updated desc" || strings.Join(ready.Columns, " ") != "id title" {
			t.Error(ready.Criteria, ready.Columns, err)
		}
	})
	t.Run("boards have columns, in order", func(t *testing.T) {
		set, err := load(t, "boards:\n  main:\n    columns:\n      - {name: Doing, where: status = in_progress, set: {status: in_progress}}\n      - {name: Done, where: status = closed, limit: 20}\n")
		if err != nil || len(set.Boards["main"].Columns) != 2 || set.Boards["main"].Columns[0].Set["status"] != "in_progress" || set.Boards["main"].Columns[1].Limit != 20 {
			t.Error(set, err)
		}
	})
	t.Run("an unknown name says which there are", func(t *testing.T) {
		set, err := load(t, "")
		if err != nil {
			t.Fatal(err)
		}
		var unknown *UnknownError
		if _, err = set.Named("redy"); !errors.As(err, &unknown) || unknown.Near() != "ready" {
			t.Error(err)
		}
	})
}

func TestWrongViews(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"a: [":                             "line 1: not valid YAML: did not find expected node content",
		"\na: text":                        "line 2: the view a has to be `key: value` lines",
		"a: {were: x}":                     `line 1: the view a has no "were"; it takes where, sort, columns; did you mean where?`,
		"a: {}\na: {}":                     `line 2: "a" is there twice`,
		"a:\n  where: status =":            "line 2: the view a: column 9: expected a value (in quotes, if it is not one plain word), got the end",
		"a:\n  where: [x]":                 "line 2: where has to be one text; put it in quotes",
		"a: {columns: [id, size]}":         `line 1: there is no column "size"; there are ` + strings.Join(Columns, ", "),
		"a: &x {where: y}\nb: *x":          "line 1: anchors and aliases are not allowed: write the value where it belongs",
		"boards: {b: {columns: {}}}":       "line 1: columns has to be a list",
		"boards: {b: {columns: [{}]}}":     "line 1: a column has no name",
		"- a":                              "line 1: the file has to be `key: value` lines",
		"a: " + strings.Repeat("x", 1<<17): "it is larger than 64 KiB",
		"boards: {b: {columns: [{name: A, limit: 0}]}}": "line 1: limit has to be a number from 1 to 1000",
	} {
		_, err := load(t, file)
		var wrong *FileError
		if !errors.As(err, &wrong) || !strings.HasSuffix(err.Error(), want) || !strings.HasPrefix(err.Error(), File) {
			t.Errorf("%.40q: %v, want %s", file, err, want)
		}
	}
}
