package pdpp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"issues-index/store/pattern"
	"issues-index/tools"
	"issues-index/tools/upstream"
)

// codeUnreachable is the error of an RS that gives no answer.
const codeUnreachable tools.Code = "rs_unreachable"

// A complaint is an error as the RS words it.
type complaint struct {
	Code      string       `json:"code"`
	Message   string       `json:"message"`
	Detail    string       `json:"detail"` // of RFC 9457, in place of a message
	Param     string       `json:"param"`
	RetryWith string       `json:"retry_with"`
	Available []connection `json:"available_connections"`
}

// plainCode is a code of the RS that can be ours.
var plainCode = pattern.Lazy(`^[A-Za-z][A-Za-z0-9_.]{0,63}$`)

// refused types the error of an answer that is no success.
func (c *Client) refused(r *upstream.Response) *tools.Error {
	if to, own := r.Redirect(); to != nil {
		where := to.Host
		if own {
			where = "another of its pages"
		}
		return c.said(tools.Errorf(tools.CodeProvider, "%s answered with status %d and a redirect to %s, which is not followed.",
			r.URL.Host, r.Status, quote(where)), r, nil).
			Try("Ask the user to check the address of the resource server, PDPP_PROVIDER_URL.")
	}
	theirs, raw := complaintOf(wellFormed(r.Body))
	if raw == nil {
		return c.said(tools.Errorf(tools.CodeProvider, "%s answered with status %d and no error of the resource server's form.", r.URL.Host, r.Status), r, nil).
			Try("%s", c.remedyWithoutCode(r, theirs))
	}
	code, remedy := tools.CodeProvider, c.remedy(r, theirs)
	if plainCode().MatchString(theirs.Code) {
		code = tools.Code(theirs.Code)
	}
	if theirs.Code == "" {
		remedy = c.remedyWithoutCode(r, theirs)
	}
	message := strings.TrimRight(tools.Line(cmp.Or(theirs.Message, theirs.Detail)), ".")
	e := tools.Errorf(code, "%s (status %d).", cmp.Or(shorten(message, maxMessage), "The resource server gave no reason"), r.Status).
		Try("%s", remedy)
	e.Field = shorten(escaped(theirs.Param), maxTotal)
	for _, one := range theirs.Available {
		line := "connection_id=" + escaped(one.ID)
		if one.Connector != "" {
			line += " connector_key=" + escaped(one.Connector)
		}
		if one.Name != "" {
			line += " " + quote(one.Name)
		}
		e.Candidates = append(e.Candidates, line)
	}
	return c.said(e, r, raw)
}

// maxMessage bounds what an error repeats of the RS's words, in bytes.
const maxMessage = 200

// complaintOf reads the error of a body, and returns its JSON too: nil when there is
// none. OAuth servers answer with a code and a description, gateways with an object that
// is the error itself.
func complaintOf(body []byte) (theirs complaint, said json.RawMessage) {
	var wrapped struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
	}
	if !read(body, &wrapped) {
		return complaint{}, nil
	}
	if len(wrapped.Error) > 0 && wrapped.Error[0] == '{' {
		read(wrapped.Error, &theirs)
		return theirs, wrapped.Error
	}
	read(body, &theirs)
	if code, ok := textOf(wrapped.Error); ok {
		theirs = complaint{Code: code, Message: cmp.Or(wrapped.Description, theirs.Message, theirs.Detail, code)}
	}
	if theirs.Code == "" && theirs.Message == "" && theirs.Detail == "" {
		return complaint{}, nil
	}
	return theirs, bytes.TrimSpace(body)
}

// remedyWithoutCode says what to do about an answer that is hardly the RS's own.
func (c *Client) remedyWithoutCode(r *upstream.Response, theirs complaint) string {
	switch r.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Sprintf("It has nothing there: ask the user whether PDPP_PROVIDER_URL, %s, is the address of a PDPP resource server.", c.provider)
	case http.StatusRequestedRangeNotSatisfiable:
		return "The range begins behind the end: without a range the answer tells the size."
	}
	return c.remedy(r, theirs)
}

