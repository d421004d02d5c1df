package stdio

import (
	"encoding/json"
	"fmt"

	"issues-index/tools/jsonrpc"
)

// forward returns the message for the handler, with a number in place of the client's id:
// mcp-go would round a large one.
func forward(m jsonrpc.Message, number uint64) json.RawMessage {
	out := []byte(`{"jsonrpc":"2.0","method":`)
	method, err := json.Marshal(m.Method)
	if err != nil { // a string always has a JSON form
		method = []byte(`""`)
	}
	out = append(out, method...)
	if m.ID != nil {
		out = fmt.Appendf(out, `,"id":%d`, number)
	}
	if m.Params != nil {
		out = append(append(out, `,"params":`...), m.Params...)
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
