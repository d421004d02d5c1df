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
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/upstream"
)

// codeUnreachable is the code when the RS gives no answer.
const codeUnreachable tools.Code = "rs_unreachable"

// An apiError is an error as the RS words it.
type apiError struct {
	Code      string       `json:"code"`
	Message   string       `json:"message"`
	Detail    string       `json:"detail"` // of RFC 9457, in place of a message
	Param     string       `json:"param"`
	RetryWith string       `json:"retry_with"`
	Available []connection `json:"available_connections"`
}

// plainCode matches a code of the RS that we can take over.
var plainCode = pattern.Lazy(`^[A-Za-z][A-Za-z0-9_.]{0,63}$`)

// Limits of what an error repeats of the RS's words, in bytes.
const (
	maxMessage  = 200
	maxUpstream = 3500 // of the error word for word
)

// errorOf types the error of a response that is no success.
func (c *Client) errorOf(r *upstream.Response) *tools.Error {
	if to, own := r.Redirect(); to != nil {
		where := to.Host
		if own {
			where = "another of its pages"
		}
		return withUpstream(tools.Errorf(tools.CodeProvider, "%s answered with status %d and a redirect to %s, which is not followed.",
			r.URL.Host, r.Status, quote(where)), r, nil).
			Try("Ask the user to check the address of the resource server, PDPP_PROVIDER_URL.")
	}
	theirs, raw := readError(wellFormed(r.Body))
	if raw == nil {
		return withUpstream(tools.Errorf(tools.CodeProvider, "%s answered with status %d and no error of the resource server's form.", r.URL.Host, r.Status), r, nil).
			Try("%s", c.remedy(r, theirs))
	}
	code := tools.CodeProvider
	if plainCode().MatchString(theirs.Code) {
		code = tools.Code(theirs.Code)
	}
	message := strings.TrimRight(tools.Line(cmp.Or(theirs.Message, theirs.Detail)), ".")
	e := tools.Errorf(code, "%s (status %d).", cmp.Or(words.CutBytes(message, maxMessage), "The resource server gave no reason"), r.Status).
		Try("%s", c.remedy(r, theirs))
	e.Field = shown(theirs.Param)
	for _, one := range theirs.Available {
		line := "connection_id=" + shown(one.ID)
		if one.Connector != "" {
			line += " connector_key=" + shown(one.Connector)
		}
		if one.Name != "" {
			line += " " + quote(one.Name)
		}
		e.Candidates = append(e.Candidates, line)
	}
	return withUpstream(e, r, raw)
}

// readError reads the error in a body and returns its JSON, too, nil when there is none.
// OAuth servers answer with a code and a description, gateways with an object that is
// itself the error.
func readError(body []byte) (theirs apiError, raw json.RawMessage) {
	var wrapped struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
	}
	if !read(body, &wrapped) {
		return apiError{}, nil
	}
	if len(wrapped.Error) > 0 && wrapped.Error[0] == '{' {
		read(wrapped.Error, &theirs)
		return theirs, wrapped.Error
	}
	read(body, &theirs)
	if code, ok := textOf(wrapped.Error); ok {
		theirs = apiError{Code: code, Message: cmp.Or(wrapped.Description, theirs.Message, theirs.Detail, code)}
	}
	if theirs.Code == "" && theirs.Message == "" && theirs.Detail == "" {
		return apiError{}, nil
	}
	return theirs, bytes.TrimSpace(body)
}

// What to do about an error, by its code. {connect} stands for the sentence on pdpp
// connect.
var remedies = map[string]string{
	"context.active_false":       "The token was revoked or has expired. {connect}",
	"context.stream_not_allowed": "The stream is not part of this grant. " + seeStreams,
	"grant_stream_not_allowed":   "The stream is not part of this grant. " + seeStreams,
	"context.instance_mismatch":  "The connection_id is not one of this grant. " + seeStreams,
	"connection_not_found":       "The connection_id is not one of this grant. " + seeStreams,
	"stream_not_declared":        "The server has no such stream. " + seeStreams,
	"grant_revoked":              "The grant was revoked. {connect}",
	"grant_expired":              "The grant has expired. {connect}",
	"grant_invalid":              "The grant is no longer valid. {connect}",
	"grant_consumed":             "The grant was for one use and is used up. {connect}",
	"field_not_granted":          "The grant does not cover this field. schema with this stream names the fields that it covers.",
	"context.field_not_granted":  "The grant does not cover this field. schema with this stream names the fields that it covers.",
	"query_not_found":            "These words are not in the field: pass other ones as q, or read it from its beginning with offset_chars 0.",
	"invalid_cursor":             "Pass a next_cursor as it was given, with the other arguments it came from, or start again without a cursor.",
	"cursor_expired":             "Start again without a cursor or with changes_since beginning.",
	"field_not_text":             "fetch without field reads the record as it is.",
	"unknown_field":              "schema with this stream names its fields.",
	"invalid_expand":             "schema with this stream names its relations (expand_capabilities).",
	"blob_not_found":             "Take a blob_id from a record that query_records or fetch has read.",
}

