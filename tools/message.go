package tools

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
)

// HandleMessage answers one JSON-RPC message: with an mcp.JSONRPCResponse, an
// mcp.JSONRPCError, or nil for a notification.
func (s *Server) HandleMessage(ctx context.Context, message json.RawMessage) any {
	ctx, failed := withFault(s.inSession(ctx))
	answer := s.mcp.HandleMessage(ctx, message)
	if f := failed.Load(); f != nil {
		return f.response(idOf(answer))
	}
	switch answer := answer.(type) {
	case mcp.JSONRPCError:
		return s.reword(answer)
	case mcp.JSONRPCResponse:
		if result, ok := answer.Result.(*mcp.CallToolResult); ok {
			answer.Result = (*callResult)(result)
		}
		return answer
	}
	return answer
}

// A callResult is a CallToolResult that is written without HTML escapes, if its
// writer wants none: mcp-go's own form always has them.
type callResult mcp.CallToolResult

// MarshalJSON writes the members that an answer of ours has.
func (r *callResult) MarshalJSON() ([]byte, error) {
	var meta map[string]any
	if r.Meta != nil {
		meta = r.Meta.AdditionalFields
	}
	if r.ResultType == mcp.ResultTypeInputRequired {
		return orderedjson.Marshal((*mcp.CallToolResult)(r))
	}
	return orderedjson.Marshal(struct {
		Meta       map[string]any  `json:"_meta,omitempty"`
		Content    []mcp.Content   `json:"content"`
		IsError    bool            `json:"isError,omitempty"`
		ResultType mcp.ResultType  `json:"resultType,omitempty"`
		Structured json.RawMessage `json:"structuredContent,omitempty"`
	}{meta, r.Content, r.IsError, r.ResultType, r.RawStructuredContent})
}

// maxProtocolText bounds the texts of mcp-go's own errors, in bytes: some repeat
// what the client sent, whatever its length.
const maxProtocolText = 120

// reword puts those protocol errors of mcp-go that show Go text, or carry the
// wrong code, into words for the client.
func (s *Server) reword(answer mcp.JSONRPCError) mcp.JSONRPCError {
	e := &answer.Error
	unknownMethod, isMethod := strings.CutPrefix(e.Message, "Method ")
	name, unknownTool := strings.CutSuffix(e.Message, "' not found: tool not found")
	method, unparsable := strings.CutPrefix(e.Message, "unparsable ")
	if data, ok := e.Data.(mcp.UnsupportedProtocolVersionData); ok {
		data.Requested = Plain(data.Requested)
		e.Data = data
		e.Message = mcp.UnsupportedProtocolVersionError{Version: data.Requested, Supported: data.Supported}.Error()
		return answer
	}
	switch {
	case unknownTool:
		name = strings.TrimPrefix(name, "tool '")
		e.Message = "Unknown tool " + Quote(name) + "."
		if near := words.Nearest(name, s.names); near != "" {
			e.Message += " Did you mean " + near + "?"
		}
		e.Message += " tools/list names them all."
	case e.Code == mcp.METHOD_NOT_FOUND && isMethod:
		e.Message = "Method " + Plain(strings.TrimSuffix(unknownMethod, " not found")) + " not found"
	case unparsable:
		method, _, _ = strings.Cut(method, " ")
		e.Code, e.Message = mcp.INVALID_PARAMS, "Invalid params of "+method+": a member has the wrong type."
	case strings.HasPrefix(e.Message, string(mcp.MethodSubscriptionsListen)):
		// mcp-go asks for a session, of which this server has no use.
		if e.Code == mcp.INTERNAL_ERROR {
			e.Code, e.Message = mcp.METHOD_NOT_FOUND, "This server sends no notifications to listen for."
		}
	case e.Code == mcp.INTERNAL_ERROR:
		s.log.Error("request failed", "error", e.Message)
		e.Message = "Internal error; the server's log has the reason."
	default:
		e.Message = words.CutBytes(e.Message, maxProtocolText)
	}
	return answer
}
