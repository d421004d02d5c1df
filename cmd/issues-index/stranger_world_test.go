//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/session"

	"issues-index/store"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/wagtail/wagtailtest"
)

// A strangerWorld is a folder with a workspace that a stranger made, and around it what
// belongs to the user. In base are
//
//	repo      the workspace, which everything is run in
//	second    another worktree of its repository
//	home      the user's home
//	project   another project of the user's
//	victims   what the links in the workspace lead to
//	marks     where each program of the stranger's leaves a file when it runs
//	xdg, tmp  the user's cache and temporary files, which the program may use
type strangerWorld struct {
	base, repo string
	env        []string // the address of each connector
	sessionID  string
}

// newStrangerWorld makes a world whose workspace is honest so far: the sample, as a git
// repository with a commit, a second worktree, a session with a worktree of its own, a
// configuration file, a file of variables and the credential of a resource server.
func newStrangerWorld(t *testing.T) *strangerWorld {
	t.Helper()
	w := &strangerWorld{base: realTempDir(t)}
	w.repo = filepath.Join(w.base, "repo")
	if err := copySample(w.repo); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"victims", "marks", "xdg", "tmp"} {
		if err := os.Mkdir(filepath.Join(w.base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	plantFiles(t, w.base, map[string]string{
		"home/.bashrc": "export A=1\n", "home/.ssh/authorized_keys": "ssh-ed25519 AAAA user\n",
		"home/.gitconfig":   "[user]\n\tname = User\n\temail = user@example.org\n[init]\n\tdefaultBranch = main\n",
		"project/README.md": "# Another project\n", "project/.wrangler/issues/ISS-000001-a.md": "---\nid: ISS-000001\n---\n",
		"repo/README.md": "# The project\n", "repo/main.go": "package main\n", "repo/docs/notes.md": "Notes.\n",
		"repo/.wrangler/issues/ISS-000070-to-mend.md": "---\nid: ISS-000070\ntitle: To mend\nstatus: OPEN\n---\n",
		"repo/.env": "ISSUES_INDEX_CACHE_TTL=50s\n", "repo/.wrangler/config/issues-index.yaml": "logLevel: info\n",
	})
	rs := pdpptest.Start(t)
	w.env = []string{"PDPP_PROVIDER_URL=" + rs.URL, "WAGTAIL_BASE_URL=" + wagtailtest.NewServer(t).URL}
	rs.WriteCredential(t, filepath.Join(w.repo, ".pdpp"), pdpptest.Credential{Token: pdpptest.ClientToken, Kind: "client", Expires: time.Now().Add(time.Hour)})
	for _, args := range [][]string{
		{"init", "-q", "--template="}, {"add", "-A"}, {"commit", "-qm", "a commit"},
		{"worktree", "add", "-q", "-b", "second", filepath.Join(w.base, "second")},
	} {
		w.git(t, w.repo, args...)
	}
	for name, value := range map[string]string{"HOME": "home", "GIT_CONFIG_GLOBAL": "home/.gitconfig"} {
		t.Setenv(name, filepath.Join(w.base, value))
	}
	ws, err := store.Open(store.Options{Root: w.repo, Getenv: func(string) string { return "" }, Getwd: os.Getwd})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	started, err := session.In(ws).Start(t.Context(), session.StartOptions{SpecFile: strangerSpec})
	if err != nil {
		t.Fatal(err)
	}
	w.sessionID = started.ID
	// As in a fresh clone, so that the program is seen to make these.
	for _, made := range []string{".wrangler/cache", ".git/info"} {
		if err := os.RemoveAll(filepath.Join(w.repo, made)); err != nil {
			t.Fatal(err)
		}
	}
	w.git(t, w.repo, "repack", "-adq") // few files to copy
	return w
}

// copy makes the same world elsewhere. Files that name the place, as git's do, name the
// new one; those of the cache are binary, and name none.
func (w *strangerWorld) copy(t *testing.T) *strangerWorld {
	t.Helper()
	c := &strangerWorld{base: realTempDir(t), env: w.env, sessionID: w.sessionID}
	c.repo = filepath.Join(c.base, "repo")
	err := filepath.WalkDir(w.base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(w.base, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if target := filepath.Join(c.base, relative); d.IsDir() {
			return os.MkdirAll(target, info.Mode().Perm())
		} else if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if filepath.Base(filepath.Dir(path)) != "cache" {
				data = bytes.ReplaceAll(data, []byte(w.base), []byte(c.base))
			}
			return os.WriteFile(target, data, info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// environment is the whole environment of what runs in the world.
func (w *strangerWorld) environment() []string {
	in := func(name string) string { return filepath.Join(w.base, name) }
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + in("home"), "XDG_CONFIG_HOME=" + in("home/.config"), "XDG_CACHE_HOME=" + in("xdg"),
		"TMPDIR=" + in("tmp"), "GIT_CONFIG_GLOBAL=" + in("home/.gitconfig"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
	}, w.env...)
}

// git runs git as the user, or the stranger at home, would.
func (w *strangerWorld) git(t *testing.T, dir string, args ...string) {
	t.Helper()
	run := exec.CommandContext(t.Context(), "git", args...)
	run.Dir, run.Env = dir, w.environment()
	if said, err := run.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, said)
	}
}

// A snapshot says how each file below a folder looks, by its path.
type snapshot map[string]string

// outside looks at all that no run may change.
func (w *strangerWorld) outside(t *testing.T) snapshot {
	t.Helper()
	return snapshotOf(t, w.base, "repo", "xdg", "tmp")
}

// own looks at what is the user's in the workspace, without caches, what git packs, and
// the names that only the program itself gives to temporary files.
func (w *strangerWorld) own(t *testing.T) snapshot {
	t.Helper()
	s := snapshotOf(t, w.repo, ".git/objects")
	maps.DeleteFunc(s, func(path, look string) bool {
		temporary, err := filepath.Match(".issues-index-*.tmp", filepath.Base(path))
		cached := strings.Contains("/"+path, "/.wrangler/cache/")
		return err == nil && temporary || cached || strings.HasPrefix(look, "d") // making the cache folder changes the time of its parent
	})
	return s
}

// snapshotOf looks at everything below a folder but what is left out.
func snapshotOf(t *testing.T, root string, leftOut ...string) snapshot {
	t.Helper()
	s := make(snapshot)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if slices.Contains(leftOut, relative) {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		look := fmt.Sprintf("%v, %v", info.Mode(), info.ModTime().Format(time.RFC3339Nano))
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			look += fmt.Sprintf(", %d bytes, hash %x", len(data), sha256.Sum256(data))
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			look += ", to " + target
		}
		s[relative] = look
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// changes says how a later snapshot differs, by path.
func (s snapshot) changes(later snapshot) map[string]string {
	all := make(map[string]string)
	for path := range maps.Keys(later) {
		if s[path] == "" {
			all[path] = "was made: " + later[path]
		}
	}
	for path, look := range s {
		switch later[path] {
		case look:
		case "":
			all[path] = "is gone: " + look
		default:
			all[path] = "was changed: " + look + "\n    is now " + later[path]
		}
	}
	return all
}
