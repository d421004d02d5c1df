package tools

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// HandleMessage answers one JSON-RPC message: with an mcp.JSONRPCResponse, an
// mcp.JSONRPCError, or nil for a notification.
func (s *Server) HandleMessage(ctx context.Context, message json.RawMessage) any {
	answer := s.mcp.HandleMessage(ctx, message)
	if failed, ok := answer.(mcp.JSONRPCError); ok {
		return s.reword(failed)
	}
	return answer
}

// reword puts those protocol errors of mcp-go that show Go text, or carry the
// wrong code, into words for the client.
func (s *Server) reword(answer mcp.JSONRPCError) mcp.JSONRPCError {
	e := &answer.Error
	name, unknownTool := strings.CutSuffix(e.Message, "' not found: tool not found")
	method, unparsable := strings.CutPrefix(e.Message, "unparsable ")
	switch {
	case unknownTool:
		name = strings.TrimPrefix(name, "tool '")
		e.Message = "Unknown tool " + Quote(name) + "."
		if near := nearest(name, s.names); near != "" {
			e.Message += " Did you mean " + near + "?"
		}
		e.Message += " tools/list names them all."
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
	}
	return answer
}
