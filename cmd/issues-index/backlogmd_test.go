//go:build !windows

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"issues-index/store/storetest"
	"issues-index/tools/toolstest"
)

// backlogVersion is the version of Backlog.md that made the recorded project.
const backlogVersion = "1.52.0"

// backlogProject are the commands of Backlog.md that make the project.
var backlogProject = [][]string{
	{"init", "Sample", "--defaults", "--integration-mode", "none", "--include-remote", "false"},
	{"task", "create", "First: parse the file's head", "-d", "Why it is needed.", "--ac", "Reads BOM", "--ac", "Reads CRLF", "--dod", "Docs", "--priority", "high", "-l", "parser,bug", "-a", "@ann"},
	{"task", "create", "Second task", "--dep", "task-1", "-s", "In Progress", "--plan", "1. think", "--notes", "noted", "-a", "@ann,@bob"},
	{"task", "create", "Child of first", "-p", "task-1"},
	{"task", "create", "Third", "-s", "Done", "--final-summary", "It works."},
	{"task", "complete", "3"},
	{"task", "create", "Fourth & last (x) [y]: a/b?", "--type", "bug", "--due-date", "2026-12-01 10:00", "--ref", "https://example.org"},
	{"task", "create", "Dropped"},
	{"task", "archive", "5"},
	{"draft", "create", "A draft"},
	{"milestone", "add", "M1"},
}

// backlogWork is what an agent does in the project, call by call.
var backlogWork = []struct {
	tool      string
	arguments map[string]any
}{
	{"issues_list", map[string]any{"where": "sort id"}},
	{"issues_list", map[string]any{"status": []string{"In Progress"}}},
	{"issues_list", map[string]any{"where": "is:ready sort id"}},
	{"issues_stats", map[string]any{"groupBy": "status"}},
	{"issues_get", map[string]any{"id": "TASK-1"}},
	{"issues_claim", map[string]any{"operation": "next"}},
	{"issues_edit", map[string]any{"id": "1", "edits": []any{map[string]any{"op": "check", "boxes": []int{1}}}}},
	{"issues_edit", map[string]any{"id": "TASK-2", "edits": []any{
		map[string]any{"op": "append_section", "section": "Implementation Notes", "text": "and seen"},
		map[string]any{"op": "replace_section", "section": "Implementation Plan", "text": "1. do"},
	}}},
	{"issues_mark_complete", map[string]any{"id": "TASK-2"}},
	{"issues_update", map[string]any{"id": "TASK-4", "addDependsOn": []string{"TASK-1"}, "assignee": "@ann, @bob", "priority": "low"}},
	{"issues_update", map[string]any{"id": "TASK-3", "status": "To Do"}},
	{"issues_create", map[string]any{"title": "Fifth: a/b", "description": "What it is for.", "labels": []string{"new"}, "dependsOn": []string{"TASK-2"}, "assignee": "@ann"}},
	{"issues_create", map[string]any{"title": "Second child", "description": "## Description\n\nSmall.", "parent": "TASK-1"}},
	{"issues_list", map[string]any{"where": "sort id"}},
}

// workOnBacklog does the work through a server of the project, and returns what the server
// answered.
func workOnBacklog(t *testing.T, root string) string {
	t.Helper()
	a := startAgent(t, root)
	defer a.end()
	var log strings.Builder
	for _, step := range backlogWork {
		log.WriteString("## " + step.tool + "\n" + strings.TrimRight(a.must(t, step.tool, step.arguments, nil), "\n") + "\n\n")
	}
	return log.String()
}