const seeStreams = "list_streams names the streams and connections of the grant."

// withClientToken is what a token of a grant may always use.
const withClientToken = "fields, limit, cursor, order, sort, count, changes_since and connection_id, aggregate with group_by, and search"

// remedy says what to do about an error.
func (c *Client) remedy(r *upstream.Response, theirs apiError) string {
	connect := fmt.Sprintf("Ask the user to run `pdpp connect %s`, then call again: no restart is needed.", c.provider)
	if byCode, ok := remedies[theirs.Code]; ok {
		return strings.Replace(byCode, "{connect}", connect, 1)
	}
	switch ours := theirs.Code != ""; { // an answer without a code is hardly the RS's own
	case !ours && (r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed):
		return fmt.Sprintf("There is nothing at this address: ask the user whether PDPP_PROVIDER_URL, %s, is the address of a PDPP resource server.", c.provider)
	case !ours && r.Status == http.StatusRequestedRangeNotSatisfiable:
		return "The range begins after the end: an answer without a range tells the size."
	case len(theirs.Available) > 0:
		return "Call again with one of these as " + shown(cmp.Or(theirs.RetryWith, "connection_id")) + ":"
	case theirs.RetryWith != "":
		return "Call again with " + shown(theirs.RetryWith) + "; list_streams has the values."
	case theirs.Code == "invalid_request" && strings.Contains(strings.ToLower(theirs.Message), "client"):
		return "This token may use " + withClientToken + "."
	case r.Status == http.StatusUnauthorized:
		return "The resource server did not take the token. " + connect
	case r.Status == http.StatusForbidden:
		return "The grant does not allow it. " + seeStreams
	case r.Status == http.StatusNotFound:
		return "search and query_records find ids, list_streams names the streams."
	case r.Status == http.StatusTooManyRequests:
		wait := "a while"
		if pause, ok := upstream.RetryAfter(r.Header, time.Now()); ok {
			wait = max(pause.Round(time.Second), time.Second).String()
		}
		return "Wait " + wait + ", then call again, with a smaller limit or a narrower question."
	case r.Status >= http.StatusInternalServerError:
		return "Call again later; if it fails again, tell the user that the resource server fails."
	}
	return "schema with the stream says what it takes; correct the call and try again."
}

// unreachable types the reason why there is no answer.
func (c *Client) unreachable(failed *upstream.Error) *tools.Error {
	e := tools.Errorf(codeUnreachable, "The resource server gave no answer: %s.", failed.Error())
	switch failed.Reason {
	case upstream.TooLarge:
		return e.Try("Ask for less: a smaller limit, fields, or a range.")
	case upstream.NoTLS, upstream.SlowTLS:
		return e.Try("Ask the user whether the address of the resource server begins with http: PDPP_PROVIDER_URL is %s.", c.provider)
	case upstream.TimedOut, upstream.CutOff:
		return e.Try("Call again; if it fails again, ask for less, or tell the user that %s does not answer.", failed.Host)
	}
	return e.Try("Call again later; if it fails again, ask the user whether %s runs and PDPP_PROVIDER_URL is right.", c.provider)
}

// notJSON types a success that cannot be read.
func notJSON(r *upstream.Response) *tools.Error {
	kind := quote(cmp.Or(r.MediaType(), "something without a type"))
	if r.MediaType() == "application/json" {
		kind = "JSON that is cut off or no object"
	}
	return withUpstream(tools.Errorf(tools.CodeProvider, "%s answered with %s, not with a JSON object.", r.URL.Host, kind), r, nil).
		Try("Ask the user to check that PDPP_PROVIDER_URL is the address of a PDPP resource server.")
}

// withUpstream keeps with an error the error of the RS word for word.
func withUpstream(e *tools.Error, r *upstream.Response, raw json.RawMessage) *tools.Error {
	if len(raw) > maxUpstream {
		raw = nil
	}
	return e.Said(encode(struct {
		Error      json.RawMessage `json:"error,omitempty"`
		HTTPStatus int             `json:"http_status"`
		RequestID  *string         `json:"request_id"`
	}{raw, r.Status, requestID(r)}))
}