// remedy says what to do about an error.
func (c *Client) remedy(r *upstream.Response, theirs complaint) string {
	reconnect := fmt.Sprintf("Ask the user to run `pdpp connect %s`, then call again: no restart is needed.", c.provider)
	const streams = "list_streams names the streams and connections that it covers."
	if byCode, ok := map[string]string{
		"context.active_false":       "The token was revoked or has expired. " + reconnect,
		"context.stream_not_allowed": "The stream is not part of this grant. " + streams,
		"grant_stream_not_allowed":   "The stream is not part of this grant. " + streams,
		"context.instance_mismatch":  "The connection_id is not one of this grant. " + streams,
		"connection_not_found":       "The connection_id is not one of this grant. " + streams,
		"stream_not_declared":        "The server has no such stream. " + streams,
		"grant_revoked":              "The grant was revoked. " + reconnect,
		"grant_expired":              "The grant has expired. " + reconnect,
		"grant_invalid":              "The grant is no longer valid. " + reconnect,
		"grant_consumed":             "The grant was for one use, and is used. " + reconnect,
		"field_not_granted":          "The grant does not cover this field. schema with this stream names those that it does.",
		"context.field_not_granted":  "The grant does not cover this field. schema with this stream names those that it does.",
		"query_not_found":            "These words are not in the field: pass other ones as q, or read it from its beginning with offset_chars 0.",
		"invalid_cursor":             "Pass a next_cursor as it was given, with the other arguments it came from, or start again without a cursor.",
		"cursor_expired":             "Start again without a cursor or with changes_since beginning.",
		"field_not_text":             "fetch without field reads the record as it is.",
		"unknown_field":              "schema with this stream names its fields.",
		"invalid_expand":             "schema with this stream names its relations (expand_capabilities).",
		"blob_not_found":             "Take a blob_id from a record that query_records or fetch has read.",
	}[theirs.Code]; ok {
		return byCode
	}
	switch {
	case len(theirs.Available) > 0:
		return "Call again with one of these as " + shorten(escaped(cmp.Or(theirs.RetryWith, "connection_id")), maxTotal) + ":"
	case theirs.RetryWith != "":
		return "Call again with " + shorten(escaped(theirs.RetryWith), maxTotal) + "; list_streams has the values."
	case theirs.Code == "invalid_request" && strings.Contains(strings.ToLower(theirs.Message), "client"):
		return "This token may use " + withClientToken + "."
	}
	switch r.Status {
	case http.StatusUnauthorized:
		return "The resource server did not take the token. " + reconnect
	case http.StatusForbidden:
		return "The grant does not allow it. " + streams
	case http.StatusNotFound:
		return "search and query_records find the ids that there are, list_streams the streams."
	case http.StatusTooManyRequests:
		wait := "a while"
		if pause, ok := upstream.RetryAfter(r.Header, time.Now()); ok {
			wait = max(pause.Round(time.Second), time.Second).String()
		}
		return "Wait " + wait + ", then call again, with a smaller limit or a narrower question."
	}
	if r.Status >= http.StatusInternalServerError {
		return "Call once more later; if it stays, tell the user that the resource server fails."
	}
	return "schema with the stream says what it takes; correct the call and try again."
}

// withClientToken is what a token of a grant may always use.
const withClientToken = "fields, limit, cursor, order, sort, count, changes_since and connection_id, aggregate with group_by, and search"

// unreachable types what kept an answer from coming.
func (c *Client) unreachable(failed *upstream.Error) *tools.Error {
	message := failed.Error()
	e := tools.Errorf(codeUnreachable, "The resource server gave no answer: %s.", message)
	switch failed.Reason {
	case upstream.TooLarge:
		return e.Try("Ask for less: a smaller limit, fields, or a range.")
	case upstream.NoTLS, upstream.SlowTLS:
		return e.Try("Ask the user whether the address of the resource server begins with http: PDPP_PROVIDER_URL is %s.", c.provider)
	case upstream.TimedOut, upstream.CutOff:
		return e.Try("Call once more; if it stays, ask for less, or tell the user that %s does not answer.", failed.Host)
	}
	return e.Try("Call once more later; if it stays, ask the user whether %s runs and PDPP_PROVIDER_URL is right.", c.provider)
}

// notJSON types a success that cannot be read.
func (c *Client) notJSON(r *upstream.Response) *tools.Error {
	kind := quote(cmp.Or(r.MediaType(), "something without a type"))
	if r.MediaType() == "application/json" {
		kind = "JSON that is broken off or another thing"
	}
	return c.said(tools.Errorf(tools.CodeProvider, "%s answered with %s, not with a JSON object.", r.URL.Host, kind), r, nil).
		Try("Ask the user to check that PDPP_PROVIDER_URL is the address of a PDPP resource server.")
}

// said keeps with an error what the RS said, word for word.
func (c *Client) said(e *tools.Error, r *upstream.Response, raw json.RawMessage) *tools.Error {
	said := struct {
		Error      json.RawMessage `json:"error,omitempty"`
		HTTPStatus int             `json:"http_status"`
		RequestID  *string         `json:"request_id"`
	}{Error: raw, HTTPStatus: r.Status}
	if id := requestID(r); id != "" {
		said.RequestID = &id
	}
	if len(raw) > maxSaid {
		said.Error = nil
	}
	object, err := json.Marshal(said)
	if err != nil {
		return e
	}
	return e.Said(object)
}

// maxSaid bounds an error that is kept word for word, in bytes.
const maxSaid = 3500

// shorten cuts a text to a number of bytes, an ellipsis included, between runes.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	kept := 0
	for at := range text {
		if at > limit-len("…") {
			break
		}
		kept = at
	}
	return text[:kept] + "…"
}
