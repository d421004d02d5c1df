package git

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"issues-index/store/cachedir"
	"issues-index/store/words"
)

// A repository's own configuration comes with its folder, and so may be a
// stranger's: of an archive that was unpacked, or of a folder in the tree that is
// laid out like a repository. What follows keeps git from obeying it.

// inBareRepository reports whether git would take dir for a part of a bare
// repository. git itself refuses these from version 2.38 on, as it is told to.
func inBareRepository(dir string) bool {
	top, found := cachedir.Ancestor(dir, func(dir string) bool { return holdsRepository(dir) || isRepository(dir) })
	return found && !holdsRepository(top)
}

// holdsRepository reports whether dir has a repository, or a file that leads to one,
// in .git.
func holdsRepository(dir string) bool {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	return err == nil && (info.Mode().IsRegular() || isRepository(dotGit))
}

// isRepository reports whether dir is laid out as git's own folders are.
func isRepository(dir string) bool {
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

// filterOptions returns the options with which git uses the user's filters alone,
// and no hook, of those that the configuration of dir's repository names. They hold in dir,
// with the same options where: in another worktree, git may include other files.
func filterOptions(ctx context.Context, dir string, where ...string) ([]string, error) {
	out, err := run(ctx, dir, slices.Concat(where, []string{"config", "--list", "--show-scope", "-z"})...)
	if err != nil {
		return nil, err
	}
	users, others := map[string]string{}, map[string]string{}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		switch fields[i] {
		case "system", "global", "command":
			if !strings.HasPrefix(key, "hook.") { // enabled would hold for the repository's command
				users[key] = value
			}
		default:
			section, name, variable := splitKey(key)
			switch section {
			case "filter":
				others[key] = ""
				if variable == "required" {
					others[key] = "false"
				}
			case "hook":
				others["hook."+name+".enabled"] = "false"
			}
		}
	}
	var options []string
	for _, key := range slices.Sorted(maps.Keys(others)) {
		if strings.Contains(key, "=") { // git takes it for the end of the key
			return nil, &Error{said: "its configuration has a key with = in it: " + words.CutBytes(key, 40)}
		}
		value := others[key]
		if own, set := users[key]; set {
			value = own
		}
		options = append(options, "-c", key+"="+value)
	}
	return options, nil
}

// splitKey splits a key of git's configuration, as in filter.lfs.smudge. The middle
// may have dots.
func splitKey(key string) (section, name, variable string) {
	section, rest, _ := strings.Cut(key, ".")
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		name, rest = rest[:i], rest[i+1:]
	}
	return section, name, rest
}

// writtenByGit are the names in a repository's folder that git writes to when it
// makes or removes a worktree with a branch of ours.
var writtenByGit = []string{
	"config", "packed-refs", "reftable", "worktrees",
	"refs", "refs/heads", "refs/heads/wrangler", "logs", "logs/refs", "logs/refs/heads", "logs/refs/heads/wrangler",
}

// foreignRepository says why git would write elsewhere than in the folder of the
// repository that dir is a part of, "" when it would not: that folder belongs to
// another worktree, or has links that lead out of it.
func foreignRepository(ctx context.Context, dir string) (why string, err error) {
	top, ok := Top(dir)
	if !ok {
		return "", nil
	}
	own, err := ownRepository(ctx, top)
	if err != nil || !own {
		return "its .git leads to a repository that does not lead back to it", err
	}
	common, _ := repositoryDirs(top)
	common, err = filepath.EvalSymlinks(common)
	if err != nil {
		return "", nil //nolint:nilerr // git says what is wrong with it
	}
	for _, name := range writtenByGit {
		real, err := filepath.EvalSymlinks(filepath.Join(common, filepath.FromSlash(name)))
		if err == nil && !cachedir.Inside(common, real) {
			return name + " in its .git is a link that leads out of it", nil
		}
	}
	return "", nil
}

// ownRepository reports whether the repository that top's .git leads to is top's own:
// it lies in top, or it names top as its worktree, as it does for linked worktrees and
// submodules.
func ownRepository(ctx context.Context, top string) (bool, error) {
	dotGit := filepath.Join(top, ".git")
	info, err := os.Lstat(dotGit)
	if err != nil || info.IsDir() {
		return true, nil //nolint:nilerr // git says what is wrong with it
	}
	folder := dotGit
	if info.Mode().IsRegular() {
		folder = readPath(dotGit, top)
	}
	folder, err = filepath.EvalSymlinks(folder)
	if err != nil {
		return true, nil //nolint:nilerr // likewise
	}
	if cachedir.Inside(top, folder) || samePath(readPath(filepath.Join(folder, "gitdir"), folder), dotGit) {
		return true, nil
	}
	worktree, err := run(ctx, top, "config", "--local", "--get", "core.worktree")
	var said *Error
	if errors.As(err, &said) {
		return false, nil // there is none
	}
	if !filepath.IsAbs(worktree) {
		worktree = filepath.Join(folder, filepath.FromSlash(worktree))
	}
	return err == nil && samePath(worktree, top), err
}

// samePath reports whether two paths lead to one place.
func samePath(a, b string) bool {
	one, err := filepath.EvalSymlinks(a)
	other, otherErr := filepath.EvalSymlinks(b)
	return err == nil && otherErr == nil && one == other
}
