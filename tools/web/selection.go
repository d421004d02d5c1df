package web

import (
	"net/url"
	"strings"

	"issues-index/index/where"
)

// A selection is the documents that a list or a board shows, as its address has it.
type selection struct {
	Path  string // of the page
	View  string // a tab or a view of a list, or a board; "" for the first
	Where string
	Sort  string // a field, with a minus before it for the other direction; "" for the usual order
}

// viewKeys are the parameters of an address that name the view, by the page.
var viewKeys = map[string]string{"/list": "view", "/board": "board"}

// selectionAt is the selection of an address, that of the list for another page's.
func selectionAt(u *url.URL) selection {
	key, asked := viewKeys[u.Path], u.Query()
	if key == "" {
		return selection{Path: "/list"}
	}
	return selection{u.Path, asked.Get(key), strings.TrimSpace(asked.Get("where")), asked.Get("sort")}
}

// values are the parameters of the selection's address.
func (s selection) values() url.Values {
	v := url.Values{}
	for key, value := range map[string]string{viewKeys[s.Path]: s.View, "where": s.Where, "sort": s.Sort} {
		if value != "" {
			v.Set(key, value)
		}
	}
	return v
}

// Address leads to the page of the selection.
func (s selection) Address() string {
	if v := s.values(); len(v) > 0 {
		return s.Path + "?" + v.Encode()
	}
	return s.Path
}

// criteria are those of the address in the order that it asks for.
func (s selection) criteria() (*where.Criteria, error) {
	c, err := where.Parse(s.Where)
	if err != nil || s.Sort == "" {
		return c, err
	}
	field, down := strings.CutPrefix(s.Sort, "-")
	order := "sort " + where.Value(field)
	if down {
		order += " desc"
	}
	return where.Parse(c.SortedBy(order))
}

// A filterChip filters by one field.
type filterChip struct {
	Field, Label string
	Values       string // that are asked for, "" for all
	Without      string // the address without them
	Choose       string // the address of a page with the values to choose among
}

// filterFields are the fields that chips filter by.
var filterFields = []string{"status", "type", "priority", "labels", "assignee"}

// chips are the filters of the selection.
func (s selection) chips(c *where.Criteria) []filterChip {
	var chips []filterChip
	for _, field := range filterFields {
		chip := filterChip{Field: field, Label: fieldLabel(field), Choose: s.choosing(field)}
		for _, t := range c.Terms {
			if values := t.Only(field); values != nil {
				if chip.Values = strings.Join(values, ", "); field != "labels" && field != "assignee" { // which are names
					chip.Values = spoken(chip.Values)
				}
			}
		}
		if chip.Values != "" {
			chip.Without = s.with(c, field, "").Address()
		}
		chips = append(chips, chip)
	}
	return chips
}

// with is the selection with a term in place of those for a field; "" only takes them away.
func (s selection) with(c *where.Criteria, field, term string) selection {
	s.Where = c.With(field, term)
	return s
}

// choosing is the address of the values of a field to choose among.
func (s selection) choosing(field string) string {
	return "/choose?" + url.Values{"field": {field}, "from": {s.Address()}}.Encode()
}

// A sortColumn is the head of a column that orders a list.
type sortColumn struct {
	Address      string
	Order        string // ascending or descending, "" where another column orders the list
	Class, Label string
}

// newColumn is the head of a column. A list that has an order of its own gives no address.
func newColumn(columns map[string]sortColumn, field, class, label string) sortColumn {
	c := columns[field]
	c.Class, c.Label = class, label
	return c
}

// sortColumns are the heads of the columns, by field. The first address of a time or a priority
// leads to the newest or most urgent first, and the next one to the other direction.
func (s selection) sortColumns(current []where.SortField) map[string]sortColumn {
	columns := map[string]sortColumn{}
	for _, field := range []string{"priority", "id", "title", "status", "assignee", "updated"} {
		down := field == "priority" || field == "updated"
		var column sortColumn
		if len(current) > 0 && current[0].Field == field {
			down = !current[0].Desc
			if column.Order = "ascending"; current[0].Desc {
				column.Order = "descending"
			}
		}
		if s.Sort = field; down {
			s.Sort = "-" + field
		}
		column.Address = s.Address()
		columns[field] = column
	}
	return columns
}
