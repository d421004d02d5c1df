package history

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"issues-index/store"
	"issues-index/store/git"
)

// A History is that of one document.
type History struct {
	follower *pathFollower
	subject  Followed
	objects  *git.Objects
	steps    []committed // the newest first
	// pending is what is not committed, the zero step where there is nothing.
	pending step
	data    []byte // of the file now, nil when it is gone
	written time.Time

	// Untracked is true where no commit has the document.
	Untracked bool
	// Shallow is true where the clone lacks older commits.
	Shallow bool
	// CutAt is the oldest commit that was read, where there are older ones and more than are
	// read at once; "" where there are not.
	CutAt string
	// Detached is the commit that is checked out without a branch, "" for a branch.
	Detached string
}

// A committed step is what a commit did to the document: one step, or several of a merge,
// of which the first is that from the first parent.
type committed struct {
	git.Commit
	step
	others []step // from the other parents of a merge
	same   []int  // the other parents that have the document as the merge has it
}

// Read finds the history of a document. Close ends it. Errors: *git.UnreadableError where
// there is no history to read.
func Read(ctx context.Context, ws *store.Workspace, s Followed) (*History, error) {
	return read(ctx, ws, s, git.MostChanges)
}

// openRepository opens the repository of a workspace. Errors: *UnreadableError where there is
// no history.
func openRepository(ctx context.Context, ws *store.Workspace) (*git.Repository, error) {
	if ws.Mirror() {
		return nil, &git.UnreadableError{
			Reason: "a hub has the documents as they are, and not their history",
			Advice: "ask for it in the workspace of the document",
		}
	}
	return git.OpenRepository(ctx, ws.Root)
}

// read reads so many changes of files at most.
func read(ctx context.Context, ws *store.Workspace, s Followed, most int) (*History, error) {
	repo, err := openRepository(ctx, ws)
	if err != nil {
		return nil, err
	}
	f, err := follow(ctx, ws, repo, s, most)
	if err != nil {
		return nil, err
	}
	h := &History{follower: f, subject: s, Shallow: repo.Shallow}
	if !f.complete {
		h.CutAt = f.commits[len(f.commits)-1].Hash
	}
	if repo.Branch == "" {
		h.Detached = repo.Head
	}
	for _, c := range f.commits {
		h.steps = append(h.steps, committedSteps(c, f.steps(c))...)
	}
	if err := h.readPending(); err != nil {
		return nil, err
	}
	h.objects, err = repo.Objects(ctx)
	return h, err
}

// Close ends the reading.
func (h *History) Close() { h.objects.Close() }

// Path is where the document is, or was at last, "" where no commit has it.
func (h *History) Path() string {
	if !h.subject.gone {
		return h.subject.paths[0]
	}
	if len(h.steps) == 0 {
		return ""
	}
	newest := h.steps[0]
	return cmp.Or(newest.after.path, newest.before.path)
}

// ID is the id of the document, or the name by which it was asked for.
func (h *History) ID() string { return h.subject.ids[0] }

// committedSteps are the steps of a commit. A merge has one for each that it made from its first
// parent.
func committedSteps(c git.Commit, steps []step) (all []committed) {
	if len(c.Parents) < 2 {
		for _, s := range steps {
			all = append(all, committed{Commit: c, step: s})
		}
		return all
	}
	for _, s := range steps {
		if s.parent != 0 {
			continue
		}
		one := committed{Commit: c, step: s}
		for parent := 1; parent < len(c.Parents); parent++ {
			i := slices.IndexFunc(steps, func(o step) bool { return o.parent == parent && o.after == s.after })
			if i < 0 {
				one.same = append(one.same, parent)
				continue
			}
			one.others = append(one.others, steps[i])
		}
		all = append(all, one)
	}
	return all
}

// readPending compares the file with the commit that is checked out.
func (h *History) readPending() error {
	ws, now := h.follower.ws, ""
	h.written = ws.Now().UTC()
	if !h.subject.gone {
		now = h.subject.paths[0]
		data, st, err := ws.Read(now)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			now = ""
		case err != nil && !errors.Is(err, store.ErrTooLarge):
			return err
		}
		if now != "" {
			h.data, h.written = data, time.Unix(0, st.Mtime).UTC()
		}
	}
	head := h.checkedOut(now)
	h.Untracked = head.object == "" && len(h.steps) == 0
	h.pending = step{before: head, after: fileVersion{path: now}}
	return nil
}

// checkedOut is the file of the document in the commit that is checked out, which may have
// another name there than it has now.
func (h *History) checkedOut(now string) fileVersion {
	var files []fileVersion
	seen := map[string]bool{}
	for _, c := range h.follower.commits {
		for _, change := range c.Changes {
			if !h.follower.names[change.Path] || seen[change.Path] {
				continue
			}
			seen[change.Path] = true
			if change.New != "" {
				files = append(files, fileVersion{change.Path, change.New})
			}
		}
	}
	rank := func(v fileVersion) int {
		switch _, err := h.follower.ws.Stat(v.path); {
		case v.path == now:
			return 0
		case !errors.Is(err, fs.ErrNotExist):
			return 3 // another document
		case path.Base(v.path) == path.Base(now):
			return 1
		}
		return 2
	}
	best := fileVersion{}
	for _, v := range files {
		if r := rank(v); r < 3 && (best.path == "" || r < rank(best)) {
			best = v
		}
	}
	return best
}
