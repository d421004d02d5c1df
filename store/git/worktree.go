package git

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"issues-index/store/cachedir"
)

// Head returns the commit that is checked out at dir, whole and shortened. Where there
// is none, or where git may not be trusted, note says why.
func Head(ctx context.Context, dir string) (commit, short, note string, err error) {
	var said *Error
	_, err = run(ctx, dir, "rev-parse", "--show-toplevel")
	switch {
	case errors.Is(err, errNotInstalled):
		return "", "", err.Error(), nil
	case errors.As(err, &said):
		return "", "", "this is no worktree of a git repository; " + said.Error(), nil
	case err != nil:
		return "", "", "", err
	}
	why, err := foreignRepository(ctx, dir)
	switch {
	case err != nil:
		return "", "", "", err
	case why != "":
		return "", "", "the git repository gets no worktree, since " + why, nil
	}
	commit, err = run(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if errors.As(err, &said) {
		return "", "", "the git repository has no commit yet", nil
	}
	if err == nil {
		short, err = run(ctx, dir, "rev-parse", "--short=7", commit)
	}
	return commit, short, "", err
}

// A Worktree is one of a repository's worktrees.
type Worktree struct {
	Dir    string // absolute
	Branch string // "" for a detached head
}

// Worktrees returns the worktrees of the repository at dir as git lists them, also those
// whose folder is gone. There are none where there is no repository, or no git.
func Worktrees(ctx context.Context, dir string) ([]Worktree, error) {
	out, err := run(ctx, dir, "worktree", "list", "--porcelain")
	var said *Error
	if errors.As(err, &said) || errors.Is(err, errNotInstalled) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Worktree
	for block := range strings.SplitSeq(out, "\n\n") {
		var tree Worktree
		bare := false
		for line := range strings.SplitSeq(block, "\n") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				tree.Dir = filepath.FromSlash(value)
			case "branch":
				tree.Branch = strings.TrimPrefix(value, "refs/heads/")
			case "bare":
				bare = true
			}
		}
		if tree.Dir != "" && !bare {
			all = append(all, tree)
		}
	}
	return all, nil
}

// AddWorktree checks out a commit of dir's repository at path, which is absolute and an
// empty folder or nothing, on a new branch. What fails leaves the rest to RemoveWorktree.
// The files come in a run of their own: what the repository's configuration includes may
// depend on the worktree and its branch, and so only there can its filters be listed.
func AddWorktree(ctx context.Context, dir, path, branch, commit string) error {
	filters, err := filterOptions(ctx, dir)
	if err == nil {
		add := []string{"worktree", "add", "--quiet", "--no-checkout", "-b", branch, "--", path, commit}
		_, err = runFor(ctx, MaxTime, dir, slices.Concat(filters, add)...)
	}
	if err != nil {
		return err
	}
	_, err = runInWorktree(ctx, MaxTime, path, "reset", "--quiet", "--hard")
	return err
}

// runInWorktree is runFor with the files of the worktree at top, and with filterOptions for it.
func runInWorktree(ctx context.Context, limit time.Duration, top string, args ...string) (string, error) {
	// Both are named, as git itself does: core.worktree could be another folder.
	there := []string{"--git-dir=" + filepath.Join(top, ".git"), "--work-tree=" + top}
	filters, err := filterOptions(ctx, top, there...)
	if err != nil {
		return "", err
	}
	return runFor(ctx, limit, top, slices.Concat(there, filters, args)...)
}

// RemoveWorktree takes back as much as AddWorktree did before it failed. The branch is
// new and has no commit of its own.
func RemoveWorktree(ctx context.Context, dir, path, branch string) {
	ctx = context.WithoutCancel(ctx)
	if filters, err := filterOptions(ctx, dir); err == nil {
		_, _ = runFor(ctx, MaxTime, dir, slices.Concat(filters, []string{"worktree", "remove", "--force", "--", path})...)
		_, _ = run(ctx, dir, slices.Concat(filters, []string{"branch", "-D", "--", branch})...)
	}
}

