//go:build !windows

package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"issues-index/store/layout"
	"issues-index/store/storetest"
)

// initWorld is a project, in a repository of git or not, and the user's own folder.
type initWorld struct {
	root, home string
	repository bool
}

func newInitWorld(t *testing.T, files map[string]string, repository bool) initWorld {
	t.Helper()
	w := initWorld{storetest.RealDir(t, t.TempDir()), t.TempDir(), repository}
	storetest.WriteFiles(t, w.root, files)
	if repository {
		git(t.Context(), t, w.root, "init", "--quiet")
	}
	return w
}

// run runs init. Nobody is there to be asked.
func (w initWorld) run(t *testing.T, args ...string) printed {
	t.Helper()
	environment := func(name string) string {
		return map[string]string{"CODEX_HOME": filepath.Join(w.home, ".codex")}[name]
	}
	return runWith(t, environment, w.root, append([]string{"init"}, args...)...)
}

// tree is every file of the project, of its repository's configuration and of the user.
func (w initWorld) tree(t *testing.T) map[string]string {
	t.Helper()
	all := storetest.Tree(t, w.root)
	maps.DeleteFunc(all, func(name, _ string) bool {
		return name == ".wrangler/cache" || strings.HasPrefix(name, ".git/") && name != ".git/config"
	})
	for name, data := range storetest.Tree(t, w.home) {
		all["~/"+name] = data
	}
	return all
}

// initSituations are projects in which somebody runs init.
func initSituations(t *testing.T) map[string]map[string]string {
	t.Helper()
	backlog := map[string]string{}
	project, err := txtar.ParseFile(recordedProject)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range project.Files {
		backlog[f.Name] = string(f.Data)
	}
	return map[string]map[string]string{
		"nothing":    {},
		"a program":  {"main.go": "package main\n", ".gitignore": "*.test\n", ".gitattributes": "*.png binary", "README.md": "# A\n"},
		"documents":  {".wrangler/issues/ISS-1.md": "---\nid: ISS-1\n---\n", ".wrangler/views.yaml": "mine: {where: assignee = @me}\n"},
		"Backlog.md": backlog,
		"beads":      {".beads/issues.jsonl": "{}\n", ".beads/beads.db": "\x00"},
		"docs":       {"docs/issues/BUG-007-a.md": "---\nid: BUG-007\nstatus: open\n---\n# A\n", "docs/issues/README.md": "# Issues\n"},
		"clients": {
			".mcp.json":             "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}}",
			".vscode/mcp.json":      "{\n\t// of the team\n\t\"servers\": {\n\t\t\"a\": {\"command\": \"a\",}, // old\n\t},\n}\n",
			".zed/settings.json":    "// Zed\n{ \"tab_size\": 2 }\n",
			".gemini/settings.json": "{\r\n  \"theme\": \"x\"\r\n}\r\n",
			"opencode.jsonc":        "{\n  /* no servers */\n}\n",
		},
	}
}

// What init shows is what it writes: nothing before it may, all of it then, and nothing more
// the second time.
func TestInitWritesWhatItShowsAndOnlyOnce(t *testing.T) {
	t.Parallel()
	for name, files := range initSituations(t) {
		for _, repository := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " in git"}[repository], func(t *testing.T) {
				w := newInitWorld(t, files, repository)
				args := []string{"--client", "all"}
				if repository {
					args = append(args, "--git")
				}
				before := w.tree(t)

				shown := w.run(t, append(args, "--dry-run")...)
				if shown.code != 0 || !maps.Equal(w.tree(t), before) {
					t.Fatalf("--dry-run wrote, or failed: %v", shown)
				}
				asked := w.run(t, args...)
				if asked.code != exitUsage || !maps.Equal(w.tree(t), before) || asked.out != shown.out || !strings.Contains(asked.errOut, "--yes") {
					t.Fatalf("without a terminal it wrote, or showed something else: %v", asked)
				}
				done := w.run(t, append(args, "--yes")...)
				if done.code != 0 || !strings.HasPrefix(done.out, shown.out) {
					t.Fatalf("--yes: %v", done)
				}
				after := w.tree(t)
				for _, changed := range changedFiles(before, after) {
					label := strings.TrimPrefix(changed, "~/")
					if changed != ".git/config" && !strings.Contains(shown.out, label+"\n") && !strings.Contains(shown.out, label+"/\n") {
						t.Errorf("%s was written and not shown", changed)
					}
				}
				for path, data := range before {
					if got := after[path]; path != ".git/config" && len(got) < len(data) {
						t.Errorf("%s became shorter:\n%s", path, got)
					}
				}

				again := w.run(t, append(args, "--yes")...)
				if again.code != 0 || !strings.Contains(again.out, "Nothing to do") || !maps.Equal(w.tree(t), after) {
					t.Errorf("the second time it changed %v: %v", changedFiles(after, w.tree(t)), again)
				}
				if again = w.run(t, append(args, "--json")...); again.code != 0 || !strings.Contains(again.out, `"files": []`) {
					t.Errorf("--json: %v", again)
				}
				if checked := runIn(t, w.root, "check"); checked.code != 0 {
					t.Errorf("check finds problems: %v", checked)
				}
			})
		}
	}
}

