package streamable

import (
	"encoding/json"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"issues-index/tools"
	"issues-index/tools/jsonrpc"
)

const tooLong = "A message is at most 5 MiB. Write a long text in parts, with issues_edit."

// acceptable refuses what can be no message, before any of it is read, and reports whether it
// did not.
func acceptable(w http.ResponseWriter, r *http.Request) bool {
	status, text := 0, ""
	switch kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case r.Method == http.MethodHead:
	case r.Method == http.MethodDelete:
		// An end that is granted would have to make the id of the session none of this server.
		w.Header().Set("Allow", http.MethodPost)
		status, text = http.StatusMethodNotAllowed, "There is no session to end here: its id is all there is of it. Close the connection of a request to end that."
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		status, text = http.StatusMethodNotAllowed, "MCP messages are sent here by POST, and this server begins no conversation. Give the address to an MCP client; for the pages, leave out /mcp."
	case err != nil || kind != "application/json":
		status, text = http.StatusUnsupportedMediaType, "A message is JSON. Send it with Content-Type: application/json."
	case r.ContentLength > maxBody:
		status, text = http.StatusRequestEntityTooLarge, tooLong
	}
	if status != 0 {
		refuse(w, status, nil, jsonrpc.Error{Code: mcp.INVALID_REQUEST, Text: text})
	}
	return status == 0
}

// wordsFor returns what to say where mcp-go refuses a request in words that say not what to do.
// It is "" for an answer that comes when its call is over, because the user was slow: that is
// nobody's mistake, and the Go SDK ends a conversation in which an answer was refused.
func wordsFor(r *http.Request, m jsonrpc.Message, status int) string {
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	_, err := parseSession(r.Header.Get(server.HeaderKeySessionID))
	known := err == nil
	switch {
	case status == http.StatusNotFound && !known:
		return server.HeaderKeySessionID + " is of no session of this server. Send initialize again, without that header."
	case version != "" && !mcp.IsValidProtocolVersion(version):
		return mcp.HeaderProtocolVersion + " " + tools.Quote(version) + " is not supported. Send the version that initialize has answered, one of " +
			strings.Join(mcp.LegacyProtocolVersions(), ", ") + "."
	case m.Method == "" && known && ofSession(r):
		return ""
	case m.Method == "":
		return "This answers no question that the server has open. Send the answer with the id of the question and the " + server.HeaderKeySessionID + " of its call."
	}
	return "The request is not one of MCP's. Initialize again."
}

// isExact reports whether mcp-go gives back an id as it is: it takes numbers for floating ones.
func isExact(id json.RawMessage) bool {
	if len(id) == 0 || id[0] == '"' {
		return true
	}
	const largest = 1 << 53
	number, err := strconv.ParseFloat(string(id), 64)
	return err == nil && math.Abs(number) < largest
}

// ofSession reports whether a request is one of a session.
func ofSession(r *http.Request) bool {
	return r.Header.Get(server.HeaderKeySessionID) != "" && !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
}

// later refuses a request that may succeed when it is sent again.
func later(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Retry-After", retryAfter)
	refuse(w, status, nil, jsonrpc.Error{Code: mcp.INVALID_REQUEST, Text: text})
}

// refuse answers with an error in the form of JSON-RPC. Its id is null where there is none.
func refuse(w http.ResponseWriter, status int, id json.RawMessage, problem jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(mcp.JSONRPCError{ // the client may have gone
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id),
		Error: mcp.NewJSONRPCErrorDetails(problem.Code, problem.Text, nil),
	})
}
