//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"issues-index/store/storetest"
	"issues-index/tools/toolstest"
)

// backlogProgram returns Backlog.md itself: that of PATH, else npm's.
func backlogProgram(t *testing.T) string {
	t.Helper()
	if !storetest.Long() {
		t.Skip("this takes long: -long")
	}
	if program, err := exec.LookPath("backlog"); err == nil {
		return program
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm, so Backlog.md itself is NOT asked")
	}
	directory := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline",
		"--fetch-retries=1", "--fetch-timeout=30000", "backlog.md@"+backlogVersion)
	said, err := install.CombinedOutput()
	switch {
	case err != nil && (ctx.Err() != nil || noRegistry.Match(said)):
		t.Skipf("npm has no registry, so Backlog.md itself is NOT asked: %s", said)
	case err != nil:
		t.Fatalf("npm install: %v\n%s", err, said)
	}
	return filepath.Join(directory, "node_modules", ".bin", "backlog")
}

// A backlog is Backlog.md itself in a project.
type backlog struct {
	t             *testing.T
	program, root string
}

// run runs one command of it, which must succeed.
func (b backlog) run(arguments ...string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, b.program, arguments...)
	command.Dir = b.root
	command.Env = append(os.Environ(), "NO_COLOR=1", "TZ=America/New_York")
	said, err := command.CombinedOutput()
	if err != nil {
		b.t.Errorf("backlog %q: %v\n%s", arguments, err, said)
	}
	return string(said)
}

// newBacklog has Backlog.md make a project in a new git repository.
func newBacklog(t *testing.T, program string, commands ...[]string) backlog {
	t.Helper()
	b := backlog{t, program, t.TempDir()}
	for _, arguments := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.email", "a@example.org"}, {"config", "user.name", "A"}} {
		git := exec.Command("git", arguments...)
		git.Dir = b.root
		if said, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git: %v\n%s", err, said)
		}
	}
	for _, arguments := range commands {
		b.run(arguments...)
	}
	return b
}

// TestBacklogItself works on a project of Backlog.md, and then asks Backlog.md about it.
// UPDATE_GOLDEN=1 records the project.
func TestBacklogItself(t *testing.T) {
	program := backlogProgram(t)
	b := newBacklog(t, program, backlogProject...)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		toolstest.Same(t, recordedProject, txtar.Format(backlogFiles(t, b.root)))
	}
	mapBacklog(t, b.root)
	workOnBacklog(t, b.root)
	worked := storetest.Tree(t, filepath.Join(b.root, "backlog"))

	t.Run("it lists what we list", func(t *testing.T) {
		if ours, its := ourStatuses(t, b.root), itsStatuses(b.run("task", "list", "--plain")); !maps.Equal(ours, its) {
			t.Errorf("we say %v, it says %v", ours, its)
		}
		if said := b.run("doctor"); !strings.Contains(said, "No duplicate IDs") {
			t.Error(said)
		}
	})
	t.Run("it shows what we wrote", func(t *testing.T) {
		for id, wants := range map[string][]string{
			"1":   {"TASK-1 - First: parse the file's head", "[x] #1 Reads BOM", "[ ] #2 Reads CRLF", "Priority: High"},
			"2":   {"Status: ✔ Done", "1. do", "noted", "and seen", "@ann, @bob"},
			"3":   {"To Do", "It works."},
			"4":   {"TASK-1 - First", "@ann, @bob", "Priority: Low", "Type: bug", "https://example.org"},
			"5":   {"TASK-5 - Fifth: a/b", "What it is for.", "@ann", "Labels: new", "TASK-2 - Second task"},
			"1.2": {"TASK-1.2 - Second child", "Small.", "Parent: TASK-1"},
		} {
			said := b.run("task", "view", id, "--plain")
			for _, want := range wants {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in task %s:\n%s", want, id, said)
				}
			}
		}
	})
	t.Run("its edits lose nothing of ours", func(t *testing.T) {
		for id := range ourStatuses(t, b.root) {
			b.run("task", "edit", id, "--append-notes", "seen by Backlog.md")
		}
		after := storetest.Tree(t, filepath.Join(b.root, "backlog"))
		for name, text := range worked {
			if !strings.HasPrefix(name, "tasks/") || text == "/" {
				continue
			}
			for line := range strings.Lines(text) {
				line = strings.TrimSpace(line)
				if value, one := strings.CutPrefix(line, "assignee: "); one && value != "[]" { // it has a line for each
					line = "- " + strings.Trim(value, "[]")
				}
				if !strings.HasPrefix(line, "updated_date:") && !hasLine(after[name], line) {
					t.Errorf("%s has lost %q:\n%s", name, line, after[name])
				}
			}
		}
	})
	t.Run("both give out the next ids", func(t *testing.T) {
		a := startAgent(t, b.root)
		defer a.end()
		for _, want := range []string{"TASK-6", "TASK-8"} {
			if said := b.run("task", "create", "By Backlog.md"); !strings.Contains(said, want+"\n") {
				t.Errorf("it made %s, want %s", said, want)
			}
			var created struct{ ID string }
			a.must(t, "issues_create", map[string]any{"title": "By us", "description": "x", "allowDuplicateTitle": true}, &created)
			if next := map[string]string{"TASK-6": "TASK-7", "TASK-8": "TASK-9"}[want]; created.ID != next {
				t.Errorf("we made %s, want %s", created.ID, next)
			}
		}
		if check, err := exec.Command("issues-index", "check", "--workspace", b.root).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, check)
		}
	})
}

