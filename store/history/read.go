package history

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
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
	others  map[string]bool // whether a name is that of another document's file, without the folder
	// steps are the newest first, before all what is not committed, if there is anything: its
	// object is uncommitted.
	steps []committedStep
	now   *store.Document // nil when it is gone

	// What Entries has read.
	docs  map[fileVersion]*store.Document
	left  int  // bytes that may be read
	began bool // the document came to be in the place of another one, whose history follows

	// Untracked is true where no commit has the document.
	Untracked bool
	// Shallow is true where the clone lacks older commits.
	Shallow bool
	// CutAt is the oldest commit that was read, where the file has more changes than are read
	// (mostChanges); "" elsewhere.
	CutAt string
	// Detached is the commit that is checked out without a branch, "" for a branch.
	Detached string
}

// uncommitted stands for the object of the file as it is now.
const uncommitted = "uncommitted"

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
	h := &History{
		ws: ws, subject: s, name: s.ids[0], names: map[string]bool{}, others: map[string]bool{},
		Shallow: repo.Shallow,
	}
	for _, at := range s.paths {
		h.names[at] = true
	}
	if err := h.follow(ctx, repo, most); err != nil {
		return nil, err
	}
	if repo.Branch == "" {
		h.Detached = repo.Head
	}
	if h.objects, err = git.OpenObjects(ctx, ws.Root); err != nil {
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
	return h.steps[0].after.path
}

// ID is the id of the document, or the name by which it was asked for.
func (h *History) ID() string { return h.name }

// readPending compares the file with the commit that is checked out.
func (h *History) readPending(head string) error {
	pending := committedStep{Commit: git.Commit{Time: h.ws.Now().UTC()}}
	now := ""
	if !h.subject.gone {
		at := h.subject.paths[0]
		data, st, err := h.ws.Read(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil && !errors.Is(err, store.ErrTooLarge):
			return err
		default:
			now, h.now, pending.Time = at, parse(h.ws, at, data, err), time.Unix(0, st.Mtime).UTC()
			pending.after.object = uncommitted
		}
	}
	var err error
	pending.before, err = h.inCommit(head, now)
	h.Untracked = pending.before.object == "" && len(h.steps) == 0
	if pending.after.path = cmp.Or(now, pending.before.path); pending.after.path != "" {
		h.steps = slices.Insert(h.steps, 0, pending)
	}
	return err
}

// inCommit is the document's file in a commit, by a name or else by another name that it has had;
// the zero one where the commit does not have it.
func (h *History) inCommit(commit, at string) (fileVersion, error) {
	for _, name := range append([]string{at}, slices.Sorted(maps.Keys(h.names))...) {
		if object, err := h.objects.Find(commit, name); object != "" || err != nil {
			return fileVersion{name, object}, err
		}
	}
	return fileVersion{}, nil
}
