package web

import (
	"context"
	"net/url"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/views"
	"issues-index/tools"
)

// pageRows is how many documents a page of a list has.
const pageRows = 50

// A resultPage is one page of a list or a search.
type resultPage struct {
	Path        string // of the page
	Where, View string
	Text        string // what was searched for
	Views       []string
	Rows        []documentRow
	Total       int
	AtLeast     bool
	Remaining   int
	Next        string // address of the next page, "" on the last one
	Unkept      string // why there is no next page although rows remain
	Continued   bool   // it is not the first page
	Wrong       *shownError
	ViewsWrong  *shownError // why the views of the workspace cannot be read
}

// list shows the documents that criteria and a view let through.
func list(r *pageRequest) (pageContent, error) {
	asked := r.URL.Query()
	page := resultPage{Path: "/list", Where: strings.TrimSpace(asked.Get("where")), View: asked.Get("view")}
	named, err := views.Load(r.ix.Workspace())
	page.Views = named.Names()
	if err != nil {
		page.ViewsWrong = failureOf(err)
	}
	filter := r.filter(page.Where)
	if _, err = documents.Narrow(r.Context(), r.ix, &filter, page.View); err == nil {
		q := index.Query{
			Filter: filter, Claims: true, Waits: true, Limit: pageRows, Scope: "web_list", Uncounted: true,
			Cursor: asked.Get("cursor"),
		}
		err = page.fill(r.Context(), r.ix, q, url.Values{"where": {page.Where}, "view": {page.View}})
	}
	return page.content("list", "List", err)
}

// search shows the documents with the words of a query, the best match first.
func search(r *pageRequest) (pageContent, error) {
	asked := r.URL.Query()
	page := resultPage{Path: "/search", Text: strings.TrimSpace(asked.Get("q"))}
	title := "Search"
	var err error
	if page.Text != "" {
		title = "Search: " + page.Text
		q := index.Query{
			Search: true, Text: page.Text, Snippets: true, Claims: true, Limit: pageRows, Scope: "web_search", Uncounted: true,
			Cursor: asked.Get("cursor"),
		}
		err = page.fill(r.Context(), r.ix, q, url.Values{"q": {page.Text}})
	}
	return page.content("search", title, err)
}

// fill asks the index for the rows of the page. again is how the page was asked for.
func (p *resultPage) fill(ctx context.Context, ix *index.Index, q index.Query, again url.Values) error {
	found, err := ix.FindCut(ctx, q, func(found index.Page) (int, error) { return len(found.Rows), nil })
	if err != nil {
		return err
	}
	p.Rows, p.Total, p.AtLeast = rowsOf(ix.Workspace().Layout, found.Rows), found.Total, found.AtLeast
	p.Remaining, p.Unkept, p.Continued = found.Remaining, found.Unkept, q.Cursor != ""
	if found.Next != "" {
		again.Set("cursor", found.Next)
		p.Next = p.Path + "?" + again.Encode()
	}
	return nil
}

// content is the page. Wrong criteria are shown above an empty list, so that they can be
// mended where they were written.
func (p *resultPage) content(template, title string, err error) (pageContent, error) {
	content := pageContent{Template: template, Title: title, Here: p.Path}
	if err != nil {
		e := tools.ErrorOf(err)
		if e.Code != tools.CodeValidation {
			return content, err
		}
		p.Wrong, content.Status = failureOf(err), statuses[e.Code]
	}
	content.Data = p
	return content, nil
}

func failureOf(err error) *shownError {
	f := new(shownError)
	f.Message, f.Hint = tools.ErrorOf(err).Terminal()
	return f
}

// quoted is a value in criteria.
func quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
