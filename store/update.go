package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// Fields are the values that an update sets. A nil field stays as it is, and so does a blank
// Title, Description, Type, Status or Priority: an empty value erases nothing. The
// exceptions are Assignee, Project and Parent, which "" removes, and the lists.
type Fields struct {
	Title, Type, Status, Priority *string
	Assignee, Project             *string
	// Labels replaces the labels; AddLabels adds to them, and RemoveLabels then takes some away.
	Labels                  *[]string
	AddLabels, RemoveLabels []string
	// DependsOn replaces the ids of the documents that this one waits for; AddDependsOn
	// adds to them, and RemoveDependsOn then takes ids away, in any spelling.
	DependsOn                     *[]string
	AddDependsOn, RemoveDependsOn []string
	// Parent is the id of the parent.
	Parent *string
	// Description replaces the body.
	Description *string
	// Body replaces the body, too, but byte for byte, and by nothing as well.
	Body *string
	// Append is added to the end of the body as a paragraph.
	Append string
	// Context is merged into wranglerContext; a nil value removes its key.
	Context map[string]json.RawMessage

	// At is the time of the change; the zero time means now.
	At time.Time
}

// SetOptional sets a field that a document need not have, by its key, and reports whether it
// is one. A list is separated by commas. An empty value clears the field.
func (f *Fields) SetOptional(key, value string) bool {
	list := words.List(value)
	switch key {
	case "assignee":
		f.Assignee = &value
	case "project":
		f.Project = &value
	case "parent":
		f.Parent = &value
	case "labels":
		f.Labels = &list
	case "dependsOn":
		f.DependsOn = &list
	default:
		return false
	}
	return true
}

// Signed reads the signs in the lists of names. Errors are those of [NameChange.Signed].
func (f Fields) Signed(doc *Document) (Fields, error) {
	labels, err := NameChange{f.Labels, f.AddLabels, f.RemoveLabels}.Signed("labels", doc.Labels)
	if err != nil {
		return f, err
	}
	links, err := NameChange{f.DependsOn, f.AddDependsOn, f.RemoveDependsOn}.Signed("dependsOn", doc.DependsOn())
	f.Labels, f.AddLabels, f.RemoveLabels = labels.Set, labels.Add, labels.Remove
	f.DependsOn, f.AddDependsOn, f.RemoveDependsOn = links.Set, links.Add, links.Remove
	return f, err
}

// Update changes the document at path. It calls change under the lock with the document as
// it is on disk now; change returns the fields to set, or an error that ends the update.
// Update calls it again if a program that ignores the lock, such as an editor, has changed
// the file meanwhile.
//
// A change of type moves the file to the other collection. After every update, even an
// empty one, a finished document is in archived/ and an open one is not; the file keeps
// its name. If another file is in the way and the update sets neither status nor type, the
// file stays where it is.
//
// Errors: fs.ErrNotExist for a missing document, *UneditableError for a document that cannot
// be edited, *ValueError for a value that it cannot have, *ConflictError for a file in the way
// of a move, and *DiskError for a failure of the file system.
func (w *Workspace) Update(ctx context.Context, path string, change func(*Document) (Fields, error)) (Written, error) {
	return w.change(ctx, path, updating(change))
}

// Update is [Workspace.Update] as a part of a mutation.
func (m *Mutation) Update(path string, change func(*Document) (Fields, error)) (Written, error) {
	return m.change(path, updating(change))
}

// updating is the transition of an update.
func updating(change func(*Document) (Fields, error)) transition {
	return func(m *Mutation, l *loaded) (data []byte, to string, err error) {
		before := l.doc
		fields, err := change(before)
		if err != nil {
			return nil, "", err
		}
		edit, err := fields.edit(before, m.w.Layout)
		if err != nil {
			return nil, "", err
		}
		data, _, err = edit.Apply(l.parsed, cmp.Or(fields.At, m.w.now()))
		typ, status := newValue(fields.Type, before.Type), newValue(fields.Status, before.Status)
		return data, m.destination(before, typ, status, fields.Type != nil || fields.Status != nil), err
	}
}

// A transition returns what becomes of a document: its bytes, and its path, "" for none.
type transition = func(*Mutation, *loaded) (data []byte, to string, err error)

// change takes the document at path to its next state under the lock.
func (w *Workspace) change(ctx context.Context, path string, next transition) (done Written, err error) {
	err = w.Mutate(ctx, func(m *Mutation) (err error) {
		done, err = m.change(path, next)
		return err
	})
	return done, err
}

// maxRetries is how often a change is tried again after a concurrent edit.
const maxRetries = 5

func (m *Mutation) change(p string, next transition) (Written, error) {
	for range maxRetries {
		done, err := m.changeOnce(p, next)
		if !errors.Is(err, errConcurrentEdit) {
			return done, err
		}
		m.rollBack()
	}
	return Written{}, &ConflictError{p, "is being changed by another program"}
}

