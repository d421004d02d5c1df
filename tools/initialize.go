package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// initialize answers the handshake of revisions up to 2025-11-25.
func (s *Server) initialize(_ context.Context, r *request) (any, error) {
	var p mcp.InitializeParams
	if err := r.read(&p); err != nil {
		return nil, err
	}
	client := r.conn.Client()
	client.introduce(p)
	return &mcp.InitializeResult{
		ProtocolVersion: mcp.NegotiateLegacyVersion(p.ProtocolVersion),
		Capabilities:    s.capabilities(client.Notify != nil || client.Shared),
		ServerInfo:      s.self, Instructions: s.instructions,
	}, nil
}

// discover says the same to a client of 2026-07-28, which has no handshake.
func (s *Server) discover(context.Context, *request) (any, error) {
	return &mcp.DiscoverResult{
		SupportedVersions: mcp.ValidProtocolVersions, Capabilities: s.capabilities(true), Instructions: s.instructions,
	}, nil
}

// capabilities are what the server offers. subscribe says that the client can be told of changes.
func (s *Server) capabilities(subscribe bool) (c mcp.ServerCapabilities) {
	type listChanged = struct {
		ListChanged bool `json:"listChanged,omitempty"`
	}
	c.Tools = &listChanged{}
	if s.resources != nil {
		c.Resources = &struct {
			Subscribe   bool `json:"subscribe,omitempty"`
			ListChanged bool `json:"listChanged,omitempty"`
		}{Subscribe: subscribe}
	}
	if len(s.prompts) > 0 {
		c.Prompts = &listChanged{}
	}
	if s.resources != nil || len(s.prompts) > 0 {
		c.Completions = &struct{}{}
	}
	return c
}

func (s *Server) ping(context.Context, *request) (any, error) { return struct{}{}, nil }
