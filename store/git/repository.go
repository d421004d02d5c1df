package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
)

// A Repository is the repository of a directory, to read its history. What it prints of
// authors and messages is as strangers wrote it.
type Repository struct {
	dir  string
	Head string // the commit that is checked out, whole
	// Branch is the branch that is checked out, "" where HEAD is detached.
	Branch string
	// Shallow is true for a clone that lacks older commits.
	Shallow bool
}

// An UnreadableError says why the history of a directory cannot be read, and what to do.
type UnreadableError struct {
	Reason, Advice string
	Unborn         bool // nothing was committed to what is checked out
	Late           bool // git gave no answer in time; it may the next time
}

func (e *UnreadableError) Error() string { return e.Reason }

// OpenRepository opens the repository that dir lies in. Errors: *UnreadableError where there is
// none, no commit, no git, no trust in the repository, or no answer of git's in time.
func OpenRepository(ctx context.Context, dir string) (r *Repository, err error) {
	defer func() { err = unreadableIfLate(err) }()
	var said *Error
	shallow, err := run(ctx, dir, "rev-parse", "--is-shallow-repository")
	switch {
	case errors.Is(err, errNotInstalled):
		return nil, &UnreadableError{Reason: err.Error(), Advice: "install git, which keeps the history"}
	case errors.As(err, &said) && strings.Contains(said.said, "dubious ownership"):
		return nil, &UnreadableError{
			Reason: "git does not trust the repository, since it belongs to another user; " + said.Error(),
			Advice: "if you trust it, say so with git config --global --add safe.directory and its folder",
		}
	case errors.As(err, &said) && strings.Contains(said.said, "not a git repository"):
		return nil, &UnreadableError{
			Reason: "the workspace is in no git repository",
			Advice: "git keeps it: commit the documents, or run this in the repository that has them",
		}
	case errors.As(err, &said):
		return nil, &UnreadableError{
			Reason: "the git repository cannot be read; " + said.Error(),
			Advice: "git status in the workspace says the same: mend the repository first",
		}
	case err != nil:
		return nil, err
	}
	if why := foreignRepository(dir); why != "" {
		return nil, &UnreadableError{
			Reason: "the git repository is not read, since " + why, Advice: "open the documents in a clone of their own",
		}
	}
	head, err := run(ctx, dir, "rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD")
	if errors.As(err, &said) {
		return nil, &UnreadableError{
			Reason: "the git repository has no commit yet", Advice: "commit the documents", Unborn: true,
		}
	}
	if err != nil {
		return nil, err
	}
	commit, name, _ := strings.Cut(head, "\n")
	branch, isBranch := strings.CutPrefix(name, "refs/heads/")
	if !isBranch {
		branch = ""
	}
	return &Repository{dir: dir, Head: commit, Branch: branch, Shallow: shallow == "true"}, nil
}

// unreadableIfLate is the error of reading a repository: *UnreadableError for an answer that did
// not come in time.
func unreadableIfLate(err error) error {
	if !errors.Is(err, errLate) {
		return err
	}
	return &UnreadableError{
		Reason: "the git repository is not read, since " + errLate.Error(), Late: true,
		Advice: "if git status in the workspace waits, too, a file in .git may be a pipe, or the disk slow",
	}
}

// Resolve returns the commit that a revision names, whole. Errors: *Error where it names
// none.
func (r *Repository) Resolve(ctx context.Context, revision string) (string, error) {
	commit, err := run(ctx, r.dir, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if said := (*Error)(nil); errors.As(err, &said) {
		return "", &Error{said: "no commit is named so"}
	}
	return commit, err
}

// MergeBase returns where the histories of two commits part. Errors: *Error where they have
// no commit in common.
func (r *Repository) MergeBase(ctx context.Context, a, b string) (string, error) {
	base, err := run(ctx, r.dir, "merge-base", "--end-of-options", a, b)
	if said := (*Error)(nil); errors.As(err, &said) {
		return "", &Error{said: "the two have no commit in common, as far as this clone knows"}
	}
	return base, err
}

// Tree returns the objects of the files of a commit in some folders and below them, by path. Paths
// and folders are slash-separated, relative to the repository's directory; "." is all of it.
// Errors: *Error.
func (r *Repository) Tree(ctx context.Context, commit string, dirs []string) (map[string]string, error) {
	args := []string{"--literal-pathspecs", "ls-tree", "-r", "-z", commit, "--"}
	if !slices.Contains(dirs, ".") { // which is all of it
		args = append(args, dirs...)
	}
	return r.files(ctx, 2, args...)
}

// files reads the objects of files, by path: the fields before it begin with the mode, and have the
// object at a place.
func (r *Repository) files(ctx context.Context, place int, args ...string) (map[string]string, error) {
	files := make(map[string]string)
	err := stream(ctx, r.dir, args, func(out *bufio.Reader) error {
		for {
			entry, err := token(out)
			if errors.Is(err, io.EOF) {
				return nil
			}
			meta, path, ok := strings.Cut(entry, "\t")
			fields := strings.Fields(meta)
			if err != nil || !ok || len(fields) != 3 {
				return errors.Join(errLog, err)
			}
			if isFile(meta) {
				files[path] = fields[place]
			}
		}
	})
	return files, err
}
