package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools/guard"
)

// maxTokensArgument is what a call may cost, where a tool's input has it. The
// server reads it, for it has the limits that it is held to.
const maxTokensArgument = "maxTokens"

// An exchange is one call on its way: it has the settings that held when it
// began until it is on the record.
type exchange struct {
	*Server
	tool     Tool
	raw      json.RawMessage
	settings *guard.Settings
}

// A reply is an answer that is made: what is sent, and what it costs.
type reply struct {
	channels
	size    guard.Size // of the larger channel
	budget  guard.Budget
	outcome Outcome
	whole   int // bytes of the larger channel, had there been no budget
	items   int

	err *Error // in place of an answer; its text is the text channel
}

// call answers one call of a tool and never fails.
func (s *Server) call(ctx context.Context, t Tool, request mcp.CallToolRequest) *mcp.CallToolResult {
	began := time.Now()
	x := &exchange{Server: s, tool: t, raw: request.Params.RawArguments, settings: s.currentSettings()}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r := x.reply(ctx)
	s.account(Call{
		Time: began, Tool: t.Name, Client: s.clientOf(request), Latency: time.Since(began),
		Outcome: r.outcome, Failed: r.err != nil,
		Tokens: r.size.Tokens(), Bytes: r.size.Bytes, Original: max(r.whole, r.size.Bytes),
		Budget: limit(r.budget), Over: r.over(), Items: r.items,
		Variant: variant(x.settings), Text: r.larger,
	})
	return r.result()
}

// reply runs the tool and makes its answer fit.
func (x *exchange) reply(ctx context.Context) (r reply) {
	defer func() {
		if p := recover(); p != nil {
			x.log.Error("tool panicked", "tool", x.tool.Name, "panic", p, "stack", string(debug.Stack()))
			r = x.refuse(internal(), x.settings.Budget(x.tool.Name, 0))
		}
	}()
	args := NewArgs(x.tool, x.raw)
	args.call.settings = x.settings
	asked := 0
	if slices.Contains(args.known, maxTokensArgument) {
		asked = args.Int(maxTokensArgument, 1, x.settings.MaxTokens, 0)
	}
	budget := x.settings.Budget(x.tool.Name, asked)
	args.call.budget = budget
	args.call.fits = func(result Result) bool {
		c, err := x.render(result, args.note())
		return err != nil || c.fit(budget)
	}

	result, err := Result{}, args.Err()
	if err == nil {
		result, err = x.tool.Handle(ctx, args)
	}
	if err == nil {
		r, err = x.bound(result, args.note(), budget)
	}
	if err == nil {
		return r
	}
	e := ErrorOf(err)
	if e.Code == CodeInternal {
		x.log.Error("tool failed", "tool", x.tool.Name, "error", err)
	}
	return x.refuse(e, budget)
}

// bound writes an answer out and measures it.
func (x *exchange) bound(result Result, note string, budget guard.Budget) (reply, error) {
	c, err := x.render(result, note)
	if err != nil {
		return reply{}, err
	}
	r := reply{channels: c, size: c.size(), budget: budget, outcome: result.Outcome, whole: result.Original, items: result.Items}
	if r.outcome == "" {
		r.outcome = OutcomePlain
	}
	return r, nil
}

// refuse makes the reply that is an error.
func (x *exchange) refuse(e *Error, budget guard.Budget) reply {
	c := channels{text: e.within(budget.Holds)}
	return reply{channels: c, size: c.size(), budget: budget, outcome: Outcome(e.Code), err: e}
}

// over reports whether the reply is larger than its budget, or would be than
// the one it had with the guard on.
func (r reply) over() bool {
	limit := r.budget
	limit.Off = false
	return !limit.Fits(r.size)
}

// result writes the reply as MCP has it. The figures of its cost are in every
// success, so that a small one is the same whether the guard is on or off.
func (r reply) result() *mcp.CallToolResult {
	if r.err != nil {
		return failure(r.err, r.text)
	}
	tokens := r.size.Tokens()
	used := math.Round(float64(tokens)/float64(max(r.budget.Tokens, 1))*1000) / 1000
	return &mcp.CallToolResult{
		Result: mcp.Result{Meta: &mcp.Meta{AdditionalFields: map[string]any{
			"estimatedTokens": tokens,
			"budgetUsed":      used,
			"budgetRemaining": max(0, r.budget.Tokens-tokens),
		}}},
		Content:              []mcp.Content{mcp.NewTextContent(r.text)},
		RawStructuredContent: r.object,
	}
}

// currentSettings are those of the moment. What is asked is not ours: it must
// not take a call down.
func (s *Server) currentSettings() (settings *guard.Settings) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("read settings", "panic", p)
		}
		if settings == nil {
			settings = guard.Defaults()
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
	switch c.Outcome {
	case OutcomePaginated, OutcomeSummarized, OutcomeChunked:
		s.log.Info("answer "+string(c.Outcome), "tool", c.Tool, "bytes", c.Bytes, "original", c.Original)
	}
	if s.record != nil {
		s.record(c)
	}
}

// clientOf names who calls: the request says so itself in the revisions that
// have no handshake.
func (s *Server) clientOf(request mcp.CallToolRequest) string {
	client := request.Params.Meta.ClientInfo()
	if client == nil {
		client = s.client.Load()
	}
	if client == nil {
		return ""
	}
	return Plain(strings.TrimSpace(client.Name + " " + client.Version))
}

// limit is the budget in tokens, 0 for none.
func limit(b guard.Budget) int {
	if b.Off {
		return 0
	}
	return b.Tokens
}

func variant(s *guard.Settings) string {
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
