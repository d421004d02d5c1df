package web

import (
	"net/url"
	"strings"

	"issues-index/index"
	"issues-index/store/words"
)

// mostGone is how many documents the page /go offers.
const mostGone = 8

// A goPage leads to documents and actions for what was typed. A script shows it as a palette.
type goPage struct {
	Text  string
	Rows  []documentRow
	Doc   *documentRow // the document that was looked at, nil for none
	From  string
	Moves []navEntry // the pages
}

// goTo shows where the text of an address may lead: to documents by their id, their title and their
// text, and to what can be done. An id leads to its document at once, unless it is asked for by the
// palette.
func goTo(r *pageRequest) (pageContent, error) {
	asked := r.URL.Query()
	page := goPage{Text: strings.TrimSpace(asked.Get("q")), From: ownAddress(asked.Get("from"))}
	content := pageContent{Template: "go", Title: "Go to", Data: &page}
	l := r.ix.Workspace().Layout
	if page.Text == "" {
		latest := index.Sort{Key: index.SortUpdated, Desc: true}
		found, err := r.ix.Find(r.Context(), index.Query{Sort: latest, Limit: mostGone})
		page.Rows = rowsOf(l, found.Rows)
		page.addActions(r, asked)
		return content, err
	}
	if row, err := r.ix.Get(r.Context(), page.Text); err == nil {
		if page.From == "" {
			content.Location = documentLink(row)
			return content, nil
		}
		page.Rows = rowsOf(l, []index.Row{row})
	}
	found, err := r.ix.Find(r.Context(), index.Query{Search: true, Text: page.Text, Limit: mostGone, Uncounted: true})
	if err == nil {
		for _, row := range rowsOf(l, found.Rows) {
			if len(page.Rows) == 0 || row.Path != page.Rows[0].Path {
				page.Rows = append(page.Rows, row)
			}
		}
	}
	page.addActions(r, asked)
	return content, nil // what cannot be searched for finds nothing
}

func (p *goPage) addActions(r *pageRequest, asked url.Values) {
	if name := asked.Get("doc"); name != "" && r.edit {
		if row, err := r.ix.Get(r.Context(), name); err == nil {
			p.Doc = &rowsOf(r.ix.Workspace().Layout, []index.Row{row})[0]
		}
	}
	for _, page := range navigation {
		if words.Fold(p.Text) == "" || strings.Contains(words.Fold(page.Name), words.Fold(p.Text)) {
			p.Moves = append(p.Moves, page)
		}
	}
}
