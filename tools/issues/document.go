package issues

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// fieldNames are what the argument fields may name; the id is always answered.
var fieldNames = []string{
	"title", "description", "status", "priority", "labels", "assignee", "project", "dates", "wranglerContext",
}

// A document is one whole document, or those of its fields that were asked for.
type document struct {
	ID              string          `json:"id"`
	Title           string          `json:"title,omitempty"`
	Type            string          `json:"type,omitempty"`
	Status          string          `json:"status,omitempty"`
	Priority        string          `json:"priority,omitempty"`
	Labels          *[]string       `json:"labels,omitempty"` // set, though empty, when shown
	Assignee        string          `json:"assignee,omitempty"`
	Project         string          `json:"project,omitempty"`
	CreatedAt       string          `json:"createdAt,omitempty"`
	UpdatedAt       string          `json:"updatedAt,omitempty"`
	ClosedAt        string          `json:"closedAt,omitempty"`
	WranglerContext json.RawMessage `json:"wranglerContext,omitempty"`
	// Frontmatter holds the keys of the frontmatter that no other field shows.
	Frontmatter json.RawMessage `json:"frontmatter,omitempty"`
	Path        string          `json:"path,omitempty"`
	Problems    []string        `json:"problems,omitempty"`
	Description *string         `json:"description,omitempty"` // set, though empty, when shown
}

// subject looks up the document that the argument issueId names.
func subject(ctx context.Context, ix *index.Index, id string) (index.Row, error) {
	r, err := ix.Get(ctx, id)
	return r, onIssueID(err)
}

// onIssueID blames the argument issueId for what other tools blame id for.
func onIssueID(err error) error {
	if err == nil {
		return nil
	}
	if e := tools.ErrorOf(err); e.Field == "id" {
		return e.On("issueId")
	}
	return err
}

// load reads a row's document from its file, which alone has the body. A file
// that went away since the row was read is a document not found.
func load(ix *index.Index, r index.Row) (*store.Document, error) {
	doc, _, err := ix.Workspace().Load(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &index.NotFoundError{ID: handle(r)}
	}
	return doc, err
}

// mostMoves is how often a document may be moved while it is looked for.
const mostMoves = 5

// find looks a document up and reads it. One whose file was moved between the two
// is looked up again.
func find(ctx context.Context, ix *index.Index, id string) (row index.Row, doc *store.Document, err error) {
	for range mostMoves {
		if row, err = ix.Get(ctx, id); err != nil {
			return index.Row{}, nil, err
		}
		doc, err = load(ix, row)
		if gone := (*index.NotFoundError)(nil); !errors.As(err, &gone) {
			break
		}
	}
	return row, doc, err
}

// whole shows everything a document has.
func whole(doc *store.Document) document {
	d := document{
		ID:              doc.ID,
		Title:           doc.Title,
		Type:            doc.Type,
		Status:          doc.CountedStatus(),
		Priority:        doc.CountedPriority(),
		Labels:          labelsOf(doc),
		Assignee:        doc.Assignee,
		Project:         doc.Project,
		CreatedAt:       stamp(doc.Created),
		UpdatedAt:       stamp(doc.Updated),
		ClosedAt:        stamp(doc.Closed),
		WranglerContext: doc.Context,
		Frontmatter:     doc.Extra,
		Path:            doc.Path,
		Description:     &doc.Body,
	}
	for _, p := range doc.Problems {
		d.Problems = append(d.Problems, p.Message)
	}
	return d
}

// part shows the fields that were asked for, the unset ones as none, and the
// path when only that names the document.
func part(doc *store.Document, shared bool, fields []string) document {
	all := whole(doc)
	d := document{ID: all.ID}
	if shared {
		d.Path = all.Path
	}
	for _, field := range fields {
		switch field {
		case "title":
			d.Title = all.Title
		case "description":
			d.Description = all.Description
		case "status":
			d.Status = all.Status
		case "priority":
			d.Priority = all.Priority
		case "labels":
			d.Labels = all.Labels
		case "assignee":
			d.Assignee = orNone(all.Assignee)
		case "project":
			d.Project = orNone(all.Project)
		case "dates":
			d.CreatedAt, d.UpdatedAt, d.ClosedAt = all.CreatedAt, all.UpdatedAt, all.ClosedAt
		case "wranglerContext":
			d.WranglerContext = contextOf(doc.Context)
		}
	}
	return d
}

// show is the whole document, or the fields that were asked for.
func show(doc *store.Document, shared bool, fields []string) document {
	if len(fields) == 0 {
		return whole(doc)
	}
	return part(doc, shared, fields)
}

// pathText is a path as it stands in a text: as JSON when it would not be one line.
func pathText(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) || strings.ContainsAny(path, "\u2028\u2029") {
		return string(orderedjson.Text(path))
	}
	return path
}

func labelsOf(doc *store.Document) *[]string {
	labels := slices.Clone(doc.Labels)
	if labels == nil {
		labels = []string{}
	}
	return &labels
}

// contextOf is a wranglerContext, an empty object when there is none.
func contextOf(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
}

// text is the document as its fields and, after a blank line, its description byte
// for byte.
func (d document) text() string {
	if d.Description == nil {
		return d.fields()
	}
	return d.fields() + "\n\n" + *d.Description
}

// fields are a heading, and a line for each of them but the description.
func (d document) fields() string {
	var b strings.Builder
	b.WriteString(name(d.ID))
	if d.Title != "" {
		b.WriteString(" " + words.OneLine(d.Title))
	}
	field := func(key, value string) {
		if value != "" {
			b.WriteString("\n" + key + ": " + value)
		}
	}
	field("type", words.OneLine(d.Type))
	field("status", words.OneLine(d.Status))
	field("priority", words.OneLine(d.Priority))
	if d.Labels != nil {
		field("labels", orNone(words.OneLine(strings.Join(*d.Labels, ", "))))
	}
	field("assignee", words.OneLine(d.Assignee))
	field("project", words.OneLine(d.Project))
	field("created", d.CreatedAt)
	field("updated", d.UpdatedAt)
	field("closed", d.ClosedAt)
	field("wranglerContext", string(d.WranglerContext))
	field("frontmatter", string(d.Frontmatter))
	field("path", pathText(d.Path))
	for _, problem := range d.Problems {
		field("problem", words.OneLine(problem))
	}
	return b.String()
}

// squeezed makes the fields of a document fit so many bytes of JSON, its text aside. The
// note says what is missing, and ends with the hint.
func (d document) squeezed(bytes int, hint string) (document, string) {
	d.ID = shortID(d.ID, d.Path)
	object := answer.SqueezeObject(marshalled(d), json.RawMessage(documentObject), hint, func(o json.RawMessage) bool { return len(o) <= bytes })
	var short struct {
		document
		Note string `json:"note"`
	}
	if json.Unmarshal(object, &short) != nil { // it is JSON of ours
		return d, ""
	}
	return short.document, short.Note
}
