package tools

import (
	"errors"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxFaultText bounds the text of a protocol error with its candidates, in bytes.
const maxFaultText = 2000

// notThere are the codes of what a client may ask for and does not get.
var notThere = []Code{
	CodeIssueNotFound, CodeNotFound, CodeFileNotFound, CodeAmbiguousID, CodePermissionDenied, CodePathTraversal,
}

// fault returns the protocol error for what is wrong with a request that is no call of a tool. The
// URI is that of the resource that the request is about, "" for none.
func (s *Server) fault(r *request, uri string, err error) *ProtocolError {
	if e := (*ProtocolError)(nil); errors.As(err, &e) {
		return e
	}
	wrong := ErrorOf(err)
	e := &ProtocolError{Code: mcp.INTERNAL_ERROR}
	switch {
	case slices.Contains(notThere, wrong.Code) && !r.modern:
		e.Code = mcp.RESOURCE_NOT_FOUND
	case slices.Contains(notThere, wrong.Code), wrong.Code == CodeValidation, wrong.Code == CodeMissingField:
		e.Code = mcp.INVALID_PARAMS
	case wrong.Code == CodeInternal:
		s.log.Error("request failed", "method", Plain(r.method), "uri", Plain(uri), "error", err)
	}
	text := wrong.within(func(whole string) bool { return len(whole) <= maxFaultText })
	e.Message = strings.TrimPrefix(text, "Error ["+string(wrong.Code)+"]: ")
	data := map[string]any{"code": wrong.Code}
	if uri, ok := Whole(uri); ok && uri != "" {
		data["uri"] = uri
	}
	e.Data = data
	return e
}