// mapBacklog gives the project the configuration that the documentation has for it.
func mapBacklog(t *testing.T, root string, changes ...string) {
	t.Helper()
	guide, err := os.ReadFile(filepath.Join(repositoryRoot, "docs", "layouts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "## Other layouts\n")
	_, rest, _ = strings.Cut(rest, "```yaml\n")
	config, _, _ := strings.Cut(rest, "```\n")
	if !strings.Contains(config, "backlog/tasks") {
		t.Fatalf("docs/layouts.md has no configuration for Backlog.md: %q", config)
	}
	toolstest.Write(t, root, ".wrangler/config/issues-index.yaml", strings.NewReplacer(changes...).Replace(config))
}

// What differs from run to run: times, versions, who claims, and the fence.
var (
	backlogTime = regexp.MustCompile(`20\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?Z)?`)
	backlogDay  = regexp.MustCompile(`(?m) 20\d\d-\d\d-\d\d\b`)
	backlogSelf = regexp.MustCompile(`(?m)\bt/[a-z0-9]{6}\b|(version|fence): \w+$`)
)

func sameEveryRun(text string) string {
	text = backlogTime.ReplaceAllString(text, "TIME")
	return backlogSelf.ReplaceAllString(backlogDay.ReplaceAllString(text, " DAY"), "${1}SELF")
}

// backlogFiles are the files of the project, but for the program's own.
func backlogFiles(t *testing.T, root string) *txtar.Archive {
	t.Helper()
	archive := new(txtar.Archive)
	tree := storetest.Tree(t, filepath.Join(root, "backlog"))
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if !strings.HasPrefix(name, ".") && tree[name] != "/" {
			archive.Files = append(archive.Files, txtar.File{Name: "backlog/" + name, Data: []byte(tree[name])})
		}
	}
	return archive
}

const recordedProject = "testdata/backlogmd/project.txtar"

// TestBacklogProject works on a project of Backlog.md as that program left it: the answers
// and every byte of the files are those that were recorded.
func TestBacklogProject(t *testing.T) {
	project, err := txtar.ParseFile(recordedProject)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, f := range project.Files {
		toolstest.Write(t, root, f.Name, string(f.Data))
	}
	mapBacklog(t, root)
	answers := workOnBacklog(t, root)
	toolstest.Same(t, "testdata/backlogmd/answers.txt", []byte(sameEveryRun(answers)))
	toolstest.Same(t, "testdata/backlogmd/after.txtar", []byte(sameEveryRun(string(txtar.Format(backlogFiles(t, root))))))
}

// TestUnmappedStatuses holds that nothing is written among statuses that no one has mapped.
func TestUnmappedStatuses(t *testing.T) {
	project, err := txtar.ParseFile(recordedProject)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, f := range project.Files {
		toolstest.Write(t, root, f.Name, string(f.Data))
	}
	toolstest.Write(t, root, ".wrangler/config/issues-index.yaml", "folders: {issue: [backlog/tasks, backlog/completed]}\narchive: none\n")
	a := startAgent(t, root)
	defer a.end()
	before := storetest.Tree(t, filepath.Join(root, "backlog"))
	for tool, arguments := range map[string]map[string]any{
		"issues_create":        {"title": "New", "description": "x"},
		"issues_update":        {"id": "TASK-1", "status": "closed"},
		"issues_mark_complete": {"id": "TASK-1"},
		"issues_claim":         {"operation": "claim", "id": "TASK-1"},
	} {
		answer, err := a.call(tool, arguments)
		if err != nil {
			t.Fatal(err)
		}
		const line = "statuses: [{name: To Do, category: open}, {name: In Progress, category: active}, {name: Done, category: done}]"
		if !answer.IsError || !strings.Contains(answer.text(), line) {
			t.Errorf("%s: %s", tool, answer.text())
		}
	}
	a.must(t, "issues_update", map[string]any{"id": "TASK-1", "labels": []string{"other"}}, nil)
	after := storetest.Tree(t, filepath.Join(root, "backlog"))
	for name, text := range before {
		if after[name] != text && !strings.Contains(name, "task-1 ") {
			t.Errorf("%s has changed: %s", name, after[name])
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, there were %d", len(after), len(before))
	}
}

// TestForeignIDsAreGivenOutOnce has four servers, each in its own process, make tasks and
// children of two tasks at once.
func TestForeignIDsAreGivenOutOnce(t *testing.T) {
	const writers, each = 4, 6
	root := t.TempDir()
	mapBacklog(t, root)
	for _, id := range []string{"1", "2"} {
		toolstest.Write(t, root, "backlog/tasks/task-"+id+" - Parent.md", "---\nid: TASK-"+id+"\ntitle: Parent "+id+"\nstatus: To Do\n---\n")
	}
	var group sync.WaitGroup
	for n := range writers {
		a := startAgent(t, root)
		t.Cleanup(func() { a.end() })
		group.Go(func() {
			for i := range each {
				arguments := map[string]any{"title": fmt.Sprintf("Task %d %d", n, i), "description": "x"}
				if parent := i % 3; parent > 0 {
					arguments["parent"] = fmt.Sprintf("TASK-%d", parent)
				}
				a.must(t, "issues_create", arguments, nil)
			}
		})
	}
	group.Wait()
	var ids []string
	for name := range storetest.Tree(t, filepath.Join(root, "backlog", "tasks")) {
		if id, _, ok := strings.Cut(name, " - "); ok {
			ids = append(ids, id)
		}
	}
	want := []string{"task-1", "task-2"}
	for i := range writers * each / 3 {
		want = append(want, fmt.Sprintf("task-%d", i+3), fmt.Sprintf("task-1.%d", i+1), fmt.Sprintf("task-2.%d", i+1))
	}
	if slices.Sort(ids); !slices.Equal(ids, slices.Sorted(slices.Values(want))) {
		t.Errorf("%q", ids)
	}
}
