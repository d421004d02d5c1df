package tools

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A Base is the server below a [Server]: an opening for what no [Tool], [ResourceSet] or
// [Prompt] can express. What is added there goes through the same transports and becomes the
// same faults, but it has no limits and is on no record. It is for the fixtures of package
// conformance alone: what clients are to work with has a type of this package.
type Base struct {
	*server.MCPServer
	server *Server
}

// Notify sends a notification to the client whose request is being answered.
func (Base) Notify(ctx context.Context, method string, params map[string]any) {
	if notify, _ := ctx.Value(notifierKey{}).(Notifier); notify != nil {
		notify(method, params)
	}
}

// Fail answers the request of a context with an error of the protocol, which it returns for
// handlers to return.
func (Base) Fail(ctx context.Context, details mcp.JSONRPCErrorDetails) error {
	if f, _ := ctx.Value(faultKey{}).(*atomic.Pointer[fault]); f != nil {
		f.CompareAndSwap(nil, &fault{code: details.Code, modern: mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)), whole: &details})
	}
	return errors.New(details.Message)
}
