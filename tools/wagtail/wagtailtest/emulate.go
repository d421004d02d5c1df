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

// origin is what the recorded site calls itself.
const origin = "http://127.0.0.1:8765"

// emulate answers below /api/v2/ by the rules.
func (s *Server) emulate(w http.ResponseWriter, r *http.Request, c setup, path string) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	kind, rest, ok := strings.Cut(path, "/")
	if s.others(kind) != nil && ok && r.Method == http.MethodGet {
		s.other(w, c, kind, rest, query)
		return
	}
	if err != nil || !ok || s.site[kind] == nil || r.Method != http.MethodGet {
		s.replay(w, s.recorded["trouble-api-root"])
		return
	}
	rest, slashed := strings.CutSuffix(rest, "/")
	id, notID := strconv.Atoi(rest)
	switch {
	case rest == "" && !slashed:
		body, refused := s.list(c, kind, query)
		s.write(w, refused, body, c.host)
	case rest == "find" && slashed:
		s.find(w, kind, query, c)
	case notID == nil && slashed:
		body, refused := s.detail(kind, id, query)
		s.write(w, refused, body, c.host)
	default:
		s.replay(w, s.recorded["trouble-api-root"])
	}
}

func (s *Server) find(w http.ResponseWriter, kind string, query url.Values, c setup) {
	want := "/" + strings.Trim(query.Get("html_path"), "/")
	for _, p := range s.site[kind] {
		below := p.routes && strings.HasPrefix(want, p.Path)
		if query.Has("html_path") && p.Locale == "en" && p.host == "" && (below || strings.TrimRight(p.Path, "/") == strings.TrimRight(want, "/")) {
			w.Header().Set("Location", cmp.Or(c.host, origin)+"/api/v2/pages/"+strconv.Itoa(p.ID)+"/?")
			w.WriteHeader(http.StatusFound)
			return
		}
	}
	s.write(w, &apiRefusal{http.StatusNotFound, "not found"}, nil, "")
}

// singular names what a kind has, as Django does.
var singular = map[string]string{"pages": "Page", "images": "Image", "documents": "Document"}

func (s *Server) detail(kind string, id int, query url.Values) (any, *apiRefusal) {
	rows, refused := s.ofSite(kind, query.Get("site"))
	if refused != nil {
		return nil, refused
	}
	at := slices.IndexFunc(rows, func(r siteObject) bool { return r.ID == id })
	if at < 0 {
		return nil, &apiRefusal{http.StatusNotFound, "No " + singular[kind] + " matches the given query."}
	}
	r := rows[at]
	tree, refused := parseFields(query.Get("fields"))
	if refused != nil {
		return nil, refused
	}
	return s.item(r, kind, r.Type, tree, true)
}

// common are the parameters of every list, tree those of pages.
var (
	common = []string{"limit", "offset", "fields", "search", "search_operator", "order", "format", "_"}
	tree   = []string{"type", "child_of", "descendant_of", "ancestor_of", "translation_of", "locale", "site"}
)

// columns are what a list can be filtered and ordered by.
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

// column is what a row has in one that rows are told apart by, as text: of a related
// object its id.
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
