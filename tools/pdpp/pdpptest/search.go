package pdpptest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// searchCursor is what a search cursor holds; it is bound to its query.
type searchCursor struct {
	Offset   int    `json:"off"`
	Snapshot string `json:"snap"`
}

// search answers with the records whose text fields have every word of the
// query; those that have them in the first field, the title, come first.
func (s *Server) search(a asked) (reply, *refusal) {
	limit, warnings, wrong := s.searchable(a)
	if wrong != nil {
		return reply{}, wrong
	}
	snapshot := fnv.New64a()
	fmt.Fprint(snapshot, a.one("q"), a.listed("streams", "streams[]"), a.one("connection_id"))
	cursor := searchCursor{Snapshot: fmt.Sprintf("snap_%016x", snapshot.Sum64())}
	if text := a.one("cursor"); text != "" {
		var given searchCursor
		content, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || json.Unmarshal(content, &given) != nil || given.Offset < 0 {
			return reply{}, malformedCursor
		}
		if given.Snapshot != cursor.Snapshot {
			return reply{}, refuse(http.StatusBadRequest, "invalid_cursor", "Cursor belongs to another query")
		}
		cursor.Offset = given.Offset
	}
	hits := s.hits(a)
	rest := hits[min(cursor.Offset, len(hits)):]
	page := rest[:min(limit, len(rest))]
	body := object{"object": "list", "url": a.URL.Path, "has_more": len(page) < len(rest), "data": rowsOf(page)}
	next := ""
	if len(page) < len(rest) {
		cursor.Offset += len(page)
		content, err := json.Marshal(cursor)
		if err != nil {
			return reply{}, refuse(http.StatusInternalServerError, "internal_error", err.Error())
		}
		body["next_cursor"] = base64.RawURLEncoding.EncodeToString(content)
		next = a.following(body["next_cursor"])
	}
	envelope(a, body, next)
	body["meta"] = object{
		"count": len(hits), "count_accuracy": "exact", "warnings": append([]object{}, warnings...),
		"recall": object{
			"complete": true, "ranked_candidate_count": len(hits), "ranking_scope": "all_matches",
			"sources_searched_count": len(s.connections), "truncated": false,
		},
	}
	return reply{body: body}, nil
}

// searchable checks the parameters that all three searches share.
func (s *Server) searchable(a asked) (limit int, warnings []object, wrong *refusal) {
	if a.one("q") == "" {
		return 0, nil, invalid("q is required", "q")
	}
	for name := range a.query {
		switch base, _, _ := strings.Cut(name, "["); base {
		case "filter":
			if s.restricted(a) {
				return 0, nil, unsupported("filter")
			}
			if len(a.listed("streams", "streams[]")) != 1 {
				return 0, nil, invalid("filter requires a single stream", "filter")
			}
		case "q", "streams", "limit", "cursor", "connection_id", "connector_id":
		default:
			return 0, nil, invalid("Unsupported query parameter: "+name, "")
		}
	}
	connectionID := a.one("connection_id")
	if connectionID != "" && !s.knows(connectionID) {
		wrong := refuse(http.StatusNotFound, "connection_not_found", "connection_id '"+connectionID+"' is not addressable under this grant.")
		wrong.more = object{"param": "connection_id"}
		return 0, nil, wrong
	}
	for _, name := range a.listed("streams", "streams[]") {
		if !s.holds(name) {
			return 0, nil, s.unauthenticated("context.stream_not_allowed", failedClosed)
		}
	}
	return a.limit(defaultLimit, "at most 100 hits")
}

func (s *Server) holds(name string) bool {
	return slices.ContainsFunc(s.connections, func(c *connection) bool {
		return slices.ContainsFunc(c.streams, func(st *stream) bool { return st.name == name })
	})
}

// A hit is a record that a search finds.
type hit struct {
	*connection
	*stream
	record
	matched []string // fields
	word    string
}

// rowsOf are hits as they are answered.
func rowsOf(hits []hit) []object {
	rows := []object{}
	for _, h := range hits {
		rows = append(rows, resultRow(h.connection, h.stream, h.record, h.matched, h.word))
	}
	return rows
}

