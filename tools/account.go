package tools

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools/answer"
)

// currentSettings are those of the moment. What is asked is not ours: it must
// not take a call down.
func (s *Server) currentSettings() (settings *answer.Settings) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("read settings", "panic", p)
		}
		if settings == nil {
			settings = answer.Defaults()
		}
	}()
	if s.settings == nil {
		return nil
	}
	return s.settings()
}

// account puts a call on the record, and its decision into the log.
func (s *Server) account(c Call) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("record call", "tool", c.Tool, "panic", fmt.Sprint(p))
		}
	}()
	if !c.Failed && c.Outcome != OutcomePlain {
		level := slog.LevelInfo
		if c.Original <= c.Bytes { // a page of the size that the settings chose
			level = slog.LevelDebug
		}
		s.log.Log(context.Background(), level, "answer "+string(c.Outcome), "tool", c.Tool, "bytes", c.Bytes, "original", c.Original, "reduction", reduction(c))
	}
	if s.record != nil {
		s.record(c)
	}
}

// reduction is by how much of its size the guard made an answer smaller.
func reduction(c Call) string {
	return fmt.Sprintf("%.1f%%", 100*float64(c.Original-c.Bytes)/float64(max(1, c.Original)))
}

// client is who sends a request with this _meta: the request says so itself in the
// revisions that have no handshake. Its name is "" when it never said.
func (s *Server) client(meta *mcp.Meta) mcp.Implementation {
	client := meta.ClientInfo()
	if client == nil {
		client = s.shookHands.Load()
	}
	if client == nil {
		return mcp.Implementation{}
	}
	return *client
}

// nameOf is a client as the record names it.
func nameOf(client mcp.Implementation) string {
	return Plain(strings.TrimSpace(client.Name + " " + client.Version))
}

// limit is the budget in tokens, 0 for none.
func limit(b answer.Budget) int {
	if b.Off {
		return 0
	}
	return b.Tokens
}

func variant(s *answer.Settings) string {
	switch {
	case s.Variant != "":
		return s.Variant
	case s.Off:
		return "off"
	case s.Shadow:
		return "shadow"
	}
	return "on"
}
