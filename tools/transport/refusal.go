package transport

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools"
)

const tooLong = "A message is at most 5 MiB. Write a long text in parts, with issues_edit."

// checkRequest refuses a request that cannot be a message, before any of it is read. It returns false
// then.
func checkRequest(w *httpConn, r *http.Request) bool {
	status, text := 0, ""
	switch kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case r.Method == http.MethodDelete:
		// An end that is granted would have to make the id of the session none of this server.
		w.Header().Set("Allow", http.MethodPost)
		status, text = http.StatusMethodNotAllowed, "There is no session to end here: its id is all there is of it. "+
			"Close the connection of a request to end that."
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		status, text = http.StatusMethodNotAllowed, "MCP messages are sent here by POST, and this server begins no "+
			"conversation. Give the address to an MCP client; for the pages, leave out /mcp."
	case err != nil || kind != "application/json":
		status, text = http.StatusUnsupportedMediaType, "A message is JSON. Send it with Content-Type: application/json."
	case r.ContentLength > maxBody:
		status, text = http.StatusRequestEntityTooLarge, tooLong
	}
	if status != 0 {
		refuse(w, status, nil, text)
	}
	return status == 0
}

// checkRevision returns what is wrong with the headers that name a revision and a session, nil for
// nothing. From 2026-07-28 on they repeat what is in the message.
func checkRevision(r *http.Request, m tools.Message, revision string) (status int, wrong *tools.ProtocolError) {
	header := r.Header.Get(mcp.HeaderProtocolVersion)
	if mcp.IsModernProtocol(header) || mcp.IsModernProtocol(revision) {
		return http.StatusBadRequest, checkModern(r.Header, header, m, revision)
	}
	if m.Method == string(mcp.MethodInitialize) {
		return 0, nil
	}
	id := r.Header.Get(mcp.HeaderSessionID)
	if _, ok := clientOf(id); id != "" && !ok {
		return http.StatusNotFound, invalid(mcp.HeaderSessionID +
			" is of no session of this server. Send initialize again, without that header.")
	}
	if header != "" && !mcp.IsValidProtocolVersion(header) {
		return http.StatusBadRequest, invalid(mcp.HeaderProtocolVersion + " " + tools.Quote(header) +
			" is not supported. Send the version that initialize has answered, one of " +
			strings.Join(mcp.LegacyProtocolVersions(), ", ") + ".")
	}
	return 0, nil
}

func checkModern(h http.Header, header string, m tools.Message, revision string) *tools.ProtocolError {
	mismatch := func(text string) *tools.ProtocolError {
		return &tools.ProtocolError{Code: mcp.HEADER_MISMATCH, Message: text}
	}
	switch {
	case m.Method == "":
		return invalid("From 2026-07-28 on, the server asks nothing that is answered by a message of its own. " +
			"Make the call again, with inputResponses.")
	case h.Get(mcp.HeaderLastEventID) != "":
		return mismatch(mcp.HeaderLastEventID + " is not supported: streams are not resumed. " +
			"Send the request again, with another id.")
	case header == "":
		return mismatch("The header " + mcp.HeaderProtocolVersion + " is missing. " +
			"It repeats " + mcp.MetaKeyProtocolVersion + ".")
	case revision == "":
		return &tools.ProtocolError{
			Code: mcp.INVALID_PARAMS, Message: "missing or invalid _meta field " + mcp.MetaKeyProtocolVersion,
		}
	case header != revision:
		return mismatch("The header " + mcp.HeaderProtocolVersion + " is " + tools.Quote(header) +
			", and " + mcp.MetaKeyProtocolVersion + " is " + tools.Quote(revision) + ".")
	case m.ID == nil, !mcp.IsValidProtocolVersion(revision): // of which the handler says more
		return nil
	}
	if err := mcp.ValidateStandardHeaders(h.Get, revision, mcp.MCPMethod(m.Method), m.Params); err != nil {
		return mismatch(tools.Plain(err.Error()))
	}
	return nil
}

// revisionOf returns the revision that a message names, "" for none.
func revisionOf(m tools.Message) string {
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p) // the handler says what is wrong with it
	return p.Meta.ProtocolVersion()
}

// statusOf returns the status of an answer: from 2026-07-28 on, a wrong request is one of HTTP, too.
func statusOf(revision string, answer *tools.Response) int {
	if answer.Error == nil || !mcp.IsModernProtocol(revision) || answer.Error.Code == mcp.INTERNAL_ERROR {
		return http.StatusOK
	}
	if answer.Error.Code == mcp.METHOD_NOT_FOUND {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

func invalid(text string) *tools.ProtocolError {
	return &tools.ProtocolError{Code: mcp.INVALID_REQUEST, Message: text}
}

// refuseForNow refuses a request that may succeed when it is sent again.
func refuseForNow(w *httpConn, status int, text string) {
	w.Header().Set("Retry-After", retryAfter)
	refuse(w, status, nil, text)
}

// refuse answers with an error in the form of JSON-RPC. Its id is nil where there is none.
func refuse(w *httpConn, status int, id json.RawMessage, text string) {
	w.answer(status, tools.Refuse(id, invalid(text)))
}
