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
// file is known by the ids that begin its name, by the same name in another folder, and by the same
// bytes under another name.
func (h *History) follow(ctx context.Context, repo *git.Repository, most int) error {
	count := 0
	return repo.Log(ctx, nil, func(c git.Commit) error {
		came := map[string]bool{} // objects that the document's file came to be as
		for _, change := range c.Changes {
			if change.Old == "" && h.isIt(change.Path) {
				came[change.New] = true
			}
		}
		c.Changes = slices.DeleteFunc(c.Changes, func(change git.PathChange) bool {
			return !h.isIt(change.Path) && (change.New != "" || !came[change.Old])
		})
		switch {
		case len(c.Changes) == 0:
			return nil
		case count >= most:
			h.CutAt = h.steps[len(h.steps)-1].Hash
			return git.ErrEnough
		}
		count += len(c.Changes)
		for _, change := range c.Changes {
			h.names[change.Path] = true
		}
		for _, s := range stepsOf(c) {
			h.steps = append(h.steps, committedStep{c, s})
		}
		return nil
	})
}

// isIt reports whether a file is the document's, and no other document's that has its name. The
// newest commits come first: where another document is now is known before where it was.
func (h *History) isIt(file string) bool {
	switch base := path.Base(file); {
	case h.names[file]:
		return true
	case !h.mayBe(file) || h.others[base]:
		return false
	default:
		_, err := h.ws.Stat(file)
		h.others[base] = !errors.Is(err, fs.ErrNotExist)
		return !h.others[base]
	}
}

// mayBe reports whether the name of a file may be the document's. Of a document that is gone, the
// ids are those that the newest such file has in its name: a bare number may be that of any type.
func (h *History) mayBe(file string) bool {
	if _, ok := h.ws.CollectionOf(file); !ok {
		return false
	}
	ids := h.subject.idsIn(h.ws, file)
	if len(ids) > 0 && h.subject.gone {
		h.subject.ids = ids
	}
	return len(ids) > 0 || h.subject.isFile(file)
}

// A fileVersion is a file in a commit; one without an object is not there.
type fileVersion struct{ path, object string }

// A step is what a commit did to the document, compared with its first parent.
type step struct{ before, after fileVersion }

// A committedStep is a step and the commit that made it.
type committedStep struct {
	git.Commit
	step
}

// stepsOf are what a commit did to the document. There are several where it changed two copies of
// the file. A file that went away and a file that came to be are one file: first those of the
// same bytes, then those of the same name, then the others.
func stepsOf(c git.Commit) (steps []step) {
	isGone := func(change git.PathChange) bool { return change.New == "" }
	there := slices.DeleteFunc(slices.Clone(c.Changes), isGone)
	gone := slices.DeleteFunc(c.Changes, func(change git.PathChange) bool { return !isGone(change) })
	for _, is := range there {
		steps = append(steps, step{fileVersion{is.Path, is.Old}, fileVersion{is.Path, is.New}})
	}
	for _, alike := range []func(was git.PathChange, is fileVersion) bool{
		func(was git.PathChange, is fileVersion) bool { return was.Old == is.object },
		func(was git.PathChange, is fileVersion) bool { return path.Base(was.Path) == path.Base(is.path) },
		func(git.PathChange, fileVersion) bool { return true },
	} {
		for i := range steps {
			at := slices.IndexFunc(gone, func(was git.PathChange) bool { return alike(was, steps[i].after) })
			if steps[i].before.object == "" && at >= 0 {
				steps[i].before = fileVersion{gone[at].Path, gone[at].Old}
				gone = slices.Delete(gone, at, at+1)
			}
		}
	}
	for _, was := range gone {
		steps = append(steps, step{fileVersion{was.Path, was.Old}, fileVersion{path: was.Path}})
	}
	return steps
}
