package pdpptest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// pageCursor is what a records cursor holds; it is bound to its order.
type pageCursor struct {
	CursorValue string   `json:"cursor_value"`
	Kind        string   `json:"kind"`
	Order       string   `json:"order"`
	PrimaryKey  []string `json:"primary_key"`
	Session     string   `json:"session"`
}

func encode(cursor any) string {
	content, err := json.Marshal(cursor)
	if err != nil {
		panic(err) // of our own structs
	}
	return base64.StdEncoding.EncodeToString(content)
}

func decode(text string, into any) bool {
	content, err := base64.StdEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(content, into) == nil
}

var malformedCursor = refuse(http.StatusBadRequest, "invalid_cursor", "Malformed cursor")

// records answers with a page of a stream.
func (s *Server) records(a asked) (reply, *refusal) {
	c, st, wrong := s.find(a)
	if wrong == nil {
		wrong = s.readable(a)
	}
	if wrong != nil {
		return reply{}, wrong
	}
	limit, warnings, wrong := a.limit(defaultLimit, "100 records")
	if wrong != nil {
		return reply{}, wrong
	}
	keep, wrong := filterOf(a, st)
	if wrong != nil {
		return reply{}, wrong
	}
	show, wrong := s.projection(a, c, st)
	if wrong != nil {
		return reply{}, wrong
	}
	if since, ok := a.changes(); ok {
		return s.changes(a, st, since, limit, warnings, show)
	}
	descending, wrong := order(a, st)
	if wrong != nil {
		return reply{}, wrong
	}
	matching := slices.DeleteFunc(slices.Clone(st.records), func(r record) bool { return !keep(r) })
	total := len(matching)
	direction := "ASC"
	if descending {
		slices.Reverse(matching)
		direction = "DESC"
	}
	if text := a.one("cursor"); text != "" {
		var cursor pageCursor
		if !decode(text, &cursor) || cursor.Session != "records" || len(cursor.PrimaryKey) != 1 {
			return reply{}, malformedCursor
		}
		if cursor.Order != direction {
			return reply{}, refuse(http.StatusBadRequest, "invalid_cursor", "Cursor was issued for another order")
		}
		after := slices.IndexFunc(matching, func(r record) bool { return r.id == cursor.PrimaryKey[0] })
		if after < 0 {
			return reply{}, malformedCursor
		}
		matching = matching[after+1:]
	}
	page := matching[:min(limit, len(matching))]
	body := object{"object": "list", "url": a.URL.Path, "has_more": len(page) < len(matching)}
	next := ""
	if len(page) < len(matching) {
		last := page[len(page)-1]
		body["next_cursor"] = encode(pageCursor{last.at, "page", direction, []string{last.id}, "records"})
		next = a.following(body["next_cursor"])
	}
	data := []object{}
	for _, r := range page {
		data = append(data, show(r))
	}
	body["data"] = data
	envelope(a, body, next, warnings...)
	switch kind := a.one("count"); kind {
	case "", "none":
	case "estimated", "exact":
		body["meta"].(object)["count"] = object{"kind": kind, "value": total} //nolint:errcheck,forcetypeassert // as envelope made it
	default:
		return reply{}, invalid("count must be none, estimated or exact", "count")
	}
	return reply{body: body}, nil
}

// following is the address of the next page.
func (a asked) following(cursor any) string {
	var kept []string
	for part := range strings.SplitSeq(a.URL.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); name != "" && name != "cursor" && name != "changes_since" {
			kept = append(kept, part)
		}
	}
	return a.URL.Path + "?" + strings.Join(append(kept, "cursor="+url.QueryEscape(fmt.Sprint(cursor))), "&")
}

// readable refuses parameters that there are not, and those that the era forbids.
func (s *Server) readable(a asked) *refusal {
	for _, name := range slices.Sorted(maps.Keys(a.query)) {
		base, _, _ := strings.Cut(name, "[")
		switch base {
		case "limit", "cursor", "order", "sort", "count", "fields", "changes_since", "connection_id", "connector_id":
			if base == name {
				continue
			}
		case "filter", "expand_limit":
			if base == name {
				break
			}
			if s.restricted(a) {
				return unsupported(base)
			}
			continue
		case "expand":
			if s.restricted(a) {
				return unsupported(base)
			}
			continue
		case "view":
			if s.restricted(a) {
				return invalid("Client record reads must use explicit fields; views are resolved when the grant is issued", "")
			}
			continue
		}
		return invalid("Unsupported query parameter: "+name, "")
	}
	return nil
}

// unsupported is how era B refuses a client's option.
func unsupported(param string) *refusal {
	shown := map[string]string{"filter": "filter[...]", "expand": "expand[]", "expand_limit": "expand_limit[...]"}[param]
	return invalid(shown+" is not supported for client-token reads in PDPP v0.1", param)
}

// order returns whether the newest come first.
func order(a asked, st *stream) (descending bool, wrong *refusal) {
	descending = true
	switch a.one("order") {
	case "", "desc":
	case "asc":
		descending = false
	default:
		return false, invalid("order must be asc or desc", "order")
	}
	if sort := a.one("sort"); sort != "" {
		field := strings.TrimPrefix(sort, "-")
		if field != st.cursorField {
			wrong := refuse(http.StatusBadRequest, "invalid_sort", "Sort field '"+field+"' is not advertised as sortable; check /v1/schema for the canonical sort vocabulary.")
			wrong.more = object{"param": "sort"}
			return false, wrong
		}
		descending = strings.HasPrefix(sort, "-")
	}
	return descending, nil
}

// filterOf returns what a record has to satisfy.
func filterOf(a asked, st *stream) (func(record) bool, *refusal) {
	var tests []func(record) bool
	for name, values := range a.query {
		rest, ok := strings.CutPrefix(name, "filter[")
		if !ok {
			continue
		}
		path := strings.Split(strings.TrimSuffix(rest, "]"), "][")
		f := st.field(path[0])
		value := values[0]
		switch {
		case f == nil:
			return nil, refuse(http.StatusBadRequest, "unknown_field", "Unknown field: "+path[0])
		case len(path) == 1 && !f.equal:
			return nil, invalid("Exact filters are not declared for '"+f.name+"'", "")
		case len(path) == 1:
			tests = append(tests, func(r record) bool { return fmt.Sprint(r.data[f.name]) == value })
		case !slices.Contains(f.ranges, path[1]):
			return nil, invalid("Range filters are not declared for '"+f.name+"'", "")
		default:
			tests = append(tests, func(r record) bool { return inRange(r.data[f.name], path[1], value) })
		}
	}
	return func(r record) bool {
		return !slices.ContainsFunc(tests, func(test func(record) bool) bool { return !test(r) })
	}, nil
}

func inRange(have any, operator, want string) bool {
	by := strings.Compare(fmt.Sprint(have), want)
	if number, ok := have.(int); ok {
		limit, err := strconv.Atoi(want)
		if err != nil {
			return false
		}
		by = number - limit
	}
	switch operator {
	case "gte":
		return by >= 0
	case "gt":
		return by > 0
	case "lte":
		return by <= 0
	}
	return by < 0
}

func (st *stream) field(name string) *field {
	for i := range st.fields {
		if st.fields[i].name == name {
			return &st.fields[i]
		}
	}
	return nil
}
