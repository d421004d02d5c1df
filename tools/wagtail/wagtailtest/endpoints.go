package wagtailtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// others are the objects of the endpoints that a project has registered besides, as
// their recorded lists have them.
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

// other answers a list of such an endpoint, or one object of it. It can be cut into
// pages and filtered, and has no fields besides those of a list.
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
