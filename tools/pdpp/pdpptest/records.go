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
	"unicode/utf8"
)

func encode(cursor jsonObject) string {
	content, err := json.Marshal(cursor)
	if err != nil {
		panic(err) // of texts and numbers
	}
	return base64.StdEncoding.EncodeToString(content)
}

func decode(text string) (cursor jsonObject) {
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(content, &cursor) != nil {
		return nil
	}
	return cursor
}

func number(o jsonObject, name string) int {
	n, _ := o[name].(float64)
	return int(n)
}

// permitted refuses parameters that there are not, and those that the era forbids.
func (s *Server) permitted(a asked) {
	for _, name := range slices.Sorted(maps.Keys(a.query)) {
		base, _, _ := strings.Cut(name, "[")
		switch {
		case !slices.Contains([]string{"limit", "cursor", "order", "sort", "count", "fields", "changes_since", "connection_id", "filter", "expand", "expand_limit", "view"}, base):
			panic(refused(http.StatusBadRequest, "records_unknown_param"))
		case s.era == EraA:
		case base == "filter":
			panic(refused(http.StatusBadRequest, "records_filter_client"))
		case base == "expand", base == "expand_limit":
			panic(refused(http.StatusBadRequest, "records_expand_client").about(base))
		case base == "view":
			panic(refused(http.StatusBadRequest, "records_view_client"))
		}
	}
}

// limit returns the size of a page and the warning about one that is too large.
func (a asked) limit(of string) (limit int, warnings []any) {
	const byDefault, most = 25, 100
	limit, err := strconv.Atoi(a.query.Get("limit"))
	if err != nil {
		return byDefault, []any{}
	}
	if limit <= most {
		return limit, []any{}
	}
	return most, member[[]any](recorded(of), "meta", "warnings")
}

// list returns an answer that is a list, with the address of its next page.
func (a asked) list(rows []jsonObject, cursor string, warnings []any) jsonObject {
	body := jsonObject{
		"object": "list", "url": a.URL.Path, "data": append([]jsonObject{}, rows...), "has_more": cursor != "",
		"links": jsonObject{"self": a.URL.RequestURI(), "next": nil}, "meta": jsonObject{"count": jsonObject{"kind": "none"}, "warnings": warnings},
	}
	if cursor == "" {
		return body
	}
	var kept []string
	for part := range strings.SplitSeq(a.URL.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); name != "" && name != "cursor" && name != "changes_since" {
			kept = append(kept, part)
		}
	}
	body["next_cursor"] = cursor
	body["links"] = jsonObject{"self": a.URL.RequestURI(), "next": a.URL.Path + "?" + strings.Join(append(kept, "cursor="+url.QueryEscape(cursor)), "&")}
	return body
}

// records answers with a page of a stream.
func (s *Server) records(a asked) httpReply {
	st := s.find(a)
	s.permitted(a)
	keep := a.filter()
	show := s.projection(a, st)
	limit, warnings := a.limit("records_limit_clamp")
	cursor := decode(a.query.Get("cursor"))
	if since := a.query.Get("changes_since"); since != "" || cursor["session"] == "changes" {
		return s.changes(a, st, show, since, cursor)
	}
	if sort := strings.TrimPrefix(a.query.Get("sort"), "-"); sort != "" && !strings.HasSuffix(sort, "_at") {
		panic(refused(http.StatusBadRequest, "records_sort_bad"))
	}
	matching := slices.DeleteFunc(slices.Clone(st.records), func(r jsonObject) bool { return !keep(r) })
	total := len(matching)
	direction := "ASC"
	if a.query.Get("order") != "asc" {
		slices.Reverse(matching)
		direction = "DESC"
	}
	if a.query.Has("cursor") {
		keys, _ := cursor["primary_key"].([]any)
		after := slices.IndexFunc(matching, func(r jsonObject) bool { return len(keys) == 1 && r["id"] == keys[0] })
		if after < 0 || cursor["session"] != "records" || cursor["order"] != direction {
			panic(refused(http.StatusBadRequest, "records_bad_cursor"))
		}
		matching = matching[after+1:]
	}
	page, next := matching[:min(limit, len(matching))], ""
	if len(page) < len(matching) {
		last := page[len(page)-1]
		next = encode(jsonObject{"cursor_value": last["emitted_at"], "kind": "page", "order": direction, "primary_key": []any{last["id"]}, "session": "records"})
	}
	var rows []jsonObject
	for _, r := range page {
		rows = append(rows, show(r))
	}
	body := a.list(rows, next, warnings)
	if kind := a.query.Get("count"); kind != "" && kind != "none" {
		member[jsonObject](body, "meta")["count"] = jsonObject{"kind": kind, "value": total}
	}
	return httpReply{body: body}
}

