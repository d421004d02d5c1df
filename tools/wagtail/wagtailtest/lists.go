package wagtailtest

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// common are the parameters of every list, tree those of pages.
var (
	common = []string{"limit", "offset", "fields", "search", "search_operator", "order", "format", "_"}
	tree   = []string{"type", "child_of", "descendant_of", "ancestor_of", "translation_of", "locale", "site"}
)

// columns returns the fields by which a list can be filtered and ordered.
func (s *Server) columns(kind, pageType string) []string {
	switch kind {
	case "images":
		return []string{"id", "title", "width", "height", "tags"}
	case "documents":
		return []string{"id", "title", "tags"}
	}
	list := []string{"id", "slug", "title", "show_in_menus", "seo_title", "search_description", "first_published_at"}
	return append(list, s.model.columns[pageType]...)
}

func (s *Server) list(c setup, kind string, query url.Values) (any, *apiRefusal) {
	pageType := ""
	if types := strings.Split(query.Get("type"), ","); kind == "pages" && len(types) == 1 {
		pageType = s.model.properType(types[0])
	}
	known := slices.Concat(common, s.columns(kind, pageType))
	if kind == "pages" {
		known = append(known, tree...)
	}
	var unknown []string
	for name := range query {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, refuse("query parameter is not an operation or a recognised field: %s", strings.Join(unknown, ", "))
	}
	rows, refused := s.filter(kind, pageType, query)
	if refused == nil {
		rows, refused = search(rows, c, query)
	}
	if refused == nil {
		rows, refused = s.order(rows, kind, pageType, query)
	}
	if refused != nil {
		return nil, refused
	}
	total := len(rows)
	rows, refused = slicePage(rows, c, query)
	if refused != nil {
		return nil, refused
	}
	fields, refused := parseFields(query.Get("fields"))
	if refused != nil {
		return nil, refused
	}
	items := []any{}
	for _, r := range rows {
		item, refused := s.item(r, kind, pageType, fields, false)
		if refused != nil {
			return nil, refused
		}
		items = append(items, item)
	}
	return map[string]any{"meta": map[string]int{"total_count": total}, "items": items}, nil
}

func slicePage(rows []siteObject, c setup, query url.Values) ([]siteObject, *apiRefusal) {
	limit, offset := 20, 0
	if c.max > 0 {
		limit = min(limit, c.max)
	}
	var err error
	if query.Has("limit") {
		if limit, err = strconv.Atoi(query.Get("limit")); err != nil || limit < 0 {
			return nil, refuse("limit must be a positive integer")
		}
	}
	if query.Has("offset") {
		if offset, err = strconv.Atoi(query.Get("offset")); err != nil || offset < 0 {
			return nil, refuse("offset must be a positive integer")
		}
	}
	if c.max > 0 && limit > c.max {
		return nil, refuse("limit cannot be higher than %d", c.max)
	}
	if offset > 1<<31 {
		return nil, &apiRefusal{status: http.StatusInternalServerError}
	}
	rows = rows[min(offset, len(rows)):]
	return rows[:min(limit, len(rows))], nil
}

func search(rows []siteObject, c setup, query url.Values) ([]siteObject, *apiRefusal) {
	if !query.Has("search") {
		return rows, nil
	}
	text := query.Get("search")
	operator := strings.ToLower(query.Get("search_operator"))
	switch {
	case c.noSearch:
		return nil, refuse("search is disabled")
	case query.Has("search_operator") && operator != "and" && operator != "or",
		strings.Count(text, `"`)%2 == 1, strings.ContainsRune(text, 0):
		return nil, &apiRefusal{status: http.StatusInternalServerError}
	case query.Has("tags"):
		return nil, refuse("filtering by tag with a search query is not supported")
	}
	for _, name := range []string{"slug", "seo_title", "search_description"} {
		if query.Has(name) {
			return nil, refuse("cannot filter by '%s' while searching (field is not indexed)", name)
		}
		if strings.TrimPrefix(query.Get("order"), "-") == name {
			return nil, refuse("cannot order by '%s' while searching (field is not indexed)", name)
		}
	}
	words := strings.Fields(text)
	return slices.DeleteFunc(slices.Clone(rows), func(r siteObject) bool {
		found := 0
		for _, word := range words {
			if mentions(r.Title+" "+strings.Join(r.Tags, " "), word) {
				found++
			}
		}
		return found == 0 || operator != "or" && found < len(words)
	}), nil
}

func (s *Server) order(rows []siteObject, kind, pageType string, query url.Values) ([]siteObject, *apiRefusal) {
	if !query.Has("order") {
		return rows, nil
	}
	rows = slices.Clone(rows)
	fields := strings.Split(query.Get("order"), ",")
	if fields[0] == "random" {
		if len(fields) > 1 {
			return nil, refuse("random ordering cannot be combined with other fields")
		}
		if query.Has("offset") {
			return nil, refuse("random ordering with offset is not supported")
		}
		return rows, nil
	}
	for _, field := range fields {
		if !slices.Contains(s.columns(kind, pageType), strings.TrimPrefix(field, "-")) {
			return nil, refuse("cannot order by '%s' (unknown field)", field)
		}
	}
	slices.SortStableFunc(rows, func(a, b siteObject) int {
		for _, field := range fields {
			name, down := strings.CutPrefix(field, "-")
			way := cmp.Compare(s.column(a, name), s.column(b, name))
			if name == "id" {
				way = cmp.Compare(a.ID, b.ID)
			}
			if down {
				way = -way
			}
			if way != 0 {
				return way
			}
		}
		return 0
	})
	return rows, nil
}

