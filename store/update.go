package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"issues-index/store/frontmatter"
)

// Fields are what an update sets; a nil one stays as it is. An empty or blank
// Title, Description, Type, Status or Priority stays, too: nothing is erased
// by leaving a value empty, but for Assignee and Project, which "" removes, and
// Labels.
type Fields struct {
	Title, Type, Status, Priority *string
	Assignee, Project             *string
	Labels                        *[]string
	// Description takes the place of the body.
	Description *string
	// Append goes to the end of the body, as a paragraph of its own.
	Append string
	// Context is merged into wranglerContext; a nil value removes its key.
	Context map[string]json.RawMessage

	// At is when the change is made, the moment it is written when zero.
	At time.Time
}

// Update changes the document at path. change is called under the lock with the
// document as it is on disk now, and says what to set; its error ends the update.
// It is called again when a program that knows of no lock, such as an editor, has
// changed the file meanwhile. A change of type moves the file to the other collection.
// After any update, of nothing even, a finished document lies in archived/ and one
// that is open does not, always under the same name; only where something is in the
// way, and the update is of neither status nor type, does the file stay.
//
// A document that is not there is fs.ErrNotExist, one that cannot be edited an
// *UneditableError, a value it cannot have a *ValueError, a file in the way of
// a move a *ConflictError, and a refusal of the file system a *DiskError.
func (w *Workspace) Update(ctx context.Context, path string, change func(*Document) (Fields, error)) (Written, error) {
	var done Written
	err := w.Mutate(ctx, func(m *Mutation) (err error) {
		done, err = m.update(path, change)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	return done, nil
}

// maxRetries is how often an update begins anew.
const maxRetries = 5

func (m *Mutation) update(p string, change func(*Document) (Fields, error)) (Written, error) {
	for range maxRetries {
		done, err := m.updateOnce(p, change)
		if !errors.Is(err, errConcurrentEdit) {
			return done, err
		}
		m.rollBack()
	}
	return Written{}, &ConflictError{p, "is being changed by another program"}
}

func (m *Mutation) updateOnce(p string, change func(*Document) (Fields, error)) (Written, error) {
	loaded, err := m.load(p)
	switch {
	case errors.Is(err, ErrTooLarge):
		return Written{}, frontmatter.Editable(loaded.doc.Problems)
	case err != nil:
		return Written{}, err
	}
	before := loaded.doc
	p = before.Path
	fields, err := change(before)
	if err != nil {
		return Written{}, err
	}
	edit, err := fields.edit(before)
	if err != nil {
		return Written{}, err
	}
	edited, changed, err := edit.Apply(loaded.parsed, cmp.Or(fields.At, m.w.now()))
	if err != nil {
		return Written{}, err
	}
	to := m.w.destination(before, newValue(fields.Type, before.Type), newValue(fields.Status, before.Status))
	if to != p && fields.Type == nil && fields.Status == nil && !m.free(to) {
		to = p
	}
	switch {
	case changed:
		err = m.write(p, to, edited)
	case to != p:
		err = m.relocate(p, to)
	default:
		return Written{Before: before, After: before, Path: p, OldPath: p}, nil
	}
	if err != nil {
		return Written{}, err
	}
	after, err := m.readBack(to, edited)
	if err != nil {
		return Written{}, err
	}
	return after.written(before), nil
}

// write puts the new bytes of the document at from in place, at to.
func (m *Mutation) write(from, to string, data []byte) error {
	at, err := m.placeOf(from)
	switch {
	case err != nil:
		return err
	case from == to:
		return m.replace(at, from, data)
	}
	return m.moveReplace(at, from, to, data)
}

// newValue is a field's value after the update: nothing, or an empty text, keeps
// the old one.
func newValue(value *string, old string) string {
	if value == nil || *value == "" {
		return old
	}
	return *value
}

// edit is the change of the bytes. What the document says already, if only by
// its place or its first heading, is not written down.
func (f Fields) edit(doc *Document) (frontmatter.Edit, error) {
	e := frontmatter.Edit{Append: f.Append}
	set := func(key string, value any) { e.Set = append(e.Set, frontmatter.Assignment{Key: key, Value: value}) }
	if f.Title != nil {
		if title := frontmatter.OneLine(*f.Title); title != "" && title != doc.Title {
			set("title", title)
		}
	}
	for _, choice := range []struct {
		key     string
		value   *string
		old     string
		allowed []string
	}{
		{"type", f.Type, doc.WrittenType(), Types},
		{"status", f.Status, doc.Status, Statuses},
		{"priority", f.Priority, doc.Priority, Priorities},
	} {
		value := newValue(choice.value, choice.old)
		if value == choice.old {
			continue
		}
		if err := CheckChoice(choice.key, value, choice.allowed); err != nil {
			return e, err
		}
		set(choice.key, value)
	}
	if f.Labels != nil {
		set("labels", *f.Labels)
	}
	for _, text := range []struct {
		key   string
		value *string
		old   string
	}{{"assignee", f.Assignee, doc.Assignee}, {"project", f.Project, doc.Project}} {
		if text.value == nil {
			continue
		}
		switch value := frontmatter.OneLine(*text.value); value {
		case text.old:
		case "":
			set(text.key, nil)
		default:
			set(text.key, value)
		}
	}
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
	return e, checkText("note", f.Append)
}

// CheckChoice refuses a value of a field that is not among those allowed.
func CheckChoice(field, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return &ValueError{Field: field, Value: value, Reason: "is no " + field, Allowed: allowed}
}

// checkText refuses what would make the whole file unreadable.
func checkText(field, value string) error {
	if strings.ContainsRune(value, 0) {
		return &ValueError{Field: field, Reason: "has a NUL byte"}
	}
	return nil
}