// TestBacklogAndUs holds that a change gives the same bytes, whether Backlog.md makes it or
// we do, and that a new task gets the same id and file.
func TestBacklogAndUs(t *testing.T) {
	program := backlogProgram(t)
	it, us := newBacklog(t, program, backlogProject...), newBacklog(t, program, backlogProject...)
	mapBacklog(t, us.root)
	for _, arguments := range [][]string{
		{"task", "edit", "2", "-s", "Done"}, {"task", "edit", "1", "--check-ac", "2"}, {"task", "edit", "2", "--append-notes", "more"},
		{"task", "edit", "4", "--dep", "task-2", "-a", "@ann,@bob", "-s", "In Progress", "--priority", "low"},
	} {
		it.run(arguments...)
	}
	a := startAgent(t, us.root)
	defer a.end()
	a.must(t, "issues_mark_complete", map[string]any{"id": "TASK-2"}, nil)
	a.must(t, "issues_edit", map[string]any{"id": "TASK-1", "edits": []any{map[string]any{"op": "check", "boxes": []int{2}, "section": "Acceptance Criteria"}}}, nil)
	a.must(t, "issues_edit", map[string]any{"id": "TASK-2", "edits": []any{map[string]any{"op": "append_section", "section": "Implementation Notes", "text": "more"}}}, nil)
	a.must(t, "issues_update", map[string]any{"id": "TASK-4", "addDependsOn": []string{"TASK-2"}, "assignee": "@ann, @bob", "status": "In Progress", "priority": "low"}, nil)
	its, ours := backlogFiles(t, it.root), backlogFiles(t, us.root)
	for i, f := range its.Files {
		if i >= len(ours.Files) || ours.Files[i].Name != f.Name {
			t.Fatalf("%s is missing", f.Name)
		}
		if want, got := sorted(f.Data), sorted(ours.Files[i].Data); want != got {
			t.Errorf("%s:\n%s\nwant\n%s", f.Name, ours.Files[i].Data, f.Data)
		}
	}
}

// TestBacklogIDs holds that we name new tasks as Backlog.md does, with its own prefix and
// zeros as well.
func TestBacklogIDs(t *testing.T) {
	program := backlogProgram(t)
	commands := [][]string{
		{"init", "Sample", "--defaults", "--integration-mode", "none", "--include-remote", "false", "--zero-padded-ids", "3", "--task-prefix", "back"},
		{"task", "create", "First"}, {"task", "create", "Child", "-p", "1"}, {"task", "create", "Third", "-s", "Done"}, {"task", "complete", "2"},
	}
	it, us := newBacklog(t, program, commands...), newBacklog(t, program, commands...)
	mapBacklog(t, us.root, "TASK-{n}[.{n}]", "BACK-{n:3}[.{n:2}]")
	a := startAgent(t, us.root)
	defer a.end()
	for _, task := range []struct{ title, parent string }{
		{"What's new: a/b? (c) [d] e_f + g", ""}, {"Kid", "1"}, {"Kid 2", "BACK-001"}, {"Kid's kid", "1.2"}, {"Ünïcödé – 日本語 & more…", ""},
	} {
		create, arguments := []string{"task", "create", task.title}, map[string]any{"title": task.title, "description": "x"}
		if task.parent != "" {
			create, arguments["parent"] = append(create, "-p", task.parent), task.parent
		}
		it.run(create...)
		a.must(t, "issues_create", arguments, nil)
	}
	its, ours := slices.Sorted(maps.Keys(storetest.Tree(t, filepath.Join(it.root, "backlog/tasks")))), slices.Sorted(maps.Keys(storetest.Tree(t, filepath.Join(us.root, "backlog/tasks"))))
	if !slices.Equal(its, ours) {
		t.Errorf("it made %q, we made %q", its, ours)
	}
}

// sorted are the lines of a file in the order of their letters, since Backlog.md puts its
// keys in an order of its own, without what differs from run to run.
func sorted(data []byte) string {
	lines := strings.Split(strings.TrimSpace(sameEveryRun(string(data))), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func hasLine(text, line string) bool {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == line {
			return true
		}
	}
	return false
}

// ourStatuses are the tasks that Backlog.md does not count as put away, with their statuses.
func ourStatuses(t *testing.T, root string) map[string]string {
	t.Helper()
	output, err := exec.Command("issues-index", "list", "--all", "--json", "--workspace", root).Output()
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Documents []struct{ ID, Path, Status string }
	}
	if err := json.Unmarshal(output, &list); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	statuses := map[string]string{}
	for _, row := range list.Documents {
		if strings.HasPrefix(row.Path, "backlog/tasks/") {
			statuses[row.ID] = row.Status
		}
	}
	return statuses
}

var listedTask = regexp.MustCompile(`^  (?:\[[^\]]*\] )*(TASK-[0-9.]+) - `)

// itsStatuses reads what Backlog.md lists, by status.
func itsStatuses(listed string) map[string]string {
	statuses, status := map[string]string{}, ""
	for line := range strings.Lines(listed) {
		if m := listedTask.FindStringSubmatch(line); m != nil {
			statuses[m[1]] = status
		} else if heading, ok := strings.CutSuffix(strings.TrimSpace(line), ":"); ok {
			status = heading
		}
	}
	return statuses
}