func (m *Mutation) changeOnce(p string, next transition) (Written, error) {
	old, err := m.load(p)
	switch {
	case errors.Is(err, ErrTooLarge):
		return Written{}, frontmatter.Editable(old.doc.Problems)
	case err != nil:
		return Written{}, err
	}
	before := old.doc
	p = before.Path
	data, to, err := next(m, old)
	if err != nil {
		return Written{}, err
	}
	switch {
	case to == "":
		return Written{}, m.deleteLoaded(old, nil)
	case to == p && bytes.Equal(data, old.data):
		return Written{Before: before, After: before, Path: p, OldPath: p}, nil
	}
	m.changing(DocumentChange{OldPath: p, Path: to, Was: old.data, Is: HashOf(data), Now: data})
	if err := m.write(old, to, data); err != nil {
		return Written{}, err
	}
	after, err := m.readBack(to, data)
	if err != nil {
		return Written{}, err
	}
	return after.written(before), nil
}

// newValue returns a field's value after the update; nil or an empty text keeps the old one.
func newValue(value *string, old string) string {
	if value == nil || *value == "" {
		return old
	}
	return *value
}

// changed returns a field's value after the update, "" when it is the old one.
func changed(value *string, old string) string {
	if value == nil || *value == old {
		return ""
	}
	return *value
}

// edit returns the change of the bytes. A value that the document has already, even if
// only by its folder or its first heading, is not written.
func (f Fields) edit(doc *Document, l *layout.Layout) (frontmatter.Edit, error) {
	f = f.withParent(doc, l)
	e := frontmatter.Edit{Append: f.Append}
	set := func(key string, value any) { e.Set = append(e.Set, frontmatter.Assignment{Key: key, Value: value}) }
	setText := func(key string, value *string, old string) {
		if value == nil {
			return
		}
		if text := frontmatter.OneLine(*value); text == "" && old != "" {
			set(key, nil)
		} else if text != old {
			set(key, text)
		}
	}
	if f.Title != nil {
		if title := frontmatter.OneLine(*f.Title); title != "" && title != doc.Title {
			set("title", title)
		}
	}
	typ, status := changed(f.Type, doc.WrittenType()), changed(f.Status, doc.Status)
	priority := changed(f.Priority, doc.Priority)
	if err := checkChoices(l, typ, status, priority); err != nil {
		return e, err
	}
	if typ != "" && !(l.Mapped(typ) && l.Mapped(doc.Type)) { // else the folder tells it
		set("type", typ)
	}
	if status != "" {
		set("status", status)
	}
	if priority != "" {
		set("priority", priority)
	}
	labels := NameChange{f.Labels, f.AddLabels, f.RemoveLabels}.On(doc.Labels)
	if f.Labels != nil || !slices.Equal(labels, doc.Labels) {
		set("labels", labels)
	}
	setText("assignee", f.Assignee, doc.Assignee)
	setText("project", f.Project, doc.Project)
	dependencies, _, err := f.dependencies(doc)
	if err != nil {
		return e, err
	}
	e.Set = append(e.Set, dependencies...)
	top, below := f.parent(doc)
	e.Set, e.Context = append(e.Set, top...), append(e.Context, below...)
	for _, key := range sortedKeys(f.Context) {
		var value any
		if raw := f.Context[key]; raw != nil {
			value = raw
		}
		e.Context = append(e.Context, frontmatter.Assignment{Key: key, Value: value})
	}
	if f.Description != nil && strings.TrimSpace(*f.Description) != "" {
		if err := checkText("description", *f.Description); err != nil {
			return e, err
		}
		e.Body = f.Description
	}
	if f.Body != nil {
		if err := checkText("text", *f.Body); err != nil {
			return e, err
		}
		e.Exact = f.Body
	}
	return e, checkText("note", f.Append)
}

// CheckChoice refuses a value of a field that is not among those allowed.
func CheckChoice(field, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return &ValueError{Field: field, Value: value, Reason: "is no " + field, Allowed: allowed}
}

// checkChoices refuses a type, a status or a priority that no document can be given, apart from "".
func checkChoices(l *layout.Layout, typ, status, priority string) error {
	for _, choice := range []struct {
		field, value string
		allowed      []string
	}{{"type", typ, Types}, {"status", status, l.StatusNames()}, {"priority", priority, l.Priorities}} {
		if choice.value == "" {
			continue
		}
		if err := CheckChoice(choice.field, choice.value, choice.allowed); err != nil {
			return err
		}
	}
	return nil
}

// checkText refuses a text that would make the file unreadable.
func checkText(field, value string) error {
	if strings.ContainsRune(value, 0) {
		return &ValueError{Field: field, Reason: "has a NUL byte"}
	}
	return nil
}
