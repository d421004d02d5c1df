package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/cachedir"
	"issues-index/store/git"
	"issues-index/store/storetest"
)

var (
	writeFiles = storetest.WriteFiles
	realDir    = storetest.RealDir
	tree       = storetest.Tree
)

// openWorkspace opens root with a given environment and nothing else.
func openWorkspace(t testing.TB, root string, env map[string]string) *Workspace {
	t.Helper()
	w, err := Open(Options{Root: root, Getenv: func(key string) string { return env[key] }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// newWorkspace opens a new workspace that holds files.
func newWorkspace(t testing.TB, files map[string]string) *Workspace {
	t.Helper()
	root := t.TempDir()
	writeFiles(t, root, files)
	return openWorkspace(t, root, nil)
}

func TestRoot(t *testing.T) {
	base := realDir(t, t.TempDir())
	writeFiles(t, base, map[string]string{
		"project/.wrangler/issues/a.md": "",
		"project/.git/HEAD":             "",
		"project/src/deep/main.go":      "",
		"project/vendor/lib/.git/HEAD":  "",
		"repo/.git/HEAD":                "",
		"repo/sub/file":                 "",
		"worktree/.git":                 "gitdir: ../repo/.git/worktrees/worktree\n",
		"worktree/sub/file":             "",
		"plain/sub/file":                "",
		"odd/.wrangler":                 "a file, no directory",
		"odd/sub/file":                  "",
	})
	if err := os.Symlink(filepath.Join(base, "project"), filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, flag, env, wd, want string
	}{
		{"the flag wins over all", "plain", "repo", "project", "plain"},
		{"an absolute flag", filepath.Join(base, "plain"), "", "project", "plain"},
		{"the environment wins over the working directory", "", "repo", "project", "repo"},
		{"the nearest ancestor with .wrangler", "", "", "project/src/deep", "project"},
		{".wrangler counts before a nearer git root", "", "", "project/vendor/lib", "project"},
		{"the git root", "", "", "repo/sub", "repo"},
		{"the root of a git worktree, whose .git is a file", "", "", "worktree/sub", "worktree"},
		{"a symbolic link is resolved", "link", "", "plain", "project"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wd := base
			if c.flag == "" && c.env == "" || filepath.IsAbs(c.flag) {
				wd = filepath.Join(base, filepath.FromSlash(c.wd))
			}
			w, err := Open(Options{
				Root:   c.flag,
				Getenv: func(key string) string { return map[string]string{"WRANGLER_WORKSPACE_ROOT": c.env}[key] },
				Getwd:  func() (string, error) { return wd, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if want := filepath.Join(base, c.want); w.Root != want {
				t.Errorf("root is %s, want %s", w.Root, want)
			}
		})
	}

	t.Run("a .wrangler that is a file does not count", func(t *testing.T) {
		if dir, ok := cachedir.Ancestor(filepath.Join(base, "odd", "sub"), HoldsWrangler); ok && dir == filepath.Join(base, "odd") {
			t.Error("it did")
		}
	})
	t.Run("without any of these it is the working directory", func(t *testing.T) {
		wd := filepath.Join(base, "plain", "sub")
		if _, ok := cachedir.Ancestor(wd, func(dir string) bool { _, ok := git.Top(dir); return ok || HoldsWrangler(dir) }); ok {
			t.Skip("the temporary directory lies inside a workspace")
		}
		dir, err := Find(Options{Getenv: func(string) string { return "" }, Getwd: func() (string, error) { return wd, nil }})
		if err != nil || dir != wd {
			t.Errorf("got %s, %v", dir, err)
		}
	})
	t.Run("a root that is missing or a file is an error that names it", func(t *testing.T) {
		for _, name := range []string{"nowhere", "odd/.wrangler"} {
			_, err := Open(Options{Root: filepath.Join(base, name), Getenv: func(string) string { return "" }})
			if err == nil || !strings.Contains(err.Error(), filepath.FromSlash(name)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("a working directory that cannot be told is an error", func(t *testing.T) {
		broken := errors.New("gone")
		_, err := Open(Options{Getenv: func(string) string { return "" }, Getwd: func() (string, error) { return "", broken }})
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	})
}

func TestAPathLeadsToTheNearestWorkspace(t *testing.T) {
	base := realDir(t, t.TempDir())
	writeFiles(t, base, gitFiles(base))
	writeFiles(t, base, map[string]string{
		"main/.wrangler/issues/a.md":              "",
		"main/src/deep/main.go":                   "",
		"main/vendor/lib/.git/HEAD":               "",
		"main/modules/sub/.git":                   "gitdir: ../../.git/modules/sub\n",
		"main/.git/modules/sub/HEAD":              "",
		"main/inner/.wrangler/config/x":           "",
		"main/inner/src/x":                        "",
		"main/.trees/x/.git":                      "gitdir: " + filepath.Join(base, "main/.git/worktrees/x") + "\n",
		"main/.trees/x/src/x":                     "",
		"main/.git/worktrees/x/commondir":         "../..\n",
		"main/.git/worktrees/x/gitdir":            filepath.Join(base, "main/.trees/x/.git") + "\n",
		"one/src/x":                               "",
		"two/.wrangler/issues/a.md":               "",
		"two/src/x":                               "",
		"plain/src/x":                             "",
		"repository/.git/HEAD":                    "",
		"repository/src/x":                        "",
		"main/.trees/broken/.git":                 "gitdir: " + filepath.Join(base, "nowhere") + "\n",
		"main/.trees/x/node_modules/y/index.html": "",
	})
	if err := os.Symlink(filepath.Join(base, "main/src"), filepath.Join(base, "plain/link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"main": "main", "main/src/deep": "main", "main/src/deep/main.go": "main", "main/.wrangler/issues": "main",
		"main/vendor/lib": "main", "main/modules/sub": "main",
		"main/inner/src/x": "main/inner",
		"main/.trees/x":    "main/.trees/x", "main/.trees/x/src/x": "main/.trees/x", "main/.trees/x/node_modules/y": "main/.trees/x",
		"main/.trees": "main", "main/.trees/broken": "main",
		"one": "one", "one/src": "one", "two/src/x": "two",
		"plain/src": "plain/src", "plain/link/deep": "main", "repository/src": "repository",
	} {
		t.Run(path, func(t *testing.T) {
			given := filepath.Join(base, filepath.FromSlash(path))
			got, err := RootOf(given, func(string) bool { return false })
			if err != nil || got != filepath.Join(base, filepath.FromSlash(want)) {
				t.Errorf("its root is %s, want %s; %v", got, want, err)
			}
			if info, err := os.Stat(given); err != nil || !info.IsDir() {
				return
			}
			found, err := Find(Options{Getenv: func(string) string { return "" }, Getwd: func() (string, error) { return given, nil }})
			if err != nil || found != got {
				t.Errorf("a command there finds %s, %v", found, err)
			}
		})
	}
	t.Run("or to one that is known", func(t *testing.T) {
		src := filepath.Join(base, "main", "src")
		if got, err := RootOf(filepath.Join(src, "deep"), func(dir string) bool { return dir == src }); err != nil || got != src {
			t.Error(got, err)
		}
	})
	t.Run("and nowhere when it is not there", func(t *testing.T) {
		var missing *RootError
		if got, err := RootOf(filepath.Join(base, "main", "none"), func(string) bool { return true }); !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) {
			t.Error(got, err)
		}
	})
}