// changes answers with the records that changed after a bookmark, oldest first. A cursor
// within changes is enough; with changes_since beside it the server begins again.
func (s *Server) changes(a asked, st *stream, show func(jsonObject) jsonObject, since string, cursor jsonObject) httpReply {
	after, from := number(cursor, "after_version"), number(cursor, "since_version")
	if since != "" {
		seen := decode(since)
		if since != "beginning" && seen["kind"] != "changes_since" {
			panic(refused(http.StatusBadRequest, "records_bad_cursor"))
		}
		after, from = number(seen, "version"), number(seen, "version")
	}
	limit, warnings := a.limit("records_limit_clamp")
	var rows []jsonObject
	for _, r := range st.records[after:min(after+limit, len(st.records))] {
		rows = append(rows, show(r))
	}
	bookmark, next := encode(jsonObject{"kind": "changes_since", "version": len(st.records)}), ""
	if after+len(rows) < len(st.records) {
		next = encode(jsonObject{"after_version": after + len(rows), "kind": "page", "session": "changes", "session_max_version": len(st.records), "since_version": from})
	}
	body := a.list(rows, next, warnings)
	body["next_changes_since"] = bookmark
	if next != "" { // the recorded link has the bookmark, too, and so leads to no record
		links := member[jsonObject](body, "links")
		links["next"] = member[string](links, "next") + "&changes_since=" + url.QueryEscape(bookmark)
	}
	return httpReply{body: body}
}

// filter returns the condition of filter[field]=value and filter[field][operator]=value.
func (a asked) filter() (keep func(jsonObject) bool) {
	var tests []func(data jsonObject) bool
	for name, values := range a.query {
		path := strings.Split(strings.TrimSuffix(name, "]"), "[")
		if path[0] != "filter" || len(path) < 2 {
			continue
		}
		field := strings.TrimSuffix(path[1], "]")
		if len(path) == 3 && field != "comments" && !strings.HasSuffix(field, "_at") {
			panic(refused(http.StatusBadRequest, "records_filter_badop_owner"))
		}
		tests = append(tests, func(data jsonObject) bool {
			by := strings.Compare(fmt.Sprint(data[field]), values[0])
			switch path[len(path)-1] {
			case "gte":
				return by >= 0
			case "gt":
				return by > 0
			case "lte":
				return by <= 0
			case "lt":
				return by < 0
			}
			return by == 0
		})
	}
	return func(r jsonObject) bool {
		return !slices.ContainsFunc(tests, func(test func(jsonObject) bool) bool { return !test(member[jsonObject](r, "data")) })
	}
}

// projection returns how a record is shown: with the fields, the view and the related
// records that were asked for.
func (s *Server) projection(a asked, st *stream) func(jsonObject) jsonObject {
	var wanted []string
	for _, value := range a.query["fields"] {
		wanted = append(wanted, strings.Split(value, ",")...)
	}
	if a.query.Has("view") {
		wanted = slices.Collect(maps.Keys(member[jsonObject](rowsOf(recorded("records_view_owner"), "data")[0], "data")))
	}
	for _, name := range wanted {
		if !slices.Contains(st.fields(), name) {
			panic(refused(http.StatusBadRequest, "records_unknown_field"))
		}
	}
	relation, expands := a.query.Get("expand"), a.query.Has("expand")
	limit, err := strconv.Atoi(a.query.Get("expand_limit[comments_list]"))
	switch {
	case expands && st.name != "issues":
		panic(refused(http.StatusBadRequest, "records_expand_nocaps_owner"))
	case expands && (relation != "comments_list" || !st.expands), !expands && err == nil:
		panic(refused(http.StatusBadRequest, "records_expand_bad_owner"))
	case err != nil:
		limit = 5 // by default
	}
	return func(r jsonObject) jsonObject {
		row := st.row(r, wanted)
		if expands {
			row["expanded"] = jsonObject{"comments_list": s.comments(st.connection, r["id"], limit)}
		}
		return row
	}
}

// row returns a record of the stream's connection with these fields, or all when there are
// none. The key is always there.
func (st *stream) row(r jsonObject, fields []string) jsonObject {
	row := maps.Clone(r)
	row["connection_id"], row["connector_instance_id"] = st.connection, st.connection
	if fields != nil {
		data := maps.Clone(member[jsonObject](r, "data"))
		maps.DeleteFunc(data, func(name string, value any) bool { return !slices.Contains(fields, name) && value != r["id"] })
		row["data"] = data
	}
	return row
}

