package history

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"issues-index/store"
	"issues-index/store/git"
)

// A History is that of one document.
type History struct {
	ws      *store.Workspace
	subject Followed
	objects *git.Objects
	name    string          // the id of the document, or the name by which it was asked for
	names   map[string]bool // paths that the file has had
	steps   []committedStep // the newest first
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

// Read finds the history of a document. Close ends it. Errors: *git.UnreadableError where
// there is no history to read.
func Read(ctx context.Context, ws *store.Workspace, s Followed) (*History, error) {
	return read(ctx, ws, s, mostChanges)
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
	h := &History{ws: ws, subject: s, name: s.ids[0], names: map[string]bool{}, Shallow: repo.Shallow}
	for _, at := range s.paths {
		h.names[at] = true
	}
	if err := h.follow(ctx, repo, most); err != nil {
		return nil, err
	}
	if repo.Branch == "" {
		h.Detached = repo.Head
	}
	if h.objects, err = repo.Objects(ctx); err != nil {
		return nil, err
	}
	if err := h.readPending(repo.Head); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
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
func (h *History) ID() string { return h.name }

// readPending compares the file with the commit that is checked out.
func (h *History) readPending(head string) (err error) {
	now := ""
	h.written = h.ws.Now().UTC()
	if !h.subject.gone {
		data, st, err := h.ws.Read(h.subject.paths[0])
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil && !errors.Is(err, store.ErrTooLarge):
			return err
		default:
			now, h.data, h.written = h.subject.paths[0], data, time.Unix(0, st.Mtime).UTC()
		}
	}
	h.pending.after.path = now
	h.pending.before, err = h.checkedOut(head, now)
	h.Untracked = h.pending.before.object == "" && len(h.steps) == 0
	return err
}

// checkedOut is the file of the document in the commit that is checked out, which may have
// another name there than it has now.
func (h *History) checkedOut(head, now string) (best fileVersion, err error) {
	for _, name := range slices.Sorted(maps.Keys(h.names)) {
		if name != now && h.isThere(name) { // another document
			continue
		}
		object, _, err := h.objects.ReadAt(head, name, store.MaxFileSize)
		if err != nil && !errors.Is(err, git.ErrTooLarge) {
			return best, err
		}
		if found := (fileVersion{name, object}); object != "" && name == now {
			return found, nil
		} else if object != "" && (best.path == "" || path.Base(name) == path.Base(now)) {
			best = found
		}
	}
	return best, nil
}
