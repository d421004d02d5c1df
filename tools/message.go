package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/store/orderedjson"
)

// A Message is one JSON-RPC message of a client: a request, a notification or a response, and
// nothing in between.
type Message struct {
	ID     json.RawMessage // as it was written; nil for a notification
	Method string          // "" for a response
	Params json.RawMessage // an object, or nil
	Result json.RawMessage // of a response; nil for one that refuses
}

// A ProtocolError is an error of JSON-RPC: of a request that is no call of a tool.
type ProtocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *ProtocolError) Error() string { return e.Message }

// InvalidRequest returns the error of a message that is none.
func InvalidRequest(format string, args ...any) *ProtocolError {
	return &ProtocolError{Code: mcp.INVALID_REQUEST, Message: "Invalid Request: " + fmt.Sprintf(format, args...)}
}

// A Response is the answer to a request.
type Response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // that of the request; null where it cannot be read
	Result  any             `json:"result,omitempty"`
	Error   *ProtocolError  `json:"error,omitempty"` // in place of a result
}

// Refuse returns the response that is an error. Its id is nil where that of the request cannot
// be read.
func Refuse(id json.RawMessage, e *ProtocolError) *Response {
	return &Response{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: e}
}

// Text returns the response as one line of JSON, without its end.
func (r *Response) Text() []byte {
	text, err := orderedjson.Marshal(r)
	if err != nil {
		text, _ = orderedjson.Marshal(Refuse(r.ID, &ProtocolError{
			Code: mcp.INTERNAL_ERROR, Message: "Internal error: the answer has no JSON form.",
		}))
	}
	return text
}

// ParseMessage reads a message. On an error the message has the id to answer to, nil if it
// cannot be read.
func ParseMessage(text []byte) (Message, *ProtocolError) {
	if !json.Valid(text) || !utf8.Valid(text) {
		return Message{}, &ProtocolError{Code: mcp.PARSE_ERROR, Message: "Parse error: the message is not JSON in UTF-8."}
	}
	text = bytes.TrimSpace(text)
	switch text[0] {
	case '{':
	case '[':
		return Message{}, InvalidRequest("batches were removed from MCP in revision 2025-06-18; send each message by itself.")
	default:
		return Message{}, InvalidRequest("a message is a JSON object.")
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
		return Message{}, InvalidRequest("the message cannot be read.")
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
		return m, InvalidRequest("the id is a string or a number.")
	}
	if string(raw.JSONRPC) != `"2.0"` {
		return m, InvalidRequest(`jsonrpc is "2.0".`)
	}
	if json.Unmarshal(raw.Method, &m.Method) != nil || m.Method == "" || response {
		return m, InvalidRequest("a request has a method and neither result nor error.")
	}
	switch {
	case raw.Params == nil, string(raw.Params) == "null":
	case raw.Params[0] == '{':
		m.Params = raw.Params
	default:
		return m, &ProtocolError{Code: mcp.INVALID_PARAMS, Message: "Invalid params: params is an object."}
	}
	return m, nil
}
