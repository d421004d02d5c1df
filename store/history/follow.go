package history

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"issues-index/store/git"
)

// mostChanges is how many changes of a document's file are read: some 50 MB.
const mostChanges = 100_000

// follow reads the commits that changed the document's file, as many as have so many changes. The
// file is known by the ids that begin its name, by the same name in another folder, and by git,
// which knows a renamed file by similar bytes.
func (h *History) follow(ctx context.Context, repo *git.Repository, most int) error {
	count := 0
	others := map[string]bool{} // names of files that other documents have
	var commits []git.Commit
	err := repo.LogRenames(ctx, []string{git.Markdown}, func(c git.Commit) error {
		for _, change := range c.Changes {
			if !h.mayBe(change.Path) {
				continue
			}
			base := path.Base(change.Path)
			others[base] = others[base] || !h.names[change.Path] && h.isThere(change.Path)
			if change.From != "" && (h.names[change.Path] || !others[base]) {
				h.names[change.From] = true
			}
		}
		c.Changes = slices.DeleteFunc(c.Changes, func(change git.PathChange) bool { return !h.mayBe(change.Path) })
		switch {
		case len(c.Changes) == 0:
			return nil
		case count >= most:
			h.CutAt = commits[len(commits)-1].Hash
			return git.ErrEnough
		}
		commits = append(commits, c)
		count += len(c.Changes)
		return nil
	})
	for _, c := range commits {
		c.Changes = slices.DeleteFunc(c.Changes, func(change git.PathChange) bool {
			return !h.names[change.Path] && (others[path.Base(change.Path)] || h.isThere(change.Path))
		})
		for _, change := range c.Changes {
			h.names[change.Path] = true
		}
		for _, s := range h.stepsOf(c) {
			h.steps = append(h.steps, committedStep{c, s})
		}
	}
	return err
}

// mayBe reports whether a file may be the document's. Of a document that is gone, the ids are those
// that the newest such file has in its name: a bare number may be that of any type.
func (h *History) mayBe(file string) bool {
	if h.names[file] {
		return true
	}
	if _, ok := h.ws.CollectionOf(file); !ok {
		return false
	}
	ids := h.subject.idsIn(h.ws, file)
	if len(ids) > 0 && h.subject.gone {
		h.subject.ids = ids
	}
	return len(ids) > 0 || h.subject.isFile(file)
}

// isThere reports whether there is a file now.
func (h *History) isThere(file string) bool {
	_, err := h.ws.Stat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

// A fileVersion is a file in a commit, the zero one none.
type fileVersion struct{ path, object string }

// A step is what a commit did to the document, compared with its first parent.
type step struct{ before, after fileVersion }

// A committedStep is a step and the commit that made it.
type committedStep struct {
	git.Commit
	step
}

// stepsOf are what a commit did to the document. There are several where it changed two copies of
// the file. A file that went away and one that came to be are one file where they seem to be.
func (h *History) stepsOf(c git.Commit) (steps []step) {
	taken := make([]bool, len(c.Changes))
	for _, alike := range []func(gone, came git.PathChange) bool{
		func(gone, came git.PathChange) bool { return gone.Old == came.New },
		func(gone, came git.PathChange) bool { return path.Base(gone.Path) == path.Base(came.Path) },
		func(gone, came git.PathChange) bool { return came.From == gone.Path },
		func(gone, came git.PathChange) bool { return true },
	} {
		for i, came := range c.Changes {
			for j, gone := range c.Changes {
				if !taken[i] && !taken[j] && came.Old == "" && gone.New == "" && alike(gone, came) {
					taken[i], taken[j] = true, true
					steps = append(steps, step{fileVersion{gone.Path, gone.Old}, fileVersion{came.Path, came.New}})
				}
			}
		}
	}
	for i, change := range c.Changes {
		if taken[i] {
			continue
		}
		var s step
		if change.Old != "" {
			s.before = fileVersion{change.Path, change.Old}
		}
		if change.New != "" {
			s.after = fileVersion{change.Path, change.New}
		}
		steps = append(steps, s)
	}
	return steps
}
