// Package jsonrpc reads single JSON-RPC messages for both transports, and says what is wrong
// with them in the same words.
//
// It knows nothing about transports, sessions or MCP's methods. A message that it returns
// without an error is a request, a notification or a response, and nothing in between.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Message is one JSON-RPC message from the client.
type Message struct {
	ID     json.RawMessage // as it was written, nil for a notification
	Method string          // "" for a response
	Params json.RawMessage // an object, or nil
	Result json.RawMessage // of a response, nil for one that refuses
}

// An Error is a JSON-RPC error without its id.
type Error struct {
	Code int
	Text string
}

// Invalid returns the error of a message that is none.
func Invalid(format string, args ...any) *Error {
	return &Error{mcp.INVALID_REQUEST, "Invalid Request: " + fmt.Sprintf(format, args...)}
}

// Parse reads a message. On an error the message has the id to answer to, nil if it cannot
// be read.
func Parse(text []byte) (Message, *Error) {
	if !json.Valid(text) || !utf8.Valid(text) {
		return Message{}, &Error{mcp.PARSE_ERROR, "Parse error: the message is not JSON in UTF-8."}
	}
	text = bytes.TrimSpace(text)
	switch text[0] {
	case '{':
	case '[':
		return Message{}, Invalid("batches were removed from MCP in revision 2025-06-18; send each message by itself.")
	default:
		return Message{}, Invalid("a message is a JSON object.")
	}
	var raw struct {
		JSONRPC json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return Message{}, Invalid("the message cannot be read.")
	}
	response := raw.Result != nil || raw.Error != nil
	if raw.Method == nil && response {
		if raw.Error != nil {
			raw.Result = nil
		}
		return Message{ID: raw.ID, Result: raw.Result}, nil
	}
	var m Message
	switch {
	case raw.ID == nil:
	case raw.ID[0] == '"', raw.ID[0] == '-', raw.ID[0] >= '0' && raw.ID[0] <= '9':
		m.ID = raw.ID
	default:
		return m, Invalid("the id is a string or a number.")
	}
	if string(raw.JSONRPC) != `"2.0"` {
		return m, Invalid(`jsonrpc is "2.0".`)
	}
	if json.Unmarshal(raw.Method, &m.Method) != nil || m.Method == "" || response {
		return m, Invalid("a request has a method and neither result nor error.")
	}
	switch {
	case raw.Params == nil, string(raw.Params) == "null":
	case raw.Params[0] == '{':
		m.Params = raw.Params
	default:
		return m, &Error{mcp.INVALID_PARAMS, "Invalid params: params is an object."}
	}
	return m, nil
}
