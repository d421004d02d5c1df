package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"issues-index/store/frontmatter"
	"issues-index/store/orderedjson"
)

// TemplateDir holds the templates of new documents, one for each type. They are no
// documents, unless a collection is configured to lie there.
const TemplateDir = ".wrangler/templates"

// A TemplateError says why a template cannot be used.
type TemplateError struct {
	Path   string
	Line   int    // of the file, from 1; 0 when no one line is to blame
	Reason string // a clause
}

func (e *TemplateError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("the template %s, line %d: %s", e.Path, e.Line, e.Reason)
	}
	return fmt.Sprintf("the template %s: %s", e.Path, e.Reason)
}

// Template is what the workspace's template gives a new document of a type: its text and
// fields, apart from id, title and times. Without a template it has the type alone. A
// template that cannot be read, or has a problem, is a *TemplateError.
func (w *Workspace) Template(typ string) (NewDocument, error) {
	n := NewDocument{Type: typ}
	if err := CheckChoice("type", typ, Types); err != nil {
		return n, err
	}
	p := path.Join(TemplateDir, typ+".md")
	data, _, err := w.Read(p)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err != nil {
		if outside := (*PathError)(nil); errors.As(err, &outside) {
			return n, &TemplateError{Path: p, Reason: "it " + outside.Reason}
		}
		return n, &TemplateError{Path: p, Reason: bare(err).Error()}
	}
	parsed := frontmatter.Parse(data, typ, w.Layout)
	if len(parsed.Problems) > 0 {
		problem := parsed.Problems[0]
		return n, &TemplateError{Path: p, Line: problem.Line, Reason: problem.Message}
	}
	n.Description, n.Status, n.Priority, n.Labels = parsed.Body, parsed.Status, parsed.Priority, parsed.Labels
	n.Assignee, n.Project, n.Context = parsed.Assignee, parsed.Project, parsed.Context
	n.DependsOn, n.Extra = parsed.DependsOn(), parsed.Extra
	if len(n.DependsOn) > 0 {
		n.Extra, err = withoutDependencies(n.Extra)
	}
	return n, err
}

// withoutDependencies leaves out the keys that [NewDocument.DependsOn] stands for.
func withoutDependencies(extra json.RawMessage) (json.RawMessage, error) {
	keys, err := orderedjson.Parse(extra)
	if err != nil {
		return nil, fmt.Errorf("read the template's keys: %w", err)
	}
	keys = slices.DeleteFunc(keys, func(m orderedjson.Member) bool { return frontmatter.LinkKindOf(m.Name) == WaitsFor })
	if len(keys) == 0 {
		return nil, nil
	}
	return keys.MarshalJSON()
}