// RemoveUnused removes a worktree of dir's repository and its branch if nothing is lost with
// them, and reports whether it has: no file is changed, new or ignored, and another branch or
// tag has all commits of this one. A folder that git has put no file in yet has nothing to lose.
func RemoveUnused(ctx context.Context, dir string, t Worktree) bool {
	branch := "refs/heads/" + t.Branch
	tip, err := run(ctx, dir, "rev-parse", "--verify", "--quiet", branch+"^{commit}")
	if err != nil {
		return false
	}
	having, err := run(ctx, dir, "for-each-ref", "--format=%(refname)", "--contains="+tip)
	if err != nil || !slices.ContainsFunc(strings.Fields(having), func(ref string) bool { return ref != branch }) {
		return false
	}
	remove := []string{"worktree", "remove"}
	if entries, err := os.ReadDir(t.Dir); err == nil && len(entries) == 1 && entries[0].Name() == ".git" {
		remove = append(remove, "--force") // git takes the files that never came for deleted ones
	} else if err != nil || !unchanged(ctx, t.Dir) {
		return false
	}
	filters, err := filterOptions(ctx, dir)
	if err != nil {
		return false
	}
	if _, err := run(ctx, dir, slices.Concat(filters, remove, []string{"--", t.Dir})...); err != nil {
		return false
	}
	_, err = run(ctx, dir, "update-ref", "-d", branch, tip)
	return err == nil
}

// unchanged reports whether all files of the worktree at top are as they were committed, and
// there are no others.
func unchanged(ctx context.Context, top string) bool {
	changes, err := runInWorktree(ctx, answerTime, top, "status", "--porcelain", "--ignored", "--untracked-files=all", "--ignore-submodules=none")
	return err == nil && changes == ""
}

// Top returns the nearest directory, from dir upwards, that has a .git. In a worktree or
// a submodule that is a file.
func Top(dir string) (top string, ok bool) {
	return cachedir.Ancestor(dir, func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		return err == nil
	})
}

// CommonDir returns the folder that all worktrees of dir's repository share, "" where
// there is no repository. git is not run.
func CommonDir(dir string) string {
	top, ok := Top(dir)
	if !ok {
		return ""
	}
	common, _ := repositoryDirs(top)
	return common
}

// OtherWorktrees returns where the other worktrees of dir's repository have what is dir
// in its own, as absolute paths. They are found as git finds them, from its files; git
// is not run.
func OtherWorktrees(dir string) []string {
	top, ok := Top(dir)
	if !ok {
		return nil
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return nil
	}
	common, main := repositoryDirs(top)
	if common == "" {
		return nil
	}
	var tops []string
	if main != "" {
		tops = append(tops, main)
	}
	entries, _ := os.ReadDir(filepath.Join(common, "worktrees")) // none when there is no such folder
	for _, e := range entries {
		own := filepath.Join(common, "worktrees", e.Name())
		if link := readPath(filepath.Join(own, "gitdir"), own); link != "" {
			tops = append(tops, filepath.Dir(link))
		}
	}
	var dirs []string
	for _, t := range tops {
		real, err := filepath.EvalSymlinks(filepath.Join(t, rel))
		if err == nil && real != dir && !slices.Contains(dirs, real) {
			dirs = append(dirs, real)
		}
	}
	return dirs
}

// repositoryDirs returns the repository that the worktree at top belongs to, and that
// repository's main worktree, "" where top is the main one or there is none.
// (The main worktree of a submodule's linked worktree is not looked for.)
func repositoryDirs(top string) (common, main string) {
	dotGit := filepath.Join(top, ".git")
	if info, err := os.Stat(dotGit); err == nil && info.IsDir() {
		return dotGit, ""
	}
	dir := readPath(dotGit, top)
	if dir == "" {
		return "", ""
	}
	common = readPath(filepath.Join(dir, "commondir"), dir)
	if common == "" { // a submodule, or a repository kept elsewhere
		return dir, ""
	}
	if filepath.Base(common) == ".git" {
		main = filepath.Dir(common)
	}
	return common, main
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
