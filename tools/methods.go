package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// A request is one request or notification.
type request struct {
	conn   Conn
	id     json.RawMessage // as the client has written it; nil for a notification
	method string
	params json.RawMessage
	meta   *mcp.Meta
	modern bool // it is of revision 2026-07-28 or later: it says itself who sends it
}

// read reads the parameters.
func (r *request) read(into any) error {
	if r.params == nil || json.Unmarshal(r.params, into) == nil {
		return nil
	}
	return &ProtocolError{
		Code: mcp.INVALID_PARAMS, Message: "Invalid params of " + Plain(r.method) + ": a member has the wrong type.",
	}
}

// An era is the revisions that have a method.
type era int

const (
	always era = iota
	legacy     // up to 2025-11-25
	modern     // from 2026-07-28 on
)

// A method is how the requests of one method are answered.
type method struct {
	answer func(ctx context.Context, r *request) (any, error)
	era    era
}

// methods are those of a server with such a configuration.
func (s *Server) methods(c Config) map[string]method {
	table := map[string]method{
		string(mcp.MethodInitialize):              {s.initialize, legacy},
		string(mcp.MethodPing):                    {s.ping, legacy},
		string(mcp.MethodServerDiscover):          {s.discover, modern},
		string(mcp.MethodToolsList):               {s.listTools, always},
		string(mcp.MethodToolsCall):               {s.callTool, always},
		string(mcp.MethodSubscriptionsListen):     {s.listen, modern},
		string(mcp.MethodNotificationInitialized): {s.rootsChanged, always},
		mcp.MethodNotificationRootsListChanged:    {s.rootsChanged, always},
	}
	if c.Resources != nil {
		table[string(mcp.MethodResourcesList)] = method{s.listResources, always}
		table[string(mcp.MethodResourcesTemplatesList)] = method{s.listTemplates, always}
		table[string(mcp.MethodResourcesRead)] = method{s.readResource, always}
		table[string(mcp.MethodResourcesSubscribe)] = method{s.subscribe, legacy}
		table[string(mcp.MethodResourcesUnsubscribe)] = method{s.unsubscribe, legacy}
	}
	if len(c.Prompts) > 0 {
		table[string(mcp.MethodPromptsList)] = method{s.listPrompts, always}
		table[string(mcp.MethodPromptsGet)] = method{s.getPrompt, always}
	}
	if c.Resources != nil || len(c.Prompts) > 0 {
		table[string(mcp.MethodCompletionComplete)] = method{s.complete, always}
	}
	return table
}

// Handle answers one request of a client. For a notification it returns nil.
func (s *Server) Handle(ctx context.Context, conn Conn, m Message) *Response {
	r := &request{conn: conn, id: m.ID, method: m.Method, params: m.Params}
	result, err := s.answer(ctx, r)
	switch {
	case m.ID == nil:
		return nil
	case err != nil:
		return Refuse(m.ID, s.fault(r, "", err))
	}
	if r.modern {
		s.sign(result)
	}
	return &Response{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Result: result}
}

// answer finds the method of a request and the revision, and answers.
func (s *Server) answer(ctx context.Context, r *request) (result any, err error) {
	defer s.recovered("answer "+Plain(r.method), &err)
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if err := r.read(&p); err != nil {
		return nil, err
	}
	r.meta = p.Meta
	version := p.Meta.ProtocolVersion()
	if r.modern = mcp.IsModernProtocol(version); r.modern {
		if p.Meta.ClientCapabilities() == nil {
			return nil, &ProtocolError{
				Code: mcp.INVALID_PARAMS, Message: "missing or invalid _meta field " + mcp.MetaKeyClientCapabilities,
			}
		}
		if !mcp.IsValidProtocolVersion(version) {
			unknown := mcp.UnsupportedProtocolVersionError{Version: Plain(version), Supported: mcp.ValidProtocolVersions}
			details := unknown.JSONRPCError().Error
			return nil, &ProtocolError{Code: details.Code, Message: details.Message, Data: details.Data}
		}
	}
	m, known := s.table[r.method]
	known = known && (r.id == nil) == strings.HasPrefix(r.method, "notifications/")
	var wrong string
	switch {
	case !known:
		wrong = "Method " + Plain(r.method) + " not found"
	case m.era == legacy && r.modern:
		wrong = fmt.Sprintf("%q was removed in protocol version %s", r.method, mcp.ProtocolVersion20260728)
	case m.era == modern && !r.modern:
		wrong = fmt.Sprintf("%q requires protocol version %s or later", r.method, mcp.ProtocolVersion20260728)
	default:
		return m.answer(ctx, r)
	}
	return nil, &ProtocolError{Code: mcp.METHOD_NOT_FOUND, Message: wrong}
}

// sign puts into a result what revision 2026-07-28 requires of each.
func (s *Server) sign(result any) {
	if call, ok := result.(*callResult); ok {
		call.sign(s.self)
		return
	}
	if r, ok := result.(mcp.ResultMetadata); ok {
		r.SetResultType(mcp.ResultTypeComplete)
		r.EnsureResultMeta().SetServerInfo(s.self)
	}
	if r, ok := result.(mcp.CacheHintSetter); ok {
		r.SetCacheHints(0, mcp.CacheScopePrivate)
	}
}

// recovered makes an error of a panic.
func (s *Server) recovered(doing string, err *error) {
	if p := recover(); p != nil {
		s.log.Error("panicked", "doing", doing, "panic", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: panic: %v", doing, p)
	}
}