// comments returns the first comments on an issue.
func (s *Server) comments(connection string, issue any, limit int) jsonObject {
	rows, more := []jsonObject{}, false
	for _, st := range s.streams {
		for _, r := range st.records {
			if st.name == "issue_comments" && st.connection == connection && member[jsonObject](r, "data")["issue_id"] == issue {
				if more = len(rows) == limit; !more {
					rows = append(rows, st.row(r, nil))
				}
			}
		}
	}
	return jsonObject{"object": "list", "has_more": more, "data": rows}
}

// one returns the record of the path.
func (s *Server) one(a asked) (*stream, jsonObject) {
	st := s.find(a)
	i := slices.IndexFunc(st.records, func(r jsonObject) bool { return r["id"] == a.PathValue("id") })
	if i < 0 {
		panic(refused(http.StatusNotFound, "record_missing"))
	}
	return st, st.records[i]
}

// record answers with one record.
func (s *Server) record(a asked) httpReply {
	st, r := s.one(a)
	s.permitted(a)
	show := s.projection(a, st)
	body := recorded("record_one")
	maps.Copy(body, show(r))
	body["connector_key"], body["links"] = "https://registry.pdpp.dev/connectors/"+st.connector, jsonObject{"self": a.URL.RequestURI()}
	return httpReply{body: body}
}

// fieldWindow answers with a part of a record's text field, in characters.
func (s *Server) fieldWindow(a asked) httpReply {
	st, r := s.one(a)
	field := a.query.Get("field")
	if !slices.Contains(st.fields(), field) {
		panic(refused(http.StatusForbidden, "letters/window_no_field"))
	}
	whole, ok := member[jsonObject](r, "data")[field].(string)
	if !ok {
		panic(refused(http.StatusUnprocessableEntity, "field_window_badtype"))
	}
	asked := func(name string, byDefault int) int {
		if n, err := strconv.Atoi(a.query.Get(name)); err == nil {
			return n
		}
		return byDefault
	}
	text := []rune(whole)
	start, limit := asked("offset_chars", 0), asked("limit_chars", 4096)
	var matchStart, matchEnd, next, previous any
	if q := a.query.Get("q"); q != "" {
		before, _, found := strings.Cut(whole, q)
		if !found {
			panic(refused(http.StatusNotFound, "letters/window_no_match"))
		}
		from := utf8.RuneCountInString(before)
		to := from + utf8.RuneCountInString(q)
		matchStart, matchEnd = from, to
		start = max(0, from-asked("before_chars", 2048))
		limit = to + asked("after_chars", 2048) - start
	}
	start = min(start, len(text))
	end := min(start+limit, len(text))
	if end < len(text) {
		next = end
	}
	if start > 0 {
		previous = max(0, start-limit)
	}
	body := recorded("field_window")
	maps.Copy(body, jsonObject{
		"record_id": r["id"], "stream": st.name, "url": a.URL.Path, "field": jsonObject{"path": field, "type": "string"}, "links": jsonObject{"self": a.URL.RequestURI()},
		"window": jsonObject{
			"text": string(text[start:end]), "start_chars": start, "end_chars": end, "limit_chars": limit, "total_chars": len(text),
			"complete": start == 0 && end == len(text), "has_more": end < len(text), "next_offset_chars": next,
			"previous_offset_chars": previous, "match_start_chars": matchStart, "match_end_chars": matchEnd,
		},
	})
	return httpReply{body: body}
}

// aggregate answers with a count of any stream, and with the recorded figures of issues.
func (s *Server) aggregate(a asked) httpReply {
	st := s.find(a)
	keep := a.filter()
	switch {
	case s.era == EraB && strings.Contains(a.URL.RawQuery, "filter"):
		panic(refused(http.StatusBadRequest, "aggregate_filter_client"))
	case a.query.Get("metric") != "count" && a.query.Get("field") != "comments":
		panic(refused(http.StatusBadRequest, "aggregate_sum_bad_owner"))
	case a.query.Get("metric") != "count":
		return httpReply{body: recorded("aggregate_sum_owner")}
	case a.query.Has("group_by_time"):
		return httpReply{body: recorded("aggregate_time_owner")}
	case a.query.Has("group_by") && a.query.Has("limit"):
		return httpReply{body: recorded("aggregate_group_owner")}
	case a.query.Has("group_by"):
		return httpReply{body: recorded("aggregate_group_client")}
	}
	count := 0
	for _, r := range st.records {
		if keep(r) {
			count++
		}
	}
	body := recorded("aggregate_count")
	body["stream"], body["value"], body["filtered_record_count"] = st.name, count, count
	return httpReply{body: body}
}
