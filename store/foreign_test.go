package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/layout"
)

// backlogLayout is that of Backlog.md, as docs/layouts.md has it.
const backlogLayout = `folders:
  issue: [backlog/tasks, backlog/completed]
archive: none
idPattern: TASK-{n}[.{n}]
fileName: "{id:lower} - {title}"
dates: {created: created_date, updated: updated_date, format: yyyy-mm-dd hh:mm}
links: {dependsOn: dependencies, parent: parent_task_id}
descriptionHeading: Description
statuses:
  - {name: To Do, category: open}
  - {name: In Progress, category: active}
  - {name: Done, category: done}
priorities: [low, medium, high]
`

var foreignTime = time.Date(2026, 2, 15, 10, 30, 45, 0, time.UTC)

// openForeign opens a workspace with a layout and files.
func openForeign(t *testing.T, config string, files map[string]string) *Workspace {
	t.Helper()
	root := t.TempDir()
	writeFiles(t, root, map[string]string{layout.File: config})
	writeFiles(t, root, files)
	w, err := Open(Options{Root: root, Getenv: func(string) string { return "" }, Now: func() time.Time { return foreignTime }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func mustCreate(t *testing.T, w *Workspace, n NewDocument) Written {
	t.Helper()
	done, err := w.Create(context.Background(), n, CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func mustUpdate(t *testing.T, w *Workspace, path string, f Fields) Written {
	t.Helper()
	done, err := w.Update(context.Background(), path, func(*Document) (Fields, error) { return f, nil })
	if err != nil {
		t.Fatal(err)
	}
	return done
}

const foreignTask = "---\nid: TASK-7\ntitle: Old\nstatus: To Do\nassignee: []\ncreated_date: '2026-01-01 08:00'\nlabels: []\ndependencies: []\ntype: bug\nordinal: 1000\n---\n\n## Notes\n"

func TestNewDocumentsGoOnWithTheLayout(t *testing.T) {
	w := openForeign(t, backlogLayout, map[string]string{
		"backlog/tasks/task-7 - Old.md":       foreignTask,
		"backlog/completed/task-9 - Older.md": "---\nid: TASK-9\ntitle: Older\nstatus: Done\n---\n",
		"backlog/tasks/task-7.2 - Kid.md":     "---\nid: TASK-7.2\ntitle: Kid\nstatus: To Do\nparent_task_id: TASK-7\n---\n",
		"backlog/drafts/draft-30 - Later.md":  "---\nid: DRAFT-30\n---\n",
	})
	first := mustCreate(t, w, NewDocument{Title: "What's (new): a/b?", Description: "Text.\n", DependsOn: []string{"TASK-7"}, Labels: []string{"x"}, Assignee: "@ann"})
	const want = `---
id: TASK-10
title: 'What''s (new): a/b?'
status: To Do
priority: medium
labels:
  - x
created_date: '2026-02-15 10:30'
updated_date: '2026-02-15 10:30'
assignee: '@ann'
dependencies:
  - TASK-7
---

## Description

Text.
`
	if first.Path != "backlog/tasks/task-10 - Whats-new-a-b.md" || string(first.Data) != want {
		t.Errorf("%s\n%s", first.Path, first.Data)
	}
	for i, c := range []struct{ parent, want string }{
		{"TASK-7", "backlog/tasks/task-7.3 - Kid.md"}, {"TASK-7", "backlog/tasks/task-7.4 - Kid.md"},
		{"TASK-7.2", "backlog/tasks/task-7.2.1 - Kid.md"}, {"", "backlog/tasks/task-11 - Kid.md"},
	} {
		done := mustCreate(t, w, NewDocument{Title: "Kid", Description: "# Own heading\n", Parent: c.parent})
		if done.Path != c.want || done.After.Parent != c.parent || c.parent != "" && !strings.Contains(string(done.Data), "\nparent_task_id: "+c.parent+"\n") {
			t.Errorf("%d: %s\n%s", i, done.Path, done.Data)
		}
		if !strings.HasSuffix(string(done.Data), "---\n\n# Own heading\n") {
			t.Errorf("%d: %s", i, done.Data)
		}
		if problems := done.After.Problems; len(problems) > 0 {
			t.Errorf("%d: %v", i, problems)
		}
	}
	inContext := mustCreate(t, w, NewDocument{Title: "Kid", Context: []byte(`{"parentTaskId": "TASK-7", "x": 1}`)})
	if inContext.After.ID != "TASK-7.5" || inContext.After.Parent != "TASK-7" || !strings.Contains(string(inContext.Data), "\nparent_task_id: TASK-7\nwranglerContext:\n  x: 1\n---") {
		t.Errorf("%s", inContext.Data)
	}
	if spec := mustCreate(t, w, NewDocument{Type: TypeSpecification, Title: "Spec"}); spec.Path != ".wrangler/specifications/SPEC-000001 - Spec.md" && spec.Path != ".wrangler/specifications/spec-000001 - Spec.md" {
		t.Error(spec.Path)
	}
}

func TestNumbersOfDeletedChildrenAreNotGivenAgain(t *testing.T) {
	w := openForeign(t, backlogLayout, map[string]string{"backlog/tasks/task-7 - Old.md": foreignTask})
	kid := mustCreate(t, w, NewDocument{Title: "Kid", Parent: "TASK-7"})
	if _, err := w.Delete(context.Background(), kid.Path, nil); err != nil {
		t.Fatal(err)
	}
	again, err := w.Reopen()
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuietly(again)
	if next := mustCreate(t, again, NewDocument{Title: "Kid", Parent: "TASK-7"}); next.After.ID != "TASK-7.2" {
		t.Error(next.After.ID)
	}
}

func TestUpdatesUseTheKeysOfTheLayout(t *testing.T) {
	w := openForeign(t, backlogLayout, map[string]string{"backlog/tasks/task-7 - Old.md": foreignTask})
	done, active, parent := "Done", "In Progress", "TASK-1"
	closed := mustUpdate(t, w, "backlog/tasks/task-7 - Old.md", Fields{Status: &done, AddDependsOn: []string{"TASK-2"}, Parent: &parent})
	want := strings.NewReplacer("To Do", "Done", "dependencies: []", "dependencies: [TASK-2]",
		"ordinal: 1000\n", "ordinal: 1000\nparent_task_id: TASK-1\nupdated_date: '2026-02-15 10:30'\n").Replace(foreignTask)
	if string(closed.Data) != want || closed.Path != closed.OldPath {
		t.Errorf("%s\n%s", closed.Path, closed.Data)
	}
	opened := mustUpdate(t, w, closed.Path, Fields{Status: &active})
	if want := strings.Replace(want, "status: Done", "status: In Progress", 1); string(opened.Data) != want {
		t.Errorf("%s", opened.Data)
	}
	if opened.After.Updated != foreignTime.Truncate(time.Minute) || opened.After.Type != TypeIssue || len(opened.After.Problems) > 0 {
		t.Errorf("%+v", opened.After)
	}
	moved := mustUpdate(t, w, opened.Path, Fields{Context: map[string]json.RawMessage{"parentTaskId": []byte(`"TASK-2"`)}})
	if !strings.Contains(string(moved.Data), "\nparent_task_id: TASK-2\n") || strings.Contains(string(moved.Data), "wranglerContext") {
		t.Errorf("%s", moved.Data)
	}
	issue, spec := TypeIssue, TypeSpecification
	if same := mustUpdate(t, w, opened.Path, Fields{Type: &issue}); same.Changed {
		t.Errorf("%s", same.Data)
	}
	if moved := mustUpdate(t, w, opened.Path, Fields{Type: &spec}); moved.Path != ".wrangler/specifications/task-7 - Old.md" || moved.After.Type != TypeSpecification {
		t.Errorf("%s\n%s", moved.Path, moved.Data)
	}
}

func TestRewrittenDocumentsAreStampedAsTheLayoutSays(t *testing.T) {
	config := strings.Replace(backlogLayout, "updated: updated_date", "updated: changed, closed: finished", 1)
	w := openForeign(t, config, map[string]string{"backlog/tasks/task-7 - Old.md": foreignTask})
	done, err := w.Rewrite(context.Background(), "backlog/tasks/task-7 - Old.md", func(_ *Document, text []byte) ([]byte, error) {
		return []byte(strings.Replace(string(text), "To Do", "Done", 1)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"\nchanged: '2026-02-15 10:30'\n", "\nfinished: '2026-02-15 10:30'\n"} {
		if strings.Count(string(done.Data), line) != 1 {
			t.Errorf("no %q in\n%s", line, done.Data)
		}
	}
	if done.After.Closed.IsZero() || strings.Contains(string(done.Data), "closedAt") {
		t.Errorf("%s", done.Data)
	}
	open := "To Do"
	if again := mustUpdate(t, w, done.Path, Fields{Status: &open}); strings.Contains(string(again.Data), "finished") {
		t.Errorf("%s", again.Data)
	}
}

// What becomes of a document when it is finished, and when it is opened again.
func TestArchivesOfLayouts(t *testing.T) {
	doc := func(status string) string { return "---\nid: ISS-1\ntitle: x\nstatus: " + status + "\n---\n" }
	for _, c := range []struct{ config, from, finished, opened string }{
		{"", ".wrangler/issues/ISS-1.md", ".wrangler/issues/archived/ISS-1.md", ".wrangler/issues/ISS-1.md"},
		{"archive: none\n", ".wrangler/issues/a/ISS-1.md", ".wrangler/issues/a/ISS-1.md", ".wrangler/issues/a/ISS-1.md"},
		{"archive: none\n", ".wrangler/issues/archived/ISS-1.md", ".wrangler/issues/archived/ISS-1.md", ".wrangler/issues/ISS-1.md"},
		{"archive: done\n", ".wrangler/issues/a/ISS-1.md", ".wrangler/issues/done/ISS-1.md", ".wrangler/issues/ISS-1.md"},
		{"folders: {issue: [b/tasks, b/completed]}\narchive: completed\n", "b/tasks/ISS-1.md", "b/completed/ISS-1.md", "b/tasks/ISS-1.md"},
		{"folders: {issue: [b/tasks, b/completed]}\narchive: none\n", "b/completed/ISS-1.md", "b/completed/ISS-1.md", "b/tasks/ISS-1.md"},
		{"folders: {issue: [b/bugs, b/features]}\n", "b/features/ISS-1.md", "b/features/archived/ISS-1.md", "b/features/ISS-1.md"},
		{"folders: {issue: [b/bugs, b/features]}\narchive: none\n", "b/features/ISS-1.md", "b/features/ISS-1.md", "b/features/ISS-1.md"},
	} {
		w := openForeign(t, c.config, map[string]string{c.from: doc("in_progress")})
		if strings.Contains(c.from, "completed") || strings.Contains(c.from, "archived") {
			writeFiles(t, w.Root, map[string]string{c.from: doc("closed")})
		}
		done, active := "cancelled", "in_progress"
		finished := mustUpdate(t, w, c.from, Fields{Status: &done})
		opened := mustUpdate(t, w, finished.Path, Fields{Status: &active})
		if finished.Path != c.finished || opened.Path != c.opened {
			t.Errorf("%q: finished in %s and opened in %s, want %s and %s", c.config, finished.Path, opened.Path, c.finished, c.opened)
		}
		if problems := slices.Concat(finished.After.Problems, opened.After.Problems); len(problems) > 0 {
			t.Errorf("%q: %v", c.config, problems)
		}
	}
}

func TestEnvironmentComesBeforeTheLayoutAndThatBeforeTheSchema(t *testing.T) {
	root := t.TempDir()
	writeFiles(t, root, map[string]string{
		layout.File: "folders: {issue: [a, b], idea: c}\n",
		schemaFile:  `{"mcpConfiguration": {"issuesDirectory": "x", "ideasDirectory": "y", "specificationsDirectory": "z"}}`,
	})
	w, err := Open(Options{Root: root, Getenv: func(name string) string {
		return map[string]string{"WRANGLER_IDEAS_DIRECTORY": "d"}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuietly(w)
	var dirs []string
	for _, c := range w.Collections {
		dirs = append(dirs, c.Type+" "+c.Dir)
	}
	if want := []string{"issue a", "issue b", "specification z", "idea d"}; !slices.Equal(dirs, want) {
		t.Errorf("%q, want %q", dirs, want)
	}
}

func TestFoldersOfALayoutStayInTheWorkspace(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	writeFiles(t, root, map[string]string{layout.File: "folders: {issue: link}\n"})
	symlink(t, outside, filepath.Join(root, "link"))
	_, err := Open(Options{Root: root, Getenv: func(string) string { return "" }})
	var refused *PathError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), layout.File) {
		t.Error(err)
	}
}

func TestIDNumbersOfLayouts(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          []IDNumber
	}{
		{"TASK-{n}[.{n}]", "task-12 - A title", []IDNumber{{TypeIssue, 12}}},
		{"TASK-{n}[.{n}]", "TASK-012.03.4 - 5", []IDNumber{{TypeIssue, 12}, {"task-12", 3}, {"task-12.3", 4}}},
		{"TASK-{n}[.{n}]", "TASK-12.x", []IDNumber{{TypeIssue, 12}}},
		{"TASK-{n}[.{n}]", "ISS-12", nil},
		{"TASK-{n}[.{n}]", "SPEC-12.1", []IDNumber{{TypeSpecification, 12}}},
		{"TASK-{n}", "TASK-12.3", []IDNumber{{TypeIssue, 12}}},
		{"'{n:4}'", "0007-use-sqlite", []IDNumber{{TypeIssue, 7}}},
		{"'{n:4}'", "use-sqlite", nil},
		{"T{n}", "T5", []IDNumber{{TypeIssue, 5}}},
		{"T{n}", "TASK-5", nil},
	} {
		w := openForeign(t, "idPattern: "+c.pattern+"\n", nil)
		if got := w.IDNumbers(TypeIssue, c.name); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q has %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}

// Two worktrees with writers of their own give out each number once, of children as well.
func TestChildrenInSeveralWorktrees(t *testing.T) {
	base := realDir(t, t.TempDir())
	writeFiles(t, base, gitFiles(base))
	writeFiles(t, base, map[string]string{
		"main/" + layout.File: backlogLayout, "one/" + layout.File: backlogLayout,
		"main/backlog/tasks/task-7 - Old.md": foreignTask, "one/backlog/tasks/task-7 - Old.md": foreignTask,
		"one/backlog/tasks/task-7.5 - There.md": "---\nid: TASK-7.5\n---\n",
	})
	var ids []string
	for i := range 4 {
		w := openWorkspace(t, filepath.Join(base, []string{"main", "one"}[i%2]), nil)
		ids = append(ids, mustCreate(t, w, NewDocument{Title: fmt.Sprint("Kid ", i), Parent: "TASK-7"}).After.ID)
	}
	if want := []string{"TASK-7.6", "TASK-7.7", "TASK-7.8", "TASK-7.9"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
}
