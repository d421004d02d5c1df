package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools"
)

// maxText is the longest text that a form has, in bytes.
const maxText = 1 << 20

// fieldText is the whole text of a document, in forms.
const fieldText = "text"

// wasPrefix begins the name of what a field was when a form was made. Of the text it is the
// version of the text alone.
const wasPrefix = "was."

// An editPage is the form for a document.
type editPage struct {
	ID, Title string
	Link      string // to the document's page
	Doc       string // how a form names it
	Version   string
	Fields    []formField
	HasText   bool
	Text      string // with line feeds alone, as a textarea has it
	TextWas   string
	NoText    string // why the text cannot be edited here
	Wrong     *shownError
	Conflict  *shownConflict
}

// A shownConflict is what has changed in a document while a person edited it.
type shownConflict struct {
	Fields []conflictingField
	Diff   []diffLine // from the text in the file to the one that was typed
	Cut    bool       // there is more of it
}

// A conflictingField is a field that is another one in the file than was typed.
type conflictingField struct {
	Label, Theirs, Typed string
	Both                 bool // others have changed it, too
}

// A diffLine is a line of a diff, and how it is shown.
type diffLine struct{ Class, Text string }

// editing shows the form for a document.
func editing(r *pageRequest) (pageContent, error) {
	if !r.edit {
		return pageContent{}, errReadOnly
	}
	row, doc, err := r.ix.Load(r.Context(), cmp.Or(r.PathValue("id"), r.URL.Query().Get("path")))
	if err != nil {
		return pageContent{}, err
	}
	return r.newEditPage(row, doc).content(0), nil
}

func (r *pageRequest) newEditPage(row index.Row, doc *store.Document) *editPage {
	page := &editPage{
		ID: words.Cut(doc.ID, maxCell), Title: words.Cut(doc.Title, maxCell), Link: documentLink(row), Doc: formName(row),
		Version: doc.Version,
		NoText:  uneditable(doc.Body),
	}
	for _, name := range fieldNames {
		page.Fields = append(page.Fields, newField(r.ix.Workspace().Layout, name, fieldOf(doc, name)))
	}
	if page.NoText == "" {
		page.HasText, page.Text, page.TextWas = true, lineFeeds(doc.Body), textVersion(doc.Body)
	}
	return page
}

// formName is how a form names a document.
func formName(row index.Row) string { return row.Handle() }

// content is the page with the form.
func (p *editPage) content(status int) pageContent {
	return pageContent{Template: "edit", Title: "Edit " + p.ID, Data: p, Status: status}
}

// fill puts what a person has typed into the form. What the person has left alone is as in
// the file, not as it was.
func (p *editPage) fill(form postedForm) {
	for i := range p.Fields {
		f := &p.Fields[i]
		typed, ok := form[f.Name]
		if !ok || typed == form[wasPrefix+f.Name] {
			continue
		}
		f.Value = typed
		if f.Choices != nil && !slices.Contains(f.Choices, typed) {
			f.Choices = append([]string{typed}, f.Choices...)
		}
	}
	if typed, ok := form[fieldText]; ok && textVersion(typed) != form[wasPrefix+fieldText] {
		p.HasText, p.Text = true, lineFeeds(typed)
	}
}

// blame says beside a field what is wrong with it.
func (p *editPage) blame(wrong *tools.Error) {
	p.Wrong = failureOf(wrong)
	for i := range p.Fields {
		if p.Fields[i].Name == wrong.Field {
			p.Fields[i].Wrong = p.Wrong.Message
		}
	}
}

