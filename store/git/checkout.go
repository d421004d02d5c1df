package git

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"issues-index/store/cachedir"
	"issues-index/store/pattern"
)

// A checkout is a worktree as git's files describe it. git is not run.
type checkout struct {
	top    string // the folder that has the .git
	own    string // git's folder for this worktree, "" where there is none
	common string // git's folder that all worktrees of the repository share
}

// checkoutOf is the worktree that dir lies in, the zero one for none.
func checkoutOf(dir string) checkout {
	top, ok := Top(dir)
	if !ok {
		return checkout{}
	}
	return checkoutAt(top)
}

func checkoutAt(top string) checkout {
	own := filepath.Join(top, ".git")
	if info, err := os.Stat(own); err != nil || !info.IsDir() {
		own = readPath(own, top)
	}
	if own == "" {
		return checkout{top: top}
	}
	return checkout{top, own, cmp.Or(readPath(filepath.Join(own, "commondir"), own), own)}
}

// isLinked reports whether another worktree has the repository. That of a submodule is its own.
func (c checkout) isLinked() bool { return c.own != c.common }

// isOwn reports whether the repository is that of the worktree, whatever user made the folder: it lies
// there, or it leads back, or it is that of a submodule. A file that leads to another's repository,
// or a link to one, does not make it the worktree's own.
func (c checkout) isOwn() bool {
	dotGit := filepath.Join(c.top, ".git")
	info, err := os.Lstat(dotGit)
	if err == nil && info.IsDir() && !c.isLinked() {
		return true
	}
	own, errOwn := filepath.EvalSymlinks(c.own)
	common, errCommon := filepath.EvalSymlinks(c.common)
	if err != nil || errOwn != nil || errCommon != nil {
		return false
	}
	if c.isLinked() {
		return samePath(readPath(filepath.Join(own, "gitdir"), own), dotGit) &&
			filepath.Dir(own) == filepath.Join(common, "worktrees")
	}
	outer, _, isModule := strings.Cut(common, filepath.FromSlash("/.git/modules/"))
	return cachedir.Inside(c.top, common) || isModule && cachedir.Inside(outer, c.top)
}

// samePath reports whether two paths lead to one place.
func samePath(a, b string) bool {
	one, err := filepath.EvalSymlinks(a)
	other, otherErr := filepath.EvalSymlinks(b)
	return err == nil && otherErr == nil && one == other
}

// writtenByGit are the names in a repository's folder that git writes to when it
// makes or removes a worktree with a branch of ours.
var writtenByGit = []string{
	"config", "packed-refs", "reftable", "worktrees", "refs", "refs/heads", "refs/heads/wrangler",
	"logs", "logs/refs", "logs/refs/heads", "logs/refs/heads/wrangler",
}

// foreignRepository says why git would write elsewhere than in the folder of the repository that
// dir is a part of, "" when it would not: that folder belongs to another worktree, or has links that
// lead out of it.
func foreignRepository(dir string) (why string) {
	c := checkoutOf(dir)
	if c.top == "" {
		return ""
	}
	if !c.isOwn() {
		return "its .git leads to a repository that does not lead back to it"
	}
	common, err := filepath.EvalSymlinks(c.common)
	if err != nil {
		return "" // git says what is wrong with it
	}
	for _, name := range writtenByGit {
		real, err := filepath.EvalSymlinks(filepath.Join(common, filepath.FromSlash(name)))
		if err == nil && !cachedir.Inside(common, real) {
			return name + " in its .git is a link that leads out of it"
		}
	}
	return ""
}

// Top returns the nearest directory, from dir upwards, that has a .git. In a worktree or
// a submodule that is a file.
func Top(dir string) (top string, ok bool) {
	return cachedir.Ancestor(dir, func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		return err == nil
	})
}

// Checkout returns the worktree that dir, a real path, lies in, and the folder that all worktrees
// of its repository share. Both are "" where dir lies in none, and where the repository is not the
// worktree's own: the answer can be trusted, whatever user made the folder.
func Checkout(dir string) (top, common string) {
	c := checkoutOf(dir)
	if c.top == "" || !c.isOwn() {
		return "", ""
	}
	common, err := filepath.EvalSymlinks(c.common)
	if err != nil {
		return "", ""
	}
	return c.top, common
}

// IsLinkedWorktree reports whether dir is the top of a worktree that shares the repository
// of another one, as its files say: the repository may know nothing of it.
func IsLinkedWorktree(dir string) bool { return checkoutAt(dir).isLinked() }

// CommonDir returns the folder that all worktrees of dir's repository share, "" where
// there is no repository. It is what the files say, and need not be dir's own.
func CommonDir(dir string) string { return checkoutOf(dir).common }

// isBare finds the setting of a repository that has no main worktree, whatever its folder is called.
var isBare = pattern.Lazy(`(?im)^\s*bare\s*=\s*true\b`)

// A Worktree is one of a repository's worktrees.
type Worktree struct {
	Dir    string // absolute
	Branch string // "" for a detached head
}

// Worktrees returns the worktrees of dir's repository as its files name them, also those whose
// folder is gone. There are none where there is no repository.
func Worktrees(dir string) (all []Worktree) {
	common := CommonDir(dir)
	if common == "" {
		return nil
	}
	add := func(own, dotGit string) {
		branch, isBranch := strings.CutPrefix(readSmall(filepath.Join(own, "HEAD")), "ref: refs/heads/")
		if !isBranch {
			branch = ""
		}
		all = append(all, Worktree{filepath.Dir(dotGit), branch})
	}
	config := readSmall(filepath.Join(common, "config")) + "\n" + readSmall(filepath.Join(common, "config.worktree"))
	if filepath.Base(common) == ".git" && !isBare().MatchString(config) { // else it may be that of a submodule
		add(common, common)
	}
	entries, _ := os.ReadDir(filepath.Join(common, "worktrees")) // none when there is no such folder
	for _, e := range entries {
		own := filepath.Join(common, "worktrees", e.Name())
		if dotGit := readPath(filepath.Join(own, "gitdir"), own); dotGit != "" {
			add(own, dotGit)
		}
	}
	return all
}

// OtherWorktrees returns where the other worktrees of dir's repository have what is dir
// in its own, as absolute paths. Only those count that Checkout takes for worktrees of it.
func OtherWorktrees(dir string) (dirs []string) {
	top, common := Checkout(dir)
	rel, err := filepath.Rel(top, dir)
	if common == "" || err != nil {
		return nil
	}
	for _, t := range Worktrees(dir) {
		real, err := filepath.EvalSymlinks(filepath.Join(t.Dir, rel))
		if err != nil || real == dir || slices.Contains(dirs, real) {
			continue
		}
		if _, theirs := Checkout(real); theirs == common {
			dirs = append(dirs, real)
		}
	}
	return dirs
}

// readPath reads the path in a small file of git's, relative to dir unless it is
// absolute; "" when there is none.
func readPath(file, dir string) string {
	text := strings.TrimSpace(strings.TrimPrefix(readSmall(file), "gitdir:"))
	if text == "" || strings.ContainsRune(text, 0) {
		return ""
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(dir, filepath.FromSlash(text))
	}
	return filepath.Clean(text)
}

// readSmall reads a small file of git's, without blanks around its text; "" when there is
// none.
func readSmall(file string) string {
	const most = 8 << 10 // twice the longest path
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.OpenFile(file, os.O_RDONLY|cachedir.NoBlock, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