// hits are all the results of a search, the best first.
func (s *Server) hits(a asked) []hit {
	words := strings.Fields(strings.ToLower(a.one("q")))
	wanted := a.listed("streams", "streams[]")
	var found []hit
	for _, c := range s.connections {
		if id := a.one("connection_id"); id != "" && c.id != id {
			continue
		}
		for _, st := range c.streams {
			if len(wanted) > 0 && !slices.Contains(wanted, st.name) {
				continue
			}
			keep, wrong := filterOf(a, st)
			if wrong != nil {
				continue
			}
			for _, r := range st.records {
				if matched := st.matched(r, words); len(matched) > 0 && keep(r) {
					found = append(found, hit{c, st, r, matched, words[0]})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b hit) int { return len(b.matched) - len(a.matched) })
	return found
}

// matched are the text fields with words of the query, nil unless every word
// occurs in the record.
func (st *stream) matched(r record, words []string) []string {
	var fields []string
	seen := make(map[string]bool)
	for _, f := range st.fields {
		text, ok := r.data[f.name].(string)
		if !f.lexical || !ok {
			continue
		}
		hit := false
		for _, word := range words {
			if strings.Contains(strings.ToLower(text), word) {
				seen[word], hit = true, true
			}
		}
		if hit {
			fields = append(fields, f.name)
		}
	}
	if len(seen) < len(words) {
		return nil
	}
	return fields
}

func resultRow(c *connection, st *stream, r record, matched []string, word string) object {
	field := matched[0]
	text, ok := r.data[field].(string)
	if !ok {
		text = ""
	}
	marked := regexp.MustCompile(`(?i)`+regexp.QuoteMeta(word)).ReplaceAllString(text, "<mark>$0</mark>")
	preview := []rune(marked)
	preview = preview[:min(len(preview), 160)]
	address := "/v1/streams/" + st.name + "/records/" + r.id
	return object{
		"object": "search_result", "record_key": r.id, "stream": st.name, "connector_id": c.connector,
		"connection_id": c.id, "connector_instance_id": c.id, "record_url": address,
		"emitted_at": r.at, "authored_at": r.at, "matched_fields": matched,
		"snippet": object{"field": field, "text": string(preview)},
		"score":   object{"kind": "bm25", "order": "lower_is_better", "value": -0.33 * float64(len(matched))},
		"evidence_excerpts": []object{{
			"object": "evidence_excerpt", "field_path": field, "preview_text": string(preview), "provenance": "lexical_match", "truncated": true,
			"read": object{
				"object": "field_window_read", "method": "GET", "route": address + "/field-window", "field": field,
				"stream": st.name, "record_id": r.id, "connection_id": c.id,
			},
		}},
	}
}

// semantic answers as one without an embedding of the records: nothing applies.
func (s *Server) semantic(a asked) (reply, *refusal) {
	if _, _, wrong := s.searchable(a); wrong != nil {
		return reply{}, wrong
	}
	var skipped []object
	for _, c := range s.connections {
		skipped = append(skipped, object{
			"code": "source_skipped_not_applicable", "detail": object{"source": c.connector, "connection_id": c.id},
			"message": "Connection '" + c.id + "' under connector '" + c.connector + "' is not applicable to this query and was skipped.",
		})
	}
	return reply{body: envelope(a, object{"object": "list", "url": a.URL.Path, "has_more": false, "data": []object{}}, "", skipped...)}, nil
}

// hybrid answers with the best hits, of which the lexical search has found all, and
// with no way to the rest.
func (s *Server) hybrid(a asked) (reply, *refusal) {
	if a.one("cursor") != "" {
		return reply{}, invalid("Unsupported query parameter: cursor", "")
	}
	limit, warnings, wrong := s.searchable(a)
	if wrong != nil {
		return reply{}, wrong
	}
	hits := s.hits(a)
	data := rowsOf(hits[:min(limit, len(hits))])
	for _, row := range data {
		row["retrieval_mode"], row["retrieval_sources"] = "hybrid", []string{"lexical"}
		row["scores"] = object{"lexical": row["score"]}
		delete(row, "score")
		delete(row, "authored_at")
		delete(row, "evidence_excerpts")
	}
	return reply{body: envelope(a, object{"object": "list", "url": a.URL.Path, "has_more": len(data) < len(hits), "data": data}, "", warnings...)}, nil
}
