package web

import (
	"cmp"
	"errors"
	"net/http"

	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
	"issues-index/tools"
)

// A newPage is the form for a new document.
type newPage struct {
	Fields    []formField
	Text      string
	Duplicate bool // an unfinished document has the title
	Wrong     *shownError
}

// creating shows the form for a new document. The address may fill it in: ?type=idea.
func creating(r *pageRequest) (pageContent, error) {
	if !r.edit {
		return pageContent{}, errReadOnly
	}
	query := r.URL.Query()
	kind := cmp.Or(query.Get("type"), store.TypeIssue)
	template, err := r.ix.Workspace().Template(kind)
	if err != nil {
		return pageContent{}, err
	}
	l := r.ix.Workspace().Layout
	form := postedForm{
		"type": kind, "status": cmp.Or(template.Status, l.DefaultStatus()), "priority": cmp.Or(
			template.Priority, l.DefaultPriority(),
		),
		"assignee": template.Assignee, "project": template.Project, fieldText: lineFeeds(template.Description),
	}
	for i, label := range template.Labels {
		if i > 0 {
			form["labels"] += ", "
		}
		form["labels"] += label
	}
	for _, name := range fieldNames {
		if given := query.Get(name); given != "" && name != "type" {
			form[name] = words.Cut(given, maxField)
		}
	}
	return r.newDocumentPage(form).content(0), nil
}

func (r *pageRequest) newDocumentPage(form postedForm) *newPage {
	page := &newPage{Text: lineFeeds(form[fieldText])}
	for _, name := range fieldNames {
		page.Fields = append(page.Fields, newField(r.ix.Workspace().Layout, name, form[name]))
	}
	return page
}

func (p *newPage) content(status int) pageContent {
	return pageContent{Template: "new", Title: "New document", Here: "/new", Data: p, Status: status}
}

// create writes a new document. What its template has beside the fields of the form comes
// from there.
func create(r *pageRequest, form postedForm) (pageContent, error) {
	n, err := newDocument(r.ix.Workspace().Layout, form)
	if err == nil {
		template, missing := r.ix.Workspace().Template(n.Type)
		n.Context, n.Extra, err = template.Context, template.Extra, missing
		if err == nil {
			n.Labels, err = store.NamesOf("labels", n.Labels, template.Labels)
		}
	}
	var done edit.Applied
	if err == nil {
		done, err = r.writer().Create(r.Context(), n, form["duplicate"] != "")
	}
	if err == nil {
		return r.wrote(form, done, nil)
	}
	e, page := tools.ErrorOf(err), r.newDocumentPage(form)
	if e.Code == tools.CodeInternal {
		r.log.Error("create a document", "error", err)
	}
	page.Wrong = failureOf(err)
	if same := (*edit.DuplicateTitleError)(nil); errors.As(err, &same) {
		page.Duplicate, page.Wrong.Hint = true, "change that document or the title, or create another document anyway"
	}
	for i := range page.Fields {
		if page.Fields[i].Name == e.Field {
			page.Fields[i].Wrong = page.Wrong.Message
		}
	}
	return page.content(cmp.Or(statuses[e.Code], http.StatusInternalServerError)), nil
}

// newDocument is the document that a form describes.
func newDocument(l *layout.Layout, form postedForm) (n store.NewDocument, err error) {
	var f store.Fields
	for _, name := range fieldNames {
		if typed := words.OneLine(form[name]); typed != "" || name == "title" {
			if _, err := documents.SetField(&f, l, name, typed); err != nil {
				return n, err
			}
		}
	}
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	n = store.NewDocument{
		Type: text(f.Type), Title: text(f.Title), Status: text(f.Status), Priority: text(f.Priority),
		Assignee: text(f.Assignee), Project: text(f.Project), Parent: text(f.Parent),
		Description: lineFeeds(form[fieldText]),
	}
	if f.Labels != nil {
		n.Labels = *f.Labels
	}
	if f.DependsOn != nil {
		n.DependsOn = *f.DependsOn
	}
	return n, nil
}