// lineFeeds are the lines of a text with line feeds alone. A form sends carriage returns, too.
func lineFeeds(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// textVersion tells texts apart, whatever ends their lines.
func textVersion(text string) string {
	return store.HashOf([]byte(lineFeeds(text)))
}

// typedText is what was typed with the line ends of the text that it replaces.
func typedText(typed, body string) string {
	text := lineFeeds(typed)
	if lines := strings.Count(body, "\n"); lines > 0 && 2*strings.Count(body, "\r\n") > lines {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// uneditable says why a form cannot have a text, "" when it can: a browser would send
// another text back.
func uneditable(body string) string {
	switch {
	case len(body) > maxText:
		return "it is longer than 1 MiB"
	case !utf8.ValidString(body):
		return "it is not UTF-8"
	case strings.ContainsRune(body, 0):
		return "it has NUL characters"
	}
	return ""
}

// unsaved shows again what a person has typed into a form that is not of this process.
func unsaved(r *pageRequest, form postedForm) (pageContent, error) {
	return r.again(form, http.StatusForbidden, errForeignForm)
}

// save changes the fields and the text of a document to those of a form, as far as they
// differ from the document. A form may have some of them alone.
func save(r *pageRequest, form postedForm) (pageContent, error) {
	if form[fieldVersion] == "" {
		return r.again(
			form, http.StatusBadRequest,
			tools.Errorf(
				tools.CodeMissingField, "The form does not say which version of the document it is for.",
			).Try("Load the page again."),
		)
	}
	done, err := r.writer().Update(r.Context(), refOf(form), func(doc *store.Document) (f store.Fields, err error) {
		for _, name := range fieldNames {
			if typed, ok := form[name]; ok && words.OneLine(typed) != fieldOf(doc, name) {
				if _, err := documents.SetField(&f, doc.Layout(), name, words.OneLine(typed)); err != nil {
					return f, err
				}
			}
		}
		if typed, ok := form[fieldText]; ok && lineFeeds(typed) != lineFeeds(doc.Body) {
			if why := uneditable(doc.Body); why != "" {
				return f, tools.Errorf(
					tools.CodeValidation, "The text cannot be edited here: %s.", why,
				).On(fieldText).Try("Use issues-index edit.")
			}
			body := typedText(typed, doc.Body)
			f.Body = &body
		}
		return f, nil
	})
	if stale := (*store.VersionError)(nil); errors.As(err, &stale) {
		return r.conflict(form)
	}
	if err != nil {
		return r.again(form, 0, err)
	}
	return r.wrote(form, done, nil)
}

// after is where a person is led after a write of the document at a path.
func (r *pageRequest) after(form postedForm, path string) string {
	if back := ownAddress(form[fieldBack]); back != "" {
		return back
	}
	row, err := r.ix.Get(context.WithoutCancel(r.Context()), path)
	if err != nil { // the index follows later
		return "/d?" + url.Values{"path": {path}}.Encode()
	}
	return documentLink(row)
}

// again shows the form with what was typed and what is wrong with it. Where the document is
// gone, what was typed is shown alone.
func (r *pageRequest) again(form postedForm, status int, wrong error) (pageContent, error) {
	row, doc, err := r.ix.Load(r.Context(), form[fieldDoc])
	if err != nil {
		return pageContent{}, &lostDocument{err, form[fieldText]}
	}
	page := r.newEditPage(row, doc)
	if doc.Version != form[fieldVersion] && form[fieldVersion] != "" {
		status = cmp.Or(status, http.StatusConflict)
		page.Conflict = r.compare(form, doc)
	}
	page.fill(form)
	if given := (*pageError)(nil); errors.As(wrong, &given) {
		page.Wrong = &given.shownError
		return page.content(cmp.Or(status, given.status)), nil
	}
	e := tools.ErrorOf(wrong)
	if e.Code == tools.CodeInternal {
		r.log.Error("write a document", "document", form[fieldDoc], "error", wrong)
	}
	page.blame(e)
	return page.content(cmp.Or(status, statuses[e.Code], http.StatusInternalServerError)), nil
}

// A lostDocument is an error for which the document's form cannot be shown. It keeps the text
// that was typed.
type lostDocument struct {
	error
	typed string
}

func (e *lostDocument) Unwrap() error { return e.error }

// conflict shows what was typed beside the document as it is now. The form is for that, so
// that sending it again overwrites nothing that the person has not seen.
func (r *pageRequest) conflict(form postedForm) (pageContent, error) {
	row, doc, err := r.ix.Load(r.Context(), form[fieldDoc])
	if err != nil {
		return pageContent{}, &lostDocument{err, form[fieldText]}
	}
	page := r.newEditPage(row, doc)
	page.Conflict = r.compare(form, doc)
	page.fill(form)
	return page.content(http.StatusConflict), nil
}

// compare says where what was typed differs from a document.
func (r *pageRequest) compare(form postedForm, doc *store.Document) *shownConflict {
	c := &shownConflict{}
	for _, name := range fieldNames {
		typed, ok := form[name]
		was, known := form[wasPrefix+name]
		theirs := fieldOf(doc, name)
		if !ok || words.OneLine(typed) == theirs {
			continue
		}
		f := newField(r.ix.Workspace().Layout, name, theirs)
		c.Fields = append(
			c.Fields,
			conflictingField{
				f.Label, words.Cut(theirs, maxField), words.Cut(typed, maxField), known && typed != was && was != theirs || !known,
			},
		)
	}
	if typed, ok := form[fieldText]; ok {
		c.Diff, c.Cut = diffOf(lineFeeds(doc.Body), lineFeeds(typed))
	}
	return c
}

// diffOf is the difference of two texts, as far as a page shows it.
func diffOf(before, after string) (lines []diffLine, cut bool) {
	const most, longest = 2000, 1000 // lines, characters of each
	if before == after {
		return nil, false
	}
	for line := range strings.Lines(udiff.Unified("in the file", "as you typed it", before, after)) {
		if len(lines) == most {
			return lines, true
		}
		class := ""
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "@@"):
			class = "muted"
		case strings.HasPrefix(line, "-"):
			class = "removed"
		case strings.HasPrefix(line, "+"):
			class = "added"
		}
		lines = append(lines, diffLine{class, words.Cut(strings.TrimRight(line, "\n"), longest)})
	}
	return lines, false
}