// column returns the value of a field by which objects are filtered, as text; of a
// related object its id.
func (s *Server) column(r siteObject, name string) string {
	switch name {
	case "id":
		return strconv.Itoa(r.ID)
	case "slug":
		return r.Slug
	case "title":
		return r.Title
	case "show_in_menus":
		return strconv.FormatBool(r.ShowInMenus)
	case "first_published_at":
		if r.Published != nil {
			return *r.Published
		}
	case "search_description":
		if r.Described {
			return "About " + r.Title + "."
		}
	case "width":
		if r.Width != nil {
			return strconv.Itoa(*r.Width)
		}
	}
	switch value := s.details[r.ID][name].(type) {
	case string:
		return value
	case map[string]any:
		return fmt.Sprint(value["id"])
	}
	return ""
}

// museum is the model of the recorded site.
var museum = siteModel{
	types: []string{"wagtailcore.Page", "home.HomePage", "home.StandardPage", "home.BarePage", "blog.BlogIndexPage", "blog.BlogPage"},
	own: map[string][]string{
		"home.HomePage":      {"intro"},
		"blog.BlogIndexPage": {"intro"},
		"home.StandardPage":  {"introduction", "body", "body_html", "image", "image_thumbnail", "handout", "related_links"},
		"blog.BlogPage":      {"date", "subtitle", "tags", "feed_image", "feed_image_thumbnail", "body", "authors"},
	},
	columns: map[string][]string{"blog.BlogPage": {"date", "subtitle", "tags"}, "home.StandardPage": {"introduction"}},
}

// properType returns a type as the site writes it: the model may be given in any case.
func (m siteModel) properType(name string) string {
	for _, known := range m.types {
		app, _, _ := strings.Cut(known, ".")
		if given, _, _ := strings.Cut(name, "."); given == app && strings.EqualFold(name, known) {
			return known
		}
	}
	return ""
}

func (s *Server) filter(kind, pageType string, query url.Values) ([]siteObject, *apiRefusal) {
	rows, refused := s.ofSite(kind, query.Get("site"))
	if refused != nil {
		return nil, refused
	}
	all := rows
	rows = slices.Clone(rows)
	if wanted := query.Get("type"); wanted != "" {
		var proper []string
		for name := range strings.SplitSeq(wanted, ",") {
			if proper = append(proper, s.model.properType(name)); slices.Contains(proper, "") {
				return nil, refuse("type doesn't exist")
			}
		}
		rows = slices.DeleteFunc(rows, func(r siteObject) bool {
			return !slices.Contains(proper, r.Type) && !slices.Contains(proper, "wagtailcore.Page")
		})
	}
	if query.Has("child_of") && query.Has("descendant_of") {
		return nil, refuse("filtering by descendant_of with child_of is not supported")
	}
	for _, way := range []struct {
		name, missing string
		keeps         func(of int, r siteObject) bool
	}{
		{"child_of", "parent page doesn't exist", func(of int, r siteObject) bool { return r.Parent == of }},
		{"descendant_of", "ancestor page doesn't exist", func(of int, r siteObject) bool { return r.ID != of && s.below(r.ID, of) }},
		{"ancestor_of", "descendant page doesn't exist", func(of int, r siteObject) bool { return r.ID != of && s.below(of, r.ID) }},
		{"translation_of", "translation_of page doesn't exist", s.isTranslation},
	} {
		if !query.Has(way.name) {
			continue
		}
		of, err := strconv.Atoi(query.Get(way.name))
		switch {
		case query.Get(way.name) == "root" && way.name != "ancestor_of":
			of = 3
		case err != nil || of < 0:
			return nil, refuse("%s must be a positive integer", way.name)
		case of != 3 && !slices.ContainsFunc(all, func(r siteObject) bool { return r.ID == of }):
			return nil, refuse("%s", way.missing)
		}
		rows = slices.DeleteFunc(rows, func(r siteObject) bool { return !way.keeps(of, r) })
	}
	switch locale := query.Get("locale"); locale {
	case "", "en", "fr", "de":
		rows = slices.DeleteFunc(rows, func(r siteObject) bool { return locale != "" && r.Locale != locale })
	default:
		return nil, &apiRefusal{http.StatusNotFound, "No Locale matches the given query."}
	}
	for _, name := range s.columns(kind, pageType) {
		if !query.Has(name) {
			continue
		}
		value := query.Get(name)
		rows = slices.DeleteFunc(rows, func(r siteObject) bool {
			if name == "tags" {
				return slices.ContainsFunc(strings.Split(value, ","), func(tag string) bool { return !slices.Contains(r.Tags, tag) })
			}
			return s.column(r, name) != value
		})
	}
	return rows, nil
}

// translations are those of the recorded site.
var translations = map[int]int{3: 67, 67: 3, 4: 68, 68: 4, 5: 69, 69: 5, 37: 70, 70: 37, 38: 71, 71: 38}

// below reports whether a page is another one or below it.
func (s *Server) below(id, of int) bool {
	for id != 0 && id != of {
		at := slices.IndexFunc(s.site["pages"], func(r siteObject) bool { return r.ID == id })
		if at < 0 {
			return false
		}
		id = s.site["pages"][at].Parent
	}
	return id == of
}

// mentions reports whether a text has a word, in any case.
func mentions(text, word string) bool {
	for _, has := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,:.?!\"'-/<>&;()", r) }) {
		if strings.EqualFold(has, word) {
			return true
		}
	}
	return false
}
