//go:build !windows

package workspaces

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// git runs git in a folder of the world.
func (w *world) git(dir string, args ...string) {
	w.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		w.Skip("git is not here:", err)
	}
	c := exec.CommandContext(w.Context(), program, append([]string{"-C", dir, "-c", "maintenance.auto=false", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := c.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// repository makes a repository of a folder.
func (w *world) repository(root string) {
	w.Helper()
	w.git(root, "init", "-q", "-b", "main")
	w.git(root, "add", "-A")
	w.git(root, "commit", "-q", "-m", "x")
}

func TestAWorktreeIsServedWhileItIsThere(t *testing.T) {
	t.Parallel()
	for name, place := range storetest.Few(map[string]string{"inside": "start/.trees/x", "beside": "x"}, 1) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, false)
			w.repository(w.start)
			root := filepath.Join(w.base, filepath.FromSlash(place))
			for _, title := range []string{"first", "second"} {
				w.git(w.start, "worktree", "add", "-q", "-b", title, root)
				w.write(root, "ISS-000001", title)
				w.git(root, "add", "-A", ".wrangler/issues")
				w.git(root, "commit", "-q", "-m", title)
				w.expect(named(root), title)
				w.expect(named(root+"/.wrangler"), title)
				w.expect(Ask{}, "start")
				w.git(w.start, "worktree", "remove", "--force", root)
				if got, err := w.titles(named(root)); err == nil {
					t.Errorf("a worktree that was removed answers %q", got)
				}
			}
			w.git(w.start, "worktree", "add", "-q", root, "first")
			w.expect(named(root), "first")
			w.git(root, "checkout", "-q", "second")
			w.expect(named(root), "second")
			moved := filepath.Join(w.base, "moved")
			w.git(w.start, "worktree", "move", root, moved)
			w.expect(named(moved), "second")
			if got, err := w.titles(named(root)); err == nil {
				t.Errorf("a worktree that was moved answers %q", got)
			}
		})
	}
}

func TestAWorktreeHasTheWorkspaceAtTheSamePlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	sub := w.add("project/sub")
	w.add("project/private")
	w.repository(filepath.Join(w.base, "project"))
	tree := filepath.Join(w.base, "tree")
	w.git(sub, "worktree", "add", "-q", tree)
	w.refuses(named(tree+"/sub"), "not one")
	w.named["sub"] = sub
	w.write(tree+"/sub", "ISS-000001", "of the tree")
	w.expect(named(tree+"/sub"), "of the tree")
	w.refuses(named(tree+"/private"), "not one")
	w.expect(named(tree), "of the tree")
	w.refuses(named(filepath.Join(w.base, "project", "private")), "not one")
	delete(w.named, "sub")
	w.named["tree"] = tree + "/sub"
	w.expect(named(sub), "sub")
}

// A repository's files and those of a worktree may come from strangers: neither alone
// opens a folder.
func TestOnlyWorktreesThatLeadBothWaysAreServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.repository(w.start)
	w.git(w.start, "worktree", "add", "-q", w.base+"/tree")
	w.expect(named(w.base+"/tree"), "start")
	write := func(file, text string) {
		t.Helper()
		file = filepath.Join(w.base, filepath.FromSlash(file))
		w.must(os.MkdirAll(filepath.Dir(file), 0o755))
		w.must(os.WriteFile(file, []byte(text), 0o644))
	}
	for name, files := range map[string]map[string]string{
		"the repository names a folder": {"start/.git/worktrees/f/gitdir": "DIR/.git\n", "start/.git/worktrees/f/commondir": "../..\n"},
		"a folder names a worktree":     {"DIR/.git": "gitdir: BASE/start/.git/worktrees/tree\n"},
		"a folder names the repository": {"DIR/.git": "gitdir: BASE/start/.git\n"},
		"a folder has it all itself":    {"DIR/.git": "gitdir: own\n", "DIR/own/gitdir": "DIR/.git\n", "DIR/own/commondir": "BASE/start/.git\n"},
		"a folder plays a repository": {
			"DIR/.git": "gitdir: own/worktrees/x\n", "DIR/own/worktrees/x/gitdir": "DIR/.git\n", "DIR/own/worktrees/x/commondir": "BASE/start/.git\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := w.add("of/" + filepath.Base(t.TempDir()) + "/" + t.Name()[len(t.Name())-6:])
			for file, text := range files {
				replace := func(s string) string {
					for from, to := range map[string]string{"DIR": dir, "BASE": w.base} {
						s = strings.ReplaceAll(s, from, to)
					}
					return s
				}
				file = strings.ReplaceAll(replace(file), w.base+"/", "")
				write(file, replace(text))
			}
			w.refuses(named(dir), "not one")
		})
	}
	t.Run("a link to another repository", func(t *testing.T) {
		other := w.add("other")
		w.repository(other)
		w.git(other, "worktree", "add", "-q", w.base+"/other-tree")
		w.must(os.Rename(w.start+"/.git", w.base+"/git-of-start"))
		w.must(os.Symlink(other+"/.git", w.start+"/.git"))
		for _, dir := range []string{other, w.base + "/other-tree"} {
			w.refuses(named(dir), "not one")
		}
	})
}
