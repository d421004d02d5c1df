package issues

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// fieldNames are what the argument fields may name; the id is always answered.
var fieldNames = []string{
	"title", "description", "status", "priority", "labels", "assignee", "project", "dates", "wranglerContext", "boxes",
}

// A documentView is one whole document, or the fields of it that the call asked for.
type documentView struct {
	ID              string          `json:"id"`
	Workspace       string          `json:"workspace,omitempty"` // in a hub, as in issueRow
	Title           string          `json:"title,omitempty"`
	Type            string          `json:"type,omitempty"`
	Status          string          `json:"status,omitempty"`
	Priority        string          `json:"priority,omitempty"`
	Labels          *[]string       `json:"labels,omitempty"` // set, though empty, when shown
	Boxes           string          `json:"boxes,omitempty"`  // checked and all, as 2/5
	BoxList         []string        `json:"boxList,omitempty"`
	Assignee        string          `json:"assignee,omitempty"`
	Claim           *claimView      `json:"claim,omitempty"`
	Project         string          `json:"project,omitempty"`
	CreatedAt       string          `json:"createdAt,omitempty"`
	UpdatedAt       string          `json:"updatedAt,omitempty"`
	ClosedAt        string          `json:"closedAt,omitempty"`
	WranglerContext json.RawMessage `json:"wranglerContext,omitempty"`
	documents.LinksView
	// Frontmatter holds the keys of the frontmatter that no other field shows.
	Frontmatter json.RawMessage `json:"frontmatter,omitempty"`
	Path        string          `json:"path,omitempty"`
	Version     string          `json:"version,omitempty"`
	Problems    []string        `json:"problems,omitempty"`
	Description *string         `json:"description,omitempty"` // set, though empty, when shown
}

// lookUp finds the document that the argument issueId names, and names it as its caller does.
func lookUp(ctx context.Context, ix *index.Index, args *tools.Args, id string) (index.Row, error) {
	r, err := ix.Get(ctx, id)
	return namingOf(args).row(r), onIssueID(args, err)
}

// onIssueID makes an error about the argument id one about issueId.
func onIssueID(args *tools.Args, err error) error {
	if err == nil {
		return nil
	}
	if e := tools.ErrorOf(namingOf(args).failure(err)); e.Field == "id" {
		return e.On("issueId")
	}
	return err
}

// load reads a row's document from its file, since the index has no bodies. It returns
// a NotFoundError when the file is gone.
func load(ix *index.Index, r index.Row) (*store.Document, error) {
	doc, _, err := ix.Workspace().Load(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &index.NotFoundError{ID: r.Handle()}
	}
	return doc, err
}

func isGone(err error) bool {
	var gone *index.NotFoundError
	return errors.As(err, &gone)
}

// whole shows everything a document has.
func whole(doc *store.Document) documentView {
	d := fieldsOf(doc)
	d.Boxes = markdown.CountBoxes(doc.Body).String()
	return d
}

// fieldsOf is whole without the boxes, for which the text must be parsed.
func fieldsOf(doc *store.Document) documentView {
	d := documentView{
		ID:              doc.ID,
		Workspace:       doc.Branch.String(),
		Title:           doc.Title,
		Type:            doc.Type,
		Status:          doc.CountedStatus(),
		Priority:        doc.CountedPriority(),
		Labels:          labelsOf(doc),
		Assignee:        doc.Assignee,
		Project:         doc.Project,
		CreatedAt:       documents.Stamp(doc.Created),
		UpdatedAt:       documents.Stamp(doc.Updated),
		ClosedAt:        documents.Stamp(doc.Closed),
		WranglerContext: doc.Context,
		Frontmatter:     doc.Extra,
		Path:            doc.Path,
		Version:         doc.Version,
		Description:     &doc.Body,
	}
	for _, p := range doc.Problems {
		d.Problems = append(d.Problems, p.Message)
	}
	if words.HiddenAt(doc.Body) >= 0 {
		d.Problems = append(d.Problems, "its text has invisible characters that read as text, which no person sees")
	}
	return d
}

// linked shows a document with its links, and these not once more among its other keys.
func (d documentView) linked(doc *store.Document, l *index.DocumentLinks) documentView {
	d.LinksView, d.Frontmatter = documents.ViewLinks(l, documents.MostLinks), nil
	if keys := documents.OwnKeys(doc); len(keys) > 0 {
		d.Frontmatter = marshalled(keys)
	}
	return d
}

// show returns the whole document, or only the given fields, unset ones as none. It adds
// the path to them when several documents share the id.
func show(doc *store.Document, shared bool, fields []string) documentView {
	if len(fields) == 0 {
		return whole(doc)
	}
	all := fieldsOf(doc)
	d := documentView{ID: all.ID, Version: all.Version}
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
			d.Assignee = documents.OrNone(all.Assignee)
		case "project":
			d.Project = documents.OrNone(all.Project)
		case "dates":
			d.CreatedAt, d.UpdatedAt, d.ClosedAt = all.CreatedAt, all.UpdatedAt, all.ClosedAt
		case "wranglerContext":
			d.WranglerContext = contextOf(doc.Context)
		case "boxes":
			d.Boxes, d.BoxList = documents.OrNone(markdown.CountBoxes(doc.Body).String()), documents.BoxLines(doc.Body)
		}
	}
	return d
}

func labelsOf(doc *store.Document) *[]string {
	labels := slices.Clone(doc.Labels)
	if labels == nil {
		labels = []string{}
	}
	return &labels
}

// contextOf returns a wranglerContext, an empty object for none.
func contextOf(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
}

// fields returns a heading and a line for each field except the description.
func (d documentView) fields() string {
	var b strings.Builder
	b.WriteString(documents.Name(d.ID))
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
		field("labels", documents.OrNone(words.OneLine(strings.Join(*d.Labels, ", "))))
	}
	field("boxes", d.Boxes)
	for _, box := range d.BoxList {
		b.WriteString("\n" + box)
	}
	field("assignee", words.OneLine(d.Assignee))
	field("claim", words.OneLine(d.Claim.text()))
	field("project", words.OneLine(d.Project))
	field("created", d.CreatedAt)
	field("updated", d.UpdatedAt)
	field("closed", d.ClosedAt)
	for name, says := range d.Facts() {
		field(name, says)
	}
	field("wranglerContext", string(d.contextInText()))
	field("frontmatter", string(d.Frontmatter))
	field("path", documents.PathText(d.Path))
	field("version", d.Version)
	for _, problem := range d.Problems {
		field("problem", words.OneLine(problem))
	}
	return b.String()
}

// contextInText is the wranglerContext as the text shows it: without the parent, where a line
// of its own does.
func (d documentView) contextInText() json.RawMessage {
	members, err := orderedjson.Parse(d.WranglerContext)
	if err != nil || d.Parent == "" {
		return d.WranglerContext
	}
	members.Delete("parentTaskId")
	if len(members) == 0 {
		return nil
	}
	return marshalled(members)
}

// squeezed cuts the longest fields, without the description, to a number of bytes of JSON. The note
// says what is missing and ends with the hint.
func (d documentView) squeezed(bytes int, hint string) (documentView, string) {
	d.ID = documents.ShortID(d.ID, d.Path)
	object := answer.SqueezeObject(marshalled(d), json.RawMessage(documentObject), hint,
		func(o json.RawMessage) bool { return len(o) <= bytes })
	var short struct {
		documentView
		Note string `json:"note"`
	}
	if json.Unmarshal(object, &short) != nil { // it is JSON of ours
		return d, ""
	}
	return short.documentView, short.Note
}
