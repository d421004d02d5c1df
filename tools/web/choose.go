package web

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools"
)

// mostChoices is how many values of a field a page of choices has, the most used first.
const mostChoices = 100

// A choicesPage has the values of a field to choose among: to filter by, or for one document. A
// script shows it where the page is asked for.
type choicesPage struct {
	Field, Label string
	From         string // the page that it was asked for from
	Values       []choice
	Left         int // values that are not shown

	// Of the document; "" to filter.
	Doc, Version, ID, Title string
	Other                   string // what another value is, "" where there is none
}

// A choice is one value.
type choice struct {
	Value, Label, Mark string
	Address            string // of the list with the value
	Count              int    // of documents
	Current            bool
}

// choosing shows the values of a field.
func choosing(r *pageRequest) (pageContent, error) {
	asked := r.URL.Query()
	page := choicesPage{Field: asked.Get("field"), From: cmp.Or(ownAddress(asked.Get("from")), r.referrer(), "/list")}
	if !slices.Contains(filterFields, page.Field) {
		return pageContent{}, tools.Errorf(tools.CodeValidation, "There are no choices for this field.").
			Try("Choose among %s.", strings.Join(filterFields, ", "))
	}
	page.Label = fieldLabel(page.Field)
	values, err := r.valuesOf(page.Field)
	if err != nil {
		return pageContent{}, err
	}
	if name := asked.Get("doc"); name != "" {
		err = page.forDocument(r, name, values)
	} else {
		err = page.forFilter(values)
	}
	if more := len(page.Values) - mostChoices; more > 0 {
		page.Values, page.Left = page.Values[:mostChoices], more
	}
	return pageContent{Template: "choose", Title: page.Label, Data: page}, err
}

// valuesOf are the values of a field: those of the workspace in their order, and then others that
// documents have, the most used first.
func (r *pageRequest) valuesOf(field string) (values []choice, err error) {
	l := r.ix.Workspace().Layout
	group, known := field, []string(nil)
	switch field {
	case "labels":
		group = "label"
	case "status":
		known = l.StatusNames()
	case "priority":
		known = slices.Clone(l.Priorities)
		slices.Reverse(known)
	case "type":
		known = store.Types
	}
	found, _, err := r.ix.Stats(r.Context(), group, index.Filter{})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, c := range found {
		if counts[c.Value] = c.Count; c.Value != "" && !slices.Contains(known, c.Value) {
			known = append(known, c.Value)
		}
	}
	for _, value := range known {
		c := choice{Value: value, Label: value, Count: counts[value]}
		switch field {
		case "status":
			c.Label, c.Mark = spoken(value), statusMark(l, value, false)
		case "priority":
			c.Label, c.Mark = spoken(value), priorityMark(l, value)
		case "type":
			c.Label = spoken(value)
		}
		values = append(values, c)
	}
	return values, nil
}

// forFilter makes the values lead to the list with them.
func (p *choicesPage) forFilter(values []choice) error {
	address, err := url.Parse(p.From)
	if err != nil {
		return err
	}
	from := selectionAt(address)
	criteria, err := from.criteria()
	if err != nil {
		return err
	}
	if p.Field == "labels" || p.Field == "assignee" {
		values = append(values[:min(len(values), mostChoices-1)], choice{Label: "None"})
	}
	for _, v := range values {
		term := p.Field + " = " + where.Value(v.Value)
		v.Address = from.with(criteria, p.Field, term).Address()
		p.Values = append(p.Values, v)
	}
	return nil
}

// forDocument makes the values those that a form sends for a document.
func (p *choicesPage) forDocument(r *pageRequest, name string, values []choice) error {
	if !r.edit {
		return errReadOnly
	}
	row, doc, err := r.ix.Load(r.Context(), name)
	if err != nil {
		return err
	}
	p.Doc, p.Version = formName(row), doc.Version
	p.ID, p.Title = words.Cut(doc.ID, maxCell), words.Cut(doc.Title, maxCell)
	now := fieldOf(doc, p.Field)
	switch p.Field {
	case "labels":
		p.Other = "Another label"
		for _, v := range values {
			v.Current = slices.Contains(doc.Labels, v.Value)
			if v.Value = "+" + v.Value; v.Current {
				v.Value = "-" + v.Label
			}
			p.Values = append(p.Values, v)
		}
		return nil
	case "assignee":
		p.Other = "Somebody else"
		values = append([]choice{{Label: "Nobody"}}, values...)
	}
	for _, v := range values {
		v.Current = v.Value == now
		p.Values = append(p.Values, v)
	}
	return nil
}

// chooseLink begins the address of the values of a field for a document. The page leads back to where
// it was asked for.
func chooseLink(doc string) template.URL {
	return template.URL("/choose?doc=" + url.QueryEscape(doc) + "&field=")
}

// referrer is the page that led to a request, "" where the browser does not say.
func (r *pageRequest) referrer() string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host {
		return ""
	}
	return ownAddress(addressWithout(u, "said"))
}

// ownAddress is an address of these pages that a request has given, "" for any other.
func ownAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(address, "/") ||
		strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\r\n\t") {
		return ""
	}
	return address
}
