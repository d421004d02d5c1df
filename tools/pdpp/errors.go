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
	theirs, raw := readError(bytes.TrimSpace(wellFormed(r.Body)))
	code := tools.CodeProvider
	if plainCode().MatchString(theirs.Code) {
		code = tools.Code(theirs.Code)
	}
	message := cmp.Or(words.CutBytes(strings.TrimRight(tools.Line(theirs.Message), "."), maxMessage),
		"The resource server gave no reason")
	if raw == nil {
		message = r.URL.Host + " answered with no error of the resource server's form"
	}
	remedy := c.remedy(r, theirs)
	if to, own := r.Redirect(); to != nil {
		where := to.Host
		if own {
			where = "another of its pages"
		}
		message = r.URL.Host + " answered with a redirect to " + quote(where) + ", which is not followed"
		remedy = wrongAddress
	}
	e := tools.Errorf(code, "%s (status %d).", message, r.Status).Try("%s", remedy)
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

// wrongAddress is the remedy where what answers is no resource server.
const wrongAddress = "Ask the user to check that PDPP_PROVIDER_URL is the address of a PDPP resource server."

// readError reads the error in a body and returns its JSON, too, nil when there is none.
// OAuth servers answer with a code and a description, gateways with an object that is
// itself the error.
func readError(body []byte) (theirs apiError, raw json.RawMessage) {
	var wrapped struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
	}
	read(body, &wrapped)
	raw = body
	if members(wrapped.Error) != nil {
		raw = wrapped.Error
	}
	read(raw, &theirs)
	if code, ok := textOf(wrapped.Error); ok {
		theirs.Code, theirs.Message = code, cmp.Or(wrapped.Description, theirs.Message, code)
	}
	if theirs.Code == "" && theirs.Message == "" {
		return apiError{}, nil
	}
	return theirs, raw
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
	"field_not_granted": "The grant does not cover this field. schema with this stream names the fields that " +
		"it covers.",
	"context.field_not_granted": "The grant does not cover this field. schema with this stream names the fields that " +
		"it covers.",
	"query_not_found": "These words are not in the field: pass other ones as q, or read it from its " +
		"beginning with offset_chars 0.",
	"invalid_cursor": "Pass a next_cursor as it was given, with the other arguments it came from, or " +
		"start again without a cursor.",
	"cursor_expired":          "Start again without a cursor or with changes_since beginning.",
	"field_not_text":          "fetch without field reads the record as it is.",
	"unknown_field":           "schema with this stream names its fields.",
	"invalid_expand":          "schema with this stream names its relations (expand_capabilities).",
	"invalid_state":           notActive,
	"subscription_not_active": notActive,
	"blob_not_found":          "Take a blob_id from a record that query_records or fetch has read.",
}

const notActive = "get_event_subscription tells its status; update_event_subscription with enabled: true brings it " +
	"back."

const seeStreams = "list_streams names the streams and connections of the grant."

// byStatus says what to do about an error whose code does not tell.
var byStatus = map[int]string{
	http.StatusUnauthorized:                 "The resource server did not take the token. {connect}",
	http.StatusForbidden:                    "The grant does not allow it. " + seeStreams,
	http.StatusNotFound:                     "search and query_records find ids, list_streams names the streams.",
	http.StatusRequestedRangeNotSatisfiable: "The range begins after the end: an answer without a range tells the size.",
}

// withClientToken is what a token of a grant may always use.
const withClientToken = "fields, limit, cursor, order, sort, count, changes_since and connection_id, aggregate " +
	"with group_by, and search"

// remedy says what to do about an error.
func (c *Client) remedy(r *upstream.Response, theirs apiError) string {
	connect := fmt.Sprintf("Ask the user to run `pdpp connect %s`, then call again: no restart is needed.", c.provider)
	known := cmp.Or(remedies[theirs.Code], byStatus[r.Status])
	switch {
	case theirs.Code == "" && r.Status == http.StatusNotFound: // an answer without a code is hardly the RS's own
		return wrongAddress
	case len(theirs.Available) > 0:
		return "Call again with one of these as " + shown(cmp.Or(theirs.RetryWith, "connection_id")) + ":"
	case theirs.RetryWith != "":
		return "Call again with " + shown(theirs.RetryWith) + "; list_streams has the values."
	case theirs.Code == "not_found" && strings.Contains(r.URL.Path, subscriptionsPath):
		return "list_event_subscriptions names those of this grant; a deleted one is gone."
	case theirs.Code == "invalid_request" && strings.Contains(r.URL.Path, subscriptionsPath):
		return "discover_event_subscription_capabilities tells the rules for callback_url."
	case theirs.Code == "invalid_request" && strings.Contains(strings.ToLower(theirs.Message), "client"):
		return "This token may use " + withClientToken + "."
	case known != "":
		return strings.Replace(known, "{connect}", connect, 1)
	case r.Status == http.StatusTooManyRequests:
		wait := cmp.Or(upstream.PauseText(r.Header, time.Now()), "a while")
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
		return e.Try("Ask the user whether the address of the resource server begins with http: PDPP_PROVIDER_URL is "+
			"%s.", c.provider)
	}
	return e.Try("Call again later; if it fails again, ask the user whether %s runs and PDPP_PROVIDER_URL is right.",
		c.provider)
}

// notJSON types a success that cannot be read.
func notJSON(r *upstream.Response) *tools.Error {
	kind := quote(cmp.Or(r.MediaType(), "something without a type"))
	if r.MediaType() == "application/json" {
		kind = "JSON that is cut off or no object"
	}
	return withUpstream(tools.Errorf(tools.CodeProvider, "%s answered with %s, not with a JSON object.", r.URL.Host,
		kind), r, nil).
		Try(wrongAddress)
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
