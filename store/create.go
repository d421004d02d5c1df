package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// NewDocument is what a new document is made of.
type NewDocument struct {
	Type        string // issue when empty
	Title       string
	Description string // the body
	Status      string // the workspace's default when empty, and so is Priority
	Priority    string
	Labels      []string
	Assignee    string
	Project     string
	DependsOn   []string        // ids of the documents that it waits for
	Parent      string          // id of the parent, "" for none or for that of Context
	Context     json.RawMessage // wranglerContext, a JSON object; nil for none
	Extra       json.RawMessage // further keys in their order, a JSON object; nil for none
}

// A NumberSource returns a number of a series, at least next, which is the first free number here.
// note is for people, such as Written.Note.
type NumberSource func(series string, next int) (number int, note string, err error)

// CreateOptions are what only the caller knows. Its functions are called under
// the lock and must not write documents.
type CreateOptions struct {
	// Floor returns the highest number of a series (see IDSeries) that any id has ever
	// had: IDNumbers of the ids and file names of all documents that were there when
	// Create was called, and of those long gone. With it Create does not look at the other
	// documents, so that its cost does not grow with their number. Numbers that other
	// processes give out meanwhile, and those of other git worktrees, need not be in it.
	// Without it, every document is read.
	Floor func(series string) (int, error)
	// Taken reports whether a document has an id, and counts all documents, where ids are
	// hashes. Without it, every document is read.
	Taken func(id string) (taken bool, documents int, err error)
	// Number gives the document its number. Without it, that is the next one. Where ids are hashes,
	// it is not called.
	Number NumberSource
	// Check may refuse the document, for its title say.
	Check func() error
}

// Create writes a new document under the next id of its type: to archived/ when
// it is finished from the start, else to the root of its collection. It never
// overwrites a file. A value that a document cannot have is a *ValueError, a
// file in the way a *ConflictError, a refusal of the file system a *DiskError.
func (w *Workspace) Create(ctx context.Context, n NewDocument, o CreateOptions) (Written, error) {
	if err := n.complete(w.Layout); err != nil {
		return Written{}, err
	}
	var after *loaded
	var note string
	err := w.Mutate(ctx, func(m *Mutation) (err error) {
		defer func() { note = m.note }()
		if o.Check != nil {
			if err := o.Check(); err != nil {
				return err
			}
		}
		after, err = m.create(ctx, n, o)
		var taken *ConflictError
		if o.Floor != nil && errors.As(err, &taken) && taken.Taken() { // the floor was too low
			m.rollBack()
			o.Floor, o.Taken = nil, nil
			after, err = m.create(ctx, n, o)
		}
		return err
	})
	if err != nil {
		return Written{}, err
	}
	done := after.written(nil)
	done.Note = note
	return done, nil
}

// complete fills in the defaults and refuses what cannot be.
func (n *NewDocument) complete(l *layout.Layout) error {
	n.Title = frontmatter.OneLine(n.Title)
	if n.Title == "" {
		return &ValueError{Field: "title", Reason: "is empty"}
	}
	if n.Parent == "" && l.Parent != layout.ContextParent {
		var err error
		if n.Parent, n.Context, err = takeParent(n.Context); err != nil {
			return err
		}
	}
	if err := checkText("description", n.Description); err != nil {
		return err
	}
	n.Type, n.Status = cmp.Or(n.Type, TypeIssue), cmp.Or(n.Status, l.DefaultStatus())
	n.Priority = cmp.Or(n.Priority, l.DefaultPriority())
	return checkChoices(l, n.Type, n.Status, n.Priority)
}

func (m *Mutation) create(ctx context.Context, n NewDocument, o CreateOptions) (*loaded, error) {
	c, ok := m.w.homeOf(n.Type)
	if !ok {
		return nil, &ValueError{Field: "type", Value: n.Type, Reason: "has no directory in this workspace"}
	}
	unlock, err := m.w.lockWorktrees(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock() // when the document is there for others to see
	id, err := m.allocate(ctx, n, o)
	if err != nil {
		return nil, err
	}
	p := c.home(m.w.FileName(id, n.Title), m.w.Layout.Finished(n.Status))
	data, err := n.render(m.w.Layout, id, m.w.now())
	if err != nil {
		return nil, err
	}
	if err := frontmatter.Editable(m.w.Parse(File{Path: p, Collection: &c}, data, nil).Problems); err != nil {
		return nil, err
	}
	m.changing(DocumentChange{Path: p, Is: HashOf(data), Now: data})
	return m.add(p, data, nil)
}

// add makes a new file at p, durably. Without attributes it gets those of any new file.
func (m *Mutation) add(p string, data []byte, like *attributes) (*loaded, error) {
	dir, err := m.makeParent(p)
	if err != nil {
		return nil, err
	}
	temporary, err := m.stage(dir, data, like, true)
	if err != nil {
		return nil, WrapDiskError("write", p, err)
	}
	entry := path.Join(dir, path.Base(p))
	err = m.moveEntry(temporary, entry)
	if errors.Is(err, fs.ErrExist) {
		return nil, &ConflictError{p, reasonTaken}
	}
	if err != nil {
		return nil, WrapDiskError("create", p, err)
	}
	if err := m.disk.syncDir(dir); err != nil { // it was not reported: it can go again
		return nil, WrapDiskError("save", p, err)
	}
	m.done()
	return m.readBack(p, data)
}
