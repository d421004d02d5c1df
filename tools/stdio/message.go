package stdio

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// A message is one JSON-RPC message from the client.
type message struct {
	id     json.RawMessage // as it was written, nil for a notification
	method string          // "" for a response
	params json.RawMessage // an object, or nil
	result json.RawMessage // of a response, nil for one that refuses
}

// rpcError is a JSON-RPC error without its id.
type rpcError struct {
	code int
	text string
}

func invalid(format string, args ...any) *rpcError {
	return &rpcError{mcp.INVALID_REQUEST, "Invalid Request: " + fmt.Sprintf(format, args...)}
}

// parse reads a line. On an error the message has the id to answer to, nil if it cannot
// be read.
func parse(line []byte) (message, *rpcError) {
	var whole json.RawMessage
	if json.Unmarshal(line, &whole) != nil || !utf8.Valid(line) {
		return message{}, &rpcError{mcp.PARSE_ERROR, "Parse error: the line is not JSON in UTF-8."}
	}
	switch whole[0] {
	case '{':
	case '[':
		return message{}, invalid("batches were removed from MCP in revision 2025-06-18; send one message a line.")
	default:
		return message{}, invalid("a message is a JSON object.")
	}
	var raw struct {
		JSONRPC json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(whole, &raw); err != nil {
		return message{}, invalid("the message cannot be read.")
	}
	response := raw.Result != nil || raw.Error != nil
	if raw.Method == nil && response {
		if raw.Error != nil {
			raw.Result = nil
		}
		return message{id: raw.ID, result: raw.Result}, nil
	}
	var m message
	switch {
	case raw.ID == nil:
	case raw.ID[0] == '"', raw.ID[0] == '-', raw.ID[0] >= '0' && raw.ID[0] <= '9':
		m.id = raw.ID
	default:
		return m, invalid("the id is a string or a number.")
	}
	if string(raw.JSONRPC) != `"2.0"` {
		return m, invalid(`jsonrpc is "2.0".`)
	}
	if json.Unmarshal(raw.Method, &m.method) != nil || m.method == "" || response {
		return m, invalid("a request has a method and neither result nor error.")
	}
	switch {
	case raw.Params == nil, string(raw.Params) == "null":
	case raw.Params[0] == '{':
		m.params = raw.Params
	default:
		return m, &rpcError{mcp.INVALID_PARAMS, "Invalid params: params is an object."}
	}
	return m, nil
}

// forward returns the message for the handler, with a number in place of the client's id:
// mcp-go would round a large one.
func (m message) forward(number uint64) json.RawMessage {
	out := []byte(`{"jsonrpc":"2.0","method":`)
	method, err := json.Marshal(m.method)
	if err != nil { // a string always has a JSON form
		method = []byte(`""`)
	}
	out = append(out, method...)
	if m.id != nil {
		out = fmt.Appendf(out, `,"id":%d`, number)
	}
	if m.params != nil {
		out = append(append(out, `,"params":`...), m.params...)
	}
	return append(out, '}')
}

// idKey returns a normal form of an id: a string may be escaped in several ways.
func idKey(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return `"` + text
	}
	return string(id)
}
