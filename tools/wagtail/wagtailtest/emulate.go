package wagtailtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// origin is the address that the recorded site has for itself.
const origin = "http://127.0.0.1:8765"

// emulate answers requests below /api/v2/ by the rules.
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

// singular names one object of a kind, as Django does.
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

// others returns the objects of endpoints that a project has added, from their
// recorded lists.
func (s *Server) others(kind string) []map[string]any {
	recorded, ok := s.recorded[kind+"-list"]
	if !ok || s.site[kind] != nil {
		return nil
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(recorded.Body, &list); err != nil {
		panic(err)
	}
	return list.Items
}

// other answers a list of such an endpoint, or one object of it. A list can be cut
// into pages and filtered; its objects have no further fields.
func (s *Server) other(w http.ResponseWriter, c setup, kind, rest string, query url.Values) {
	objects := s.others(kind)
	if rest != "" {
		at := slices.IndexFunc(objects, func(o map[string]any) bool { return fmt.Sprint(o["id"], "/") == rest })
		if at < 0 {
			s.write(w, &apiRefusal{http.StatusNotFound, "No Redirect matches the given query."}, nil, "")
			return
		}
		s.write(w, nil, objects[at], c.host)
		return
	}
	for name := range query {
		if slices.Contains(common, name) {
			continue
		}
		if _, known := objects[0][name]; !known {
			s.write(w, refuse("query parameter is not an operation or a recognised field: %s", name), nil, "")
			return
		}
		objects = slices.DeleteFunc(objects, func(o map[string]any) bool { return o[name] != query.Get(name) })
	}
	rows := make([]siteObject, len(objects))
	for n := range rows {
		rows[n].ID = n
	}
	rows, refused := slicePage(rows, c, query)
	items := []any{}
	for _, r := range rows {
		items = append(items, objects[r.ID])
	}
	s.write(w, refused, map[string]any{"meta": map[string]int{"total_count": len(objects)}, "items": items}, c.host)
}