// changedFiles are the files and folders that two trees do not share; a folder that was made
// for a file is named by that.
func changedFiles(before, after map[string]string) (paths []string) {
	for path, data := range after {
		if old, there := before[path]; there && old == data {
			continue
		}
		holds := func(other string) bool { return strings.HasPrefix(other, path+"/") }
		if data != "/" || !slices.ContainsFunc(slices.Collect(maps.Keys(after)), holds) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Each client gets its own file and nothing else.
func TestInitWritesOnlyTheClientsThatAreNamed(t *testing.T) {
	for client, file := range map[string]string{
		"claude": ".mcp.json", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json", "gemini": ".gemini/settings.json",
		"zed": ".zed/settings.json", "opencode": "opencode.json", "codex": "~/.codex/config.toml",
	} {
		w := newInitWorld(t, map[string]string{".wrangler/views.yaml": "", ".wrangler/issues/ISS-1.md": "", ".wrangler/ideas/a.md": "", ".wrangler/specifications/b.md": ""}, false)
		before := w.tree(t)
		if done := w.run(t, "--client", client, "--yes"); done.code != 0 {
			t.Fatalf("%s: %v", client, done)
		}
		if got := changedFiles(before, w.tree(t)); !slices.Equal(got, []string{file}) {
			t.Errorf("%s writes %v", client, got)
		}
		if text := w.tree(t)[file]; !strings.Contains(text, "issues-index") || strings.Contains(text, "--workspace") {
			t.Errorf("%s has:\n%s", file, text)
		}
	}
}

// The layout that init proposes for Backlog.md is the one that the documentation has.
func TestInitMapsBacklogAsDocumented(t *testing.T) {
	files := initSituations(t)["Backlog.md"]
	w := newInitWorld(t, files, false)
	if done := w.run(t, "--yes"); done.code != 0 {
		t.Fatal(done)
	}
	documented := t.TempDir()
	mapBacklog(t, documented)
	read := func(root string) *layout.Layout {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(layout.File)))
		if err != nil {
			t.Fatal(err)
		}
		l, err := layout.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if got, want := read(w.root), read(documented); !reflect.DeepEqual(got, want) {
		t.Errorf("init maps\n%+v\nthe documentation\n%+v", got, want)
	}
}

// A repository whose files lead elsewhere can have nothing written there.
func TestInitWritesNothingOutside(t *testing.T) {
	for name, link := range map[string]string{
		"a client's file": ".mcp.json", "a client's folder": ".vscode", "the folder of documents": ".wrangler",
		"attributes": ".gitattributes", "the views": ".wrangler/views.yaml",
	} {
		t.Run(name, func(t *testing.T) {
			w := newInitWorld(t, nil, true)
			outside := t.TempDir()
			storetest.WriteFiles(t, outside, map[string]string{"settings.json": "{}\n", "mcp.json": "{}\n"})
			target := outside
			if link != ".wrangler" && link != ".vscode" {
				target = filepath.Join(outside, "settings.json")
			}
			path := filepath.Join(w.root, filepath.FromSlash(link))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, path); err != nil {
				t.Skip(err)
			}
			before := storetest.Tree(t, outside)
			if done := w.run(t, "--client", "all", "--git", "--yes"); done.code != exitFailed || !maps.Equal(storetest.Tree(t, outside), before) {
				t.Errorf("it was written, or the error is another: %v", done)
			}
		})
	}
}
