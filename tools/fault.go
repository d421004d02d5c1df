package tools

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A fault is what is wrong with a request that is no call of a tool: such a request is
// answered with a protocol error, and mcp-go lets neither hooks nor handlers choose its code.
type fault struct {
	code  int
	wrong *Error
	uri   string // of the resource, "" for none

	modern bool // the request is of a revision from 2026-07-28 on

	whole *mcp.JSONRPCErrorDetails // in place of what the others say; nil for none
}

type faultKey struct{}

// withFault returns the context of a request, and where to find what was wrong with it in the
// end: nil for nothing.
func withFault(ctx context.Context) (context.Context, *atomic.Pointer[fault]) {
	f := new(atomic.Pointer[fault])
	return context.WithValue(ctx, faultKey{}, f), f
}

// fail answers the request of a context with an error about a resource, or about none where
// the URI is "". The first error of a request stays. It returns the error for handlers to
// return.
func (s *Server) fail(ctx context.Context, uri string, err error) error {
	wrong := ErrorOf(err)
	if wrong.Code == CodeInternal {
		s.log.Error("request failed", "uri", Plain(uri), "error", err)
	}
	if f, _ := ctx.Value(faultKey{}).(*atomic.Pointer[fault]); f != nil {
		f.CompareAndSwap(nil, &fault{code: protocolCode(ctx, wrong.Code), wrong: wrong, uri: uri, modern: mcp.IsModernProtocol(server.RequestProtocolVersion(ctx))})
	}
	return wrong
}

// notThere are the codes of what a client may ask for and does not get.
var notThere = []Code{CodeIssueNotFound, CodeNotFound, CodeFileNotFound, CodeAmbiguousID, CodePermissionDenied, CodePathTraversal}

// protocolCode is the code of JSON-RPC for a failure. A resource that is not found has one of
// its own up to 2025-11-25.
func protocolCode(ctx context.Context, code Code) int {
	switch {
	case slices.Contains(notThere, code) && !mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)):
		return mcp.RESOURCE_NOT_FOUND
	case slices.Contains(notThere, code), code == CodeValidation, code == CodeMissingField:
		return mcp.INVALID_PARAMS
	}
	return mcp.INTERNAL_ERROR
}

// maxFaultText bounds the text of a protocol error with its candidates, in bytes.
const maxFaultText = 2000

// idOf is the id of an answer of mcp-go.
func idOf(answer mcp.JSONRPCMessage) (id mcp.RequestId) {
	switch answer := answer.(type) {
	case mcp.JSONRPCError:
		id = answer.ID
	case mcp.JSONRPCResponse:
		id = answer.ID
	}
	return id
}

// response is the answer to a request with the fault.
func (f *fault) response(id mcp.RequestId) mcp.JSONRPCError {
	if f.whole != nil {
		return mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: *f.whole}
	}
	data := map[string]any{"code": f.wrong.Code}
	if uri, ok := Whole(f.uri); ok && uri != "" {
		data["uri"] = uri
	}
	text := f.wrong.within(func(whole string) bool { return len(whole) <= maxFaultText })
	text = strings.TrimPrefix(text, "Error ["+string(f.wrong.Code)+"]: ")
	return mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: mcp.NewJSONRPCErrorDetails(f.code, text, data)}
}
