package tools

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools/answer"
	"issues-index/tools/auth"
)

// A Call is the record of one call. It holds no argument and no part of a document.
type Call struct {
	Time    time.Time
	Tool    string
	Client  string  // its name and version, "" when it did not say
	Outcome Outcome // of an error: its code
	Failed  bool    // Outcome is an error's code

	Tokens   int // estimated, of the larger channel
	Bytes    int // of the larger channel
	Original int // Bytes without the budget
	Budget   int // tokens that the answer may cost; 0 for no limit
	Items    int
	Latency  time.Duration
	Variant  string // name of the settings, in an experiment

	// Oversized says that the answer was larger than its budget before it was made to
	// fit, Over that it was sent like that.
	Oversized, Over bool

	// Text returns the larger channel, for counting its tokens exactly.
	Text func() string
}

// account records a call, and logs what was done to its answer.
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
		s.log.Log(context.Background(), level, "answer "+string(c.Outcome), "tool", c.Tool, "bytes", c.Bytes, "original",
			c.Original,
			"reduction", fmt.Sprintf("%.1f%%", 100*float64(c.Original-c.Bytes)/float64(max(1, c.Original))))
	}
	if s.record != nil {
		s.record(c)
	}
}

// nameOf returns a client's name and version for the record. Where it had to say who it is, it
// is the name of the subject.
func nameOf(ctx context.Context, client mcp.Implementation) string {
	if subject := auth.PrincipalOf(ctx); subject != nil {
		return Plain(subject.Name)
	}
	return Plain(strings.TrimSpace(client.Name + " " + client.Version))
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
