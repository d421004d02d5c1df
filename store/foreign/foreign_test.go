package foreign_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store"
	"issues-index/store/foreign"
	"issues-index/store/layout"
	"issues-index/store/storetest"
)

// open opens a folder as a workspace, without an environment.
func open(t interface {
	Fatal(...any)
	Cleanup(func())
}, root string) *store.Workspace {
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func find(t *testing.T, files map[string]string) []foreign.Tracker {
	t.Helper()
	root := t.TempDir()
	storetest.WriteFiles(t, root, files)
	return foreign.Find(open(t, root))
}

const task = "---\nid: TASK-1\n---\n"

// bomb is a list whose aliases stand for millions of words.
func bomb() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	return text + "statuses: *a9\n"
}

func TestFind(t *testing.T) {
	for name, test := range map[string]struct {
		files  map[string]string
		folder string // of the only tracker, "" for none
		has    []string
		notes  string // a part of the notes
	}{
		"nothing":                       {map[string]string{"main.go": ""}, "", nil, ""},
		"a folder that is no project":   {map[string]string{"backlog/notes.md": ""}, "", nil, ""},
		"the usual project":             {map[string]string{"backlog/tasks/task-1 - A.md": task}, "backlog", []string{"issue: [backlog/tasks, backlog/completed]", "idPattern: TASK-{n}[.{n}]", "{name: To Do, category: open}"}, ""},
		"a hidden folder":               {map[string]string{".backlog/tasks/task-1 - A.md": task}, ".backlog", []string{`issue: [.backlog/tasks, .backlog/completed]`}, ""},
		"a folder that the root names":  {map[string]string{"backlog.config.yml": "backlog_directory: work items\ntask_prefix: bug\n", "work items/tasks/bug-1 - A.md": task}, "work items", []string{"work items/tasks", "BUG-{n}[.{n}]"}, ""},
		"a root's folder outside":       {map[string]string{"backlog.config.yml": "backlog_directory: ../x\n", "backlog/tasks/task-1 - A.md": task}, "backlog", []string{"backlog/tasks"}, ""},
		"statuses of its own":           {map[string]string{"backlog/config.yml": "statuses: [Inbox, Doing, QA, Shipped]", "backlog/tasks/a.md": task}, "backlog", []string{"{name: Inbox, category: open}", "{name: Doing, category: active}", "{name: QA, category: active}", "{name: Shipped, category: done}"}, "guessed"},
		"two statuses":                  {map[string]string{"backlog/config.yml": "statuses: [Nil, Fin]", "backlog/tasks/a.md": task}, "backlog", []string{"{name: Nil, category: open}", "{name: In Progress, category: active}", "{name: Fin, category: done}"}, "guessed"},
		"three words that tell nothing": {map[string]string{"backlog/config.yml": "statuses: [Eins, Zwei, Drei]", "backlog/tasks/a.md": task}, "backlog", []string{"{name: Eins, category: open}", "{name: Zwei, category: active}", "{name: Drei, category: done}"}, "guessed"},
		"one status":                    {map[string]string{"backlog/config.yml": "statuses: [All]", "backlog/tasks/a.md": task}, "backlog", []string{"{name: To Do, category: open}"}, "the usual ones"},
		"settings that are no YAML":     {map[string]string{"backlog/config.yml": "a: [", "backlog/tasks/a.md": task}, "backlog", []string{"{name: To Do, category: open}"}, "cannot be read"},
		"settings that are too large":   {map[string]string{"backlog/config.yml": strings.Repeat("#", 70<<10), "backlog/tasks/a.md": task}, "backlog", []string{"{name: To Do, category: open}"}, "over 65536 bytes"},
		"settings that multiply":        {map[string]string{"backlog/config.yml": bomb(), "backlog/tasks/a.md": task}, "backlog", []string{"{name: To Do, category: open}"}, "cannot be read"},
		"beads":                         {map[string]string{".beads/beads.db": ""}, ".beads", nil, "bd list --json"},
		"only a README":                 {map[string]string{"docs/issues/README.md": ""}, "", nil, ""},
		"ids of one form":               {map[string]string{"docs/issues/a.md": "---\nid: BUG-012\n---\n", "docs/issues/b.md": "---\nid: BUG-7\n---\n"}, "docs/issues", []string{"issue: docs/issues", "archive: none", `idPattern: "BUG-{n}"`}, ""},
		"padded ids":                    {map[string]string{"docs/issues/0001.md": "---\nid: \"0001\"\n---\n"}, "docs/issues", []string{`idPattern: "{n:4}"`, `fileName: "{id}"`}, ""},
		"an archive":                    {map[string]string{"docs/issues/a.md": "# A\n", "docs/issues/archived/b.md": ""}, "docs/issues", []string{"folders: {issue: docs/issues}\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := find(t, test.files)
			if test.folder == "" {
				if len(found) > 0 {
					t.Fatalf("found %+v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Folder != test.folder {
				t.Fatalf("found %+v", found)
			}
			for _, part := range test.has {
				if !strings.Contains(found[0].Layout, part) {
					t.Errorf("there is no %s in\n%s", part, found[0].Layout)
				}
			}
			if notes := strings.Join(found[0].Notes, "\n"); !strings.Contains(notes, test.notes) {
				t.Errorf("the notes are %s", notes)
			}
		})
	}
	t.Run("an archive goes on", func(t *testing.T) {
		found := find(t, map[string]string{"docs/issues/a.md": "# A\n", "docs/issues/archived/b.md": ""})
		if strings.Contains(found[0].Layout, "archive:") {
			t.Errorf("it is switched off:\n%s", found[0].Layout)
		}
	})
	t.Run("ids of several forms are left alone", func(t *testing.T) {
		found := find(t, map[string]string{"docs/issues/a.md": "---\nid: A-1\n---\n", "docs/issues/b.md": "---\nid: B-1\n---\n"})
		if strings.Contains(found[0].Layout, "idPattern") {
			t.Errorf("one is chosen:\n%s", found[0].Layout)
		}
	})
	t.Run("links that lead out are not followed", func(t *testing.T) {
		outside, root := t.TempDir(), t.TempDir()
		storetest.WriteFiles(t, outside, map[string]string{"tasks/a.md": task, "b.md": ""})
		if err := os.Symlink(outside, filepath.Join(root, "backlog")); err != nil {
			t.Skip(err)
		}
		storetest.WriteFiles(t, root, map[string]string{"docs/x.md": ""})
		if err := os.Symlink(outside, filepath.Join(root, "docs", "issues")); err != nil {
			t.Skip(err)
		}
		if found := foreign.Find(open(t, root)); len(found) > 0 {
			t.Errorf("found %+v", found)
		}
	})
}

// Whatever a project's settings say, the keys make a valid layout that says nothing else.
func TestLayoutIsValidWhateverTheSettingsSay(t *testing.T) {
	root := t.TempDir()
	storetest.WriteFiles(t, root, map[string]string{"backlog/tasks/a.md": task})
	settings := filepath.Join(root, "backlog", "config.yml")
	ws := open(t, root)
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-z][A-Za-z _-]{0,8}`), rapid.SampledFrom([]string{"Done", "open", "null", "yes", "a: b", "x\nfolders: {issue: .git}", "]", "{n}"}))
		text := "statuses:\n"
		for range rapid.IntRange(0, 60).Draw(t, "statuses") {
			text += "  - " + layout.WriteScalar(word.Draw(t, "status")) + "\n"
		}
		text += "priorities: [" + layout.WriteScalar(word.Draw(t, "priority")) + "]\ntask_prefix: " + layout.WriteScalar(word.Draw(t, "prefix")) + "\n"
		text += rapid.SampledFrom([]string{"", "zero_padded_ids: 4\n", "zero_padded_ids: 99\n", "zero_padded_ids: -1\n", "zero_padded_ids: x\n"}).Draw(t, "padding")
		if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found := foreign.Find(ws)
		if len(found) != 1 || found[0].Layout == "" {
			t.Fatalf("found %+v for\n%s", found, text)
		}
		l, err := layout.Parse([]byte(found[0].Layout))
		if err != nil {
			t.Fatalf("%v for\n%s\nfrom\n%s", err, found[0].Layout, text)
		}
		if dirs := l.Folders["issue"]; len(l.Folders) != 1 || len(dirs) != 2 || dirs[0] != "backlog/tasks" {
			t.Fatalf("the folders are %v, from\n%s", l.Folders, text)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(found[0].Layout, "\n"), "\n") {
			key, _, _ := strings.Cut(line, ":")
			if !strings.HasPrefix(line, " ") && !slices.ContainsFunc(layout.Properties(), func(p *layout.Property) bool { return p.Name == key }) {
				t.Fatalf("there is a line %q, from\n%s", line, text)
			}
		}
	})
}
