package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// outputFor is the form of a tool's answers to a client.
func (s *Server) outputFor(client mcp.Implementation, t Tool) Output {
	if s.output != OutputAuto {
		return s.output
	}
	// What was listed with an output schema has to be answered with structured content:
	// clients hold answers to the schema.
	if t.NeedsObject || s.sentSchemas.Load() {
		return OutputBoth
	}
	return ProfileOf(client.Name).Output
}

// fitSchemas takes the output schemas out of a list of tools for a client that is
// answered without structured content.
func (s *Server) fitSchemas(sets []Toolset) server.OnAfterListToolsFunc {
	byName := make(map[string]Tool)
	for _, set := range sets {
		for _, t := range set.Tools {
			byName[t.Name] = t
		}
	}
	return func(_ context.Context, _ any, request *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		client := s.client(request.Params.Meta)
		s.sentSchemas.Store(client.Name == "")
		for i, definition := range result.Tools {
			if s.outputFor(client, byName[definition.Name]) == OutputText {
				result.Tools[i].RawOutputSchema = nil
			}
		}
	}
}
