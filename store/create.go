package store

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// NewDocument is what a new document is made of.
type NewDocument struct {
	Type        string // issue when empty
	Title       string
	Description string // the body
	Status      string // open when empty
	Priority    string // medium when empty
	Labels      []string
	Assignee    string
	Project     string
	Context     json.RawMessage // wranglerContext, a JSON object; nil for none
}

// CreateOptions are what only the caller knows. Its functions are called under
// the lock and must not write documents.
type CreateOptions struct {
	// Floor returns the highest number that any id of the type has ever had,
	// outliers aside (see HighestNumber): IDNumber of the ids and file names of all
	// documents that were there when Create was called, and of those long gone. With
	// it Create does not look at the other documents, so that its cost does not grow
	// with their number. Numbers that other processes give out meanwhile, and those
	// of other git worktrees, need not be in it. Without it, every document is read.
	Floor func(typ string) (int, error)
	// Outliers returns the numbers of documents above Floor's, which may come to be
	// near those given out. It may be nil.
	Outliers func(typ string) []int
	// Check may refuse the document, for its title say.
	Check func() error
}

// Create writes a new document under the next id of its type: to archived/ when
// it is finished from the start, else to the root of its collection. It never
// overwrites a file. A value that a document cannot have is a *ValueError, a
// file in the way a *ConflictError, a refusal of the file system a *DiskError.
func (w *Workspace) Create(ctx context.Context, n NewDocument, o CreateOptions) (Written, error) {
	if err := n.complete(); err != nil {
		return Written{}, err
	}
	var after *Document
	err := w.Mutate(ctx, func(m *Mutation) (err error) {
		if o.Check != nil {
			if err := o.Check(); err != nil {
				return err
			}
		}
		after, err = m.create(ctx, n, o, false)
		var taken *ConflictError
		if o.Floor != nil && errors.As(err, &taken) && taken.Taken() { // the floor was too low
			m.rollBack()
			after, err = m.create(ctx, n, o, true)
		}
		return err
	})
	if err != nil {
		return Written{}, err
	}
	return Written{After: after, Path: after.Path, Changed: true}, nil
}

// complete fills in the defaults and refuses what cannot be.
func (n *NewDocument) complete() error {
	n.Title = oneLine(n.Title)
	if n.Title == "" {
		return &ValueError{Field: "title", Reason: "is empty"}
	}
	if err := checkText("description", n.Description); err != nil {
		return err
	}
	for _, choice := range []struct {
		field, preset string
		value         *string
		allowed       []string
	}{
		{"type", TypeIssue, &n.Type, Types},
		{"status", DefaultStatus, &n.Status, Statuses},
		{"priority", DefaultPriority, &n.Priority, Priorities},
	} {
		if *choice.value == "" {
			*choice.value = choice.preset
		}
		if err := CheckChoice(choice.field, *choice.value, choice.allowed); err != nil {
			return err
		}
	}
	return nil
}

func (m *Mutation) create(ctx context.Context, n NewDocument, o CreateOptions, walk bool) (*Document, error) {
	i := slices.IndexFunc(m.w.Collections, func(c Collection) bool { return c.Type == n.Type })
	if i < 0 {
		return nil, &ValueError{Field: "type", Value: n.Type, Reason: "has no directory in this workspace"}
	}
	unlock, err := m.w.lockWorktrees(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock() // when the document is there for others to see
	c := m.w.Collections[i]
	id, err := m.allocate(ctx, c, o, walk)
	if err != nil {
		return nil, err
	}
	p := c.home(FileName(id, n.Title), finished(n.Status))
	data, err := n.render(id, m.w.now())
	if err != nil {
		return nil, err
	}
	fm, _, _ := splitFrontmatter(string(data))
	if err := tooLong(len(data), len(fm.yaml), n.lengths()); err != nil {
		return nil, err
	}
	if err := frozen(m.w.Parse(File{Path: p, Collection: c}, data, nil)); err != nil {
		return nil, err
	}
	dir, err := m.w.ResolveNew(path.Dir(p))
	if err != nil {
		return nil, WrapDiskError("create", p, err)
	}
	if err := m.makeDir(dir); err != nil {
		return nil, WrapDiskError("make", path.Dir(p), err)
	}
	temporary, err := m.stage(dir, data, nil)
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
	if err := m.disk.syncDir(dir); err != nil { // nobody was told of it: it can go again
		return nil, WrapDiskError("save", p, err)
	}
	m.done()
	return m.readBack(p, data)
}

// render is the new file. The first eight keys are there even when their value
// says nothing.
func (n NewDocument) render(id string, now time.Time) ([]byte, error) {
	extra, err := n.context()
	if err != nil {
		return nil, err
	}
	text := []byte("---\n")
	s := &source{eol: "\n"}
	add := func(key string, value *yaml.Node) { text = append(text, s.entry("", key, value)+s.eol...) }
	add("id", textNode(id))
	add("title", textNode(n.Title))
	add("type", textNode(n.Type))
	add("status", textNode(n.Status))
	add("priority", textNode(n.Priority))
	add("labels", fieldNode(listNode(n.Labels)))
	add("createdAt", timeNode(now, nil))
	add("updatedAt", timeNode(now, nil))
	if finished(n.Status) {
		add("closedAt", timeNode(now, nil))
	}
	if assignee := oneLine(n.Assignee); assignee != "" {
		add("assignee", textNode(assignee))
	}
	if project := oneLine(n.Project); project != "" {
		add("project", textNode(project))
	}
	if len(extra.Content) > 0 {
		add(contextKey, extra)
	}
	text = append(text, "---\n"...)
	body := unixLines(strings.ToValidUTF8(n.Description, "\ufffd"))
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	return append(text, body...), nil
}

// lengths are how many bytes each field takes, about.
func (n NewDocument) lengths() map[string]int {
	return map[string]int{
		"description": len(n.Description), "title": len(n.Title), "labels": len(strings.Join(n.Labels, ", ")),
		"assignee": len(n.Assignee), "project": len(n.Project), contextKey: len(n.Context),
	}
}

// context is wranglerContext, empty when there is none.
func (n NewDocument) context() (*yaml.Node, error) {
	if n.Context == nil {
		return mapNode(), nil
	}
	value, err := jsonNode(n.Context)
	switch {
	case err != nil:
		return nil, &ValueError{Field: contextKey, Value: string(n.Context), Reason: notJSON(err)}
	case isNull(value):
		return mapNode(), nil
	case value.Kind != yaml.MappingNode:
		return nil, &ValueError{Field: contextKey, Value: string(n.Context), Reason: "is no object"}
	case indexKey(value, "") >= 0:
		return nil, &ValueError{Field: contextKey, Reason: noName}
	}
	return value, nil
}
