package pdpptest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// search answers with the records that have every word of the query in their texts; those
// with words in more fields come first. A hybrid search has no pages, a semantic one finds
// nothing.
func (s *Server) search(a asked) httpReply {
	semantic, hybrid := strings.HasSuffix(a.URL.Path, "semantic"), strings.HasSuffix(a.URL.Path, "hybrid")
	connection := a.query.Get("connection_id")
	if !s.knows(connection) {
		panic(refused(http.StatusNotFound, "letters/search_no_connection"))
	}
	if s.era == EraB && strings.Contains(a.URL.RawQuery, "filter") {
		panic(refused(http.StatusBadRequest, "search_filter"))
	}
	if semantic {
		return httpReply{body: recorded("search_semantic")}
	}
	keep := a.filter()
	template := rowsOf(recorded(map[bool]string{true: "letters/hybrid", false: "search"}[hybrid]), "data")[0]
	var found []jsonObject
	for _, st := range s.streams {
		for _, r := range st.records {
			if names := a.query["streams"]; (names == nil || slices.Contains(names, st.name)) && (connection == "" || st.connection == connection) && keep(r) {
				found = append(found, st.hit(r, strings.Fields(a.query.Get("q")), template)...)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b jsonObject) int {
		return len(b["matched_fields"].([]string)) - len(a["matched_fields"].([]string)) //nolint:errcheck,forcetypeassert // as hit makes them
	})

	limit, warnings := a.limit("search_limit")
	if hybrid {
		body := a.list(found[:min(limit, len(found))], "", warnings)
		body["has_more"] = limit < len(found)
		return httpReply{body: body}
	}
	offset := 0
	if cursor := a.query.Get("cursor"); cursor != "" {
		content, err := base64.RawURLEncoding.DecodeString(cursor)
		if _, scanErr := fmt.Sscanf(string(content), `{"off":%d`, &offset); err != nil || scanErr != nil || offset > len(found) {
			panic(refused(http.StatusBadRequest, "records_bad_cursor"))
		}
	}
	end, next := min(offset+limit, len(found)), ""
	if end < len(found) {
		next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"off":%d,"snap":"snap_f23d575d20d7d538"}`, end))
	}
	body := a.list(found[offset:end], next, nil)
	meta := member[jsonObject](recorded("search_nohit"), "meta")
	meta["count"], meta["warnings"] = len(found), warnings
	member[jsonObject](meta, "recall")["ranked_candidate_count"] = len(found)
	body["meta"] = meta
	return httpReply{body: body}
}

// hit returns a record as a search result, like a recorded one, or nothing when it does not
// have all words in its title, subject, body or text.
func (st *stream) hit(r jsonObject, query []string, template jsonObject) []jsonObject {
	var matched []string
	seen, first := make(map[string]bool), ""
	for _, field := range []string{"title", "subject", "body", "text"} {
		text, _ := member[jsonObject](r, "data")[field].(string)
		for _, word := range query {
			if !strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
				continue
			}
			if seen[word] = true; !slices.Contains(matched, field) {
				matched = append(matched, field)
			}
			if first == "" {
				first = strings.ReplaceAll(text, word, "<mark>"+word+"</mark>")
				first = string([]rune(first)[:min(160, len([]rune(first)))])
			}
		}
	}
	if len(seen) < len(query) {
		return nil
	}
	address := fmt.Sprintf("/v1/streams/%s/records/%s", st.name, r["id"])
	row := maps.Clone(template)
	maps.Copy(row, jsonObject{
		"record_key": r["id"], "stream": st.name, "connector_id": st.connector, "connection_id": st.connection, "connector_instance_id": st.connection,
		"record_url": address, "emitted_at": r["emitted_at"], "matched_fields": matched, "snippet": jsonObject{"field": matched[0], "text": first},
	})
	if _, lexical := row["evidence_excerpts"]; lexical {
		excerpt := maps.Clone(rowsOf(template, "evidence_excerpts")[0])
		excerpt["field_path"], excerpt["preview_text"] = matched[0], first
		row["evidence_excerpts"], row["authored_at"] = []jsonObject{excerpt}, r["emitted_at"]
	}
	return []jsonObject{row}
}
