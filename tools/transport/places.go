package transport

import (
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools"
	"issues-index/tools/auth"
)

// scopeOf returns the scope that a message needs which calls a tool, "" for any other.
func (h *Endpoint) scopeOf(m tools.Message) auth.Scope {
	if m.Method != string(mcp.MethodToolsCall) {
		return ""
	}
	var call struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(m.Params, &call) // the server says what is wrong with it
	return h.scope(call.Name)
}

// place takes a place for a message, if there is one, and returns how to leave it. What asks for
// no answer, as a user's answer to a question, needs none: its sender could not send it again.
func (h *Endpoint) place(m tools.Message, needs auth.Scope) (leave func(), ok bool) {
	if m.ID == nil || m.Method == "" {
		return func() {}, true
	}
	places := []chan struct{}{h.free}
	if needs != "" && needs != auth.Read {
		places = append(places, h.writes)
	}
	taken := 0
	leave = sync.OnceFunc(func() {
		for _, place := range places[:taken] {
			<-place
		}
	})
	for _, place := range places {
		select {
		case place <- struct{}{}:
			taken++
		default:
			leave()
			return nil, false
		}
	}
	return leave, true
}
