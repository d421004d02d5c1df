package pdpptest

import (
	"net/http"
	"net/url"
)

// changeCursor is what a cursor within changes holds.
type changeCursor struct {
	AfterVersion int    `json:"after_version"`
	Kind         string `json:"kind"`
	Session      string `json:"session"`
	SessionMax   int    `json:"session_max_version"`
	SinceVersion int    `json:"since_version"`
}

// A bookmark is what changes_since holds, unless it is the word beginning.
type bookmark struct {
	Kind    string `json:"kind"`
	Version int    `json:"version"`
}

// changes returns what a request for changes goes on from, and false when it asks for
// none. A cursor is enough: it is one of changes by itself. A changes_since beside it
// wins, so that both together are the first page again.
func (a asked) changes() (since string, ok bool) {
	if since = a.one("changes_since"); since != "" {
		return since, true
	}
	var cursor changeCursor
	return "", decode(a.one("cursor"), &cursor) && cursor.Session == "changes"
}

// changes answers with the records that changed after a bookmark, oldest first.
func (s *Server) changes(a asked, st *stream, since string, limit int, warnings []object, show func(record) object) (reply, *refusal) {
	if a.one("order") != "" || a.one("sort") != "" {
		return reply{}, invalid("order is not supported with changes_since", "")
	}
	var cursor changeCursor
	if text := a.one("cursor"); text != "" && (!decode(text, &cursor) || cursor.Session != "changes") {
		return reply{}, malformedCursor
	}
	if since != "" {
		from, wrong := s.version(since)
		if wrong != nil {
			return reply{}, wrong
		}
		cursor = changeCursor{AfterVersion: from, SinceVersion: from}
	}
	changed := st.records[min(cursor.AfterVersion, len(st.records)):]
	page := changed[:min(limit, len(changed))]
	next := encode(bookmark{"changes_since", len(st.records)})
	body := object{"object": "list", "url": a.URL.Path, "has_more": len(page) < len(changed), "next_changes_since": next}
	link := ""
	if len(page) < len(changed) {
		following := encode(changeCursor{cursor.AfterVersion + len(page), "page", "changes", len(st.records), cursor.SinceVersion})
		body["next_cursor"] = following
		// The recorded server has the bookmark in this link, too, with which it leads to
		// no record.
		link = a.following(following) + "&changes_since=" + url.QueryEscape(next)
	}
	data := []object{}
	for _, r := range page {
		data = append(data, show(r))
	}
	body["data"] = data
	return reply{body: envelope(a, body, link, warnings...)}, nil
}

// version is how many changes a changes_since has seen.
func (s *Server) version(since string) (int, *refusal) {
	if since == "beginning" {
		return 0, nil
	}
	var seen bookmark
	if !decode(since, &seen) || seen.Kind != "changes_since" {
		return 0, refuse(http.StatusBadRequest, "invalid_cursor", "Malformed changes_since cursor; pass `beginning` to bootstrap or the `next_changes_since` value returned by a prior /v1/streams/{stream}/records response")
	}
	if seen.Version < s.oldest {
		return 0, refuse(http.StatusGone, "cursor_expired", "The changes_since bookmark is too old; start again with changes_since=beginning")
	}
	return seen.Version, nil
}
