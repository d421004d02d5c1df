package web

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/views"
	"issues-index/index/where"
	"issues-index/tools"
)

// pageRows is how many documents a page of a list has.
const pageRows = 50

// A resultPage is one page of a list or a search.
type resultPage struct {
	selection
	Text       string // what was searched for
	Tabs       []listTab
	Chips      []filterChip
	Columns    map[string]sortColumn // none for an order that no column has
	Rows       []documentRow
	Total      int
	AtLeast    bool
	Remaining  int
	Next       string // address of the next page, "" on the last one
	Unkept     string // why there is no next page although rows remain
	Continued  bool   // it is not the first page
	Wrong      *shownError
	ViewsWrong *shownError // why the views of the workspace cannot be read
}

// A listTab leads to a list that is asked for often.
type listTab struct {
	selection
	Label   string
	Current bool
	Own     bool // it is a view of the workspace
	Count   int  // of its documents, -1 where that is not counted

	filter index.Filter
}

// listTabs are the lists of every workspace, and its views. A view of the workspace takes the place
// of a tab of its name.
func (r *pageRequest) listTabs(s selection, named *views.Set) ([]listTab, error) {
	statuses, err := statusCounts(r.Context(), r.ix)
	if err != nil {
		return nil, err
	}
	var left, finished index.Filter
	for _, c := range statuses {
		f := &left
		if r.ix.Workspace().Layout.Finished(c.Value) {
			f = &finished
		}
		f.Statuses = append(f.Statuses, c.Value)
	}
	mine := left
	mine.Assignee = r.me
	var tabs []listTab
	for _, t := range []listTab{
		{Label: "Open", filter: left}, {Label: "Ready", filter: index.Filter{Ready: true}},
		{Label: "Blocked", filter: index.Filter{Blocked: true}}, {Label: "Mine", filter: mine},
		{Label: "Done", filter: finished}, {Label: "All"},
	} {
		if t.View = strings.ToLower(t.Label); t.View == firstTab {
			t.View = ""
		}
		if view, ok := named.Views[t.View]; !ok || view.Builtin() {
			tabs = append(tabs, t)
		}
	}
	queries := make([]index.Query, len(tabs))
	for i := range tabs {
		queries[i] = index.Query{Filter: tabs[i].filter}
	}
	counts, err := r.ix.FindEach(r.Context(), queries)
	if err != nil {
		return nil, err
	}
	for i := range tabs {
		tabs[i].Count = counts[i].Total
	}
	for _, name := range named.Names() {
		if isTab := slices.ContainsFunc(tabs, func(t listTab) bool { return t.View == name }); !isTab {
			tabs = append(tabs, listTab{selection: selection{View: name}, Label: spoken(name), Own: true})
		}
	}
	for i := range tabs {
		tabs[i].Current = strings.EqualFold(tabs[i].View, s.View)
		tabs[i].Path, tabs[i].Where = s.Path, s.Where
	}
	return tabs, nil
}

// firstTab is the tab of a list whose address names none.
const firstTab = "open"

// list shows the documents that a tab or a view and criteria let through.
func list(r *pageRequest) (pageContent, error) {
	page := resultPage{selection: selectionAt(r.URL)}
	named, err := views.Load(r.ix.Workspace())
	if err != nil {
		page.ViewsWrong = failureOf(err)
	}
	if page.Tabs, err = r.listTabs(page.selection, named); err != nil {
		return pageContent{}, err
	}
	err = page.find(r, named)
	return page.content("list", "List", err)
}

// find fills the page of a list.
func (p *resultPage) find(r *pageRequest, named *views.Set) error {
	criteria, err := p.criteria()
	if err != nil {
		return err
	}
	filter, view, order := index.Filter{}, p.View, criteria.Sort
	if at := slices.IndexFunc(p.Tabs, func(t listTab) bool { return t.Current && !t.Own }); at >= 0 {
		filter, view = p.Tabs[at].filter, ""
	} else if own, err := named.Named(view); err == nil && len(order) == 0 {
		order = own.Criteria.Sort
	}
	filter.Where = index.AskedCriteria{Text: criteria.String(), Me: r.me}
	if _, err = documents.Narrow(r.Context(), r.ix, &filter, view); err != nil {
		return err
	}
	q := index.Query{
		Filter: filter, Claims: true, Waits: true, Limit: pageRows, Scope: "web_list", Uncounted: true,
		Cursor: r.URL.Query().Get("cursor"),
	}
	if len(order) == 0 { // the most urgent first, but of what is done the latest
		q.Sort = index.Sort{Key: index.SortPriority, Desc: true}
		if strings.EqualFold(p.View, "done") {
			q.Sort.Key = index.SortUpdated
		}
		order = []where.SortField{{Field: string(q.Sort.Key), Desc: true}}
	}
	if !r.static { // an export has one order of each list
		p.Chips, p.Columns = p.chips(criteria), p.sortColumns(order)
	}
	return p.fill(r.Context(), r.ix, q, p.values())
}

// search shows the documents with the words of a query, the best match first.
func search(r *pageRequest) (pageContent, error) {
	asked := r.URL.Query()
	page := resultPage{selection: selection{Path: "/search"}, Text: strings.TrimSpace(asked.Get("q"))}
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
