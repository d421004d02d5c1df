package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools/answer"
)

// maxTokensArgument is what a call may cost, where a tool's input has it. The
// server reads it, for it has the limits that it is held to.
const maxTokensArgument = "maxTokens"

// A toolCall is a call that is being answered. It has the settings that held when it
// began until it is on the record.
type toolCall struct {
	*Server
	tool     Tool
	raw      json.RawMessage
	settings *answer.Settings
	output   Output
	bytes    int                                   // that the client shows whole, 0 for no limit of its own
	open     bool                                  // answered as without a guard, for now
	progress func(done, total int, message string) // nil where the client does not want it
}

// A reply is an answer that is made: what is sent, and what it costs.
type reply struct {
	measured
	budget  answer.Budget
	outcome Outcome
	whole   int // bytes of the larger channel, had there been no budget; 0 when that made no difference
	items   int
	mark    answer.Mark // of the text
	hint    string      // how to get what is cut from it

	err *Error // in place of an answer; its text is the text channel
}

// call answers one call of a tool and never fails.
func (s *Server) call(ctx context.Context, t Tool, request mcp.CallToolRequest) *mcp.CallToolResult {
	began := time.Now()
	settings := s.currentSettings()
	client := s.client(request.Params.Meta)
	x := &toolCall{Server: s, tool: t, raw: request.Params.RawArguments, settings: settings, output: s.outputFor(client, t), progress: progressOf(ctx, request)}
	if !settings.ExplicitBytes {
		x.bytes = ProfileOf(client.Name).Bytes
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	sent, r := x.answer(ctx)
	s.account(Call{
		Time: began, Tool: t.Name, Client: nameOf(client), Latency: time.Since(began),
		Outcome: r.outcome, Failed: r.err != nil,
		Tokens: r.size().Tokens(), Bytes: r.size().Bytes, Original: max(r.whole, r.size().Bytes),
		Budget: limit(r.budget), Over: sent.over(), Oversized: r.whole > 0 || sent.over(), Items: r.items,
		Variant: variant(x.settings), Text: r.larger,
	})
	return sent.result(x.output)
}

// answer returns what is sent and what goes on the record: the same, but in an
// experiment that sends what the guard would have cut. A tool that writes is not
// run twice for that.
func (x *toolCall) answer(ctx context.Context) (sent, recorded reply) {
	if !x.settings.Shadow || x.settings.Off {
		r := x.reply(ctx)
		return r, r
	}
	x.open = true
	sent = x.reply(ctx)
	x.open = false
	if sent.err != nil || !sent.over() {
		return sent, sent
	}
	recorded = sent
	if x.tool.ReadOnly {
		recorded = x.reply(ctx)
	}
	if recorded.err != nil {
		recorded = sent
	}
	recorded = x.cut(recorded)
	recorded.whole = sent.size().Bytes
	return sent, recorded
}

// reply runs the tool and makes its answer fit.
func (x *toolCall) reply(ctx context.Context) (r reply) {
	defer func() {
		if p := recover(); p != nil {
			x.log.Error("tool panicked", "tool", x.tool.Name, "panic", p, "stack", string(debug.Stack()))
			r = x.refuse(ErrorOf(fmt.Errorf("panic: %v", p)), x.budget(0))
		}
	}()
	args := newArgs(x.tool, x.raw, x.arguments)
	args.call.settings, args.call.progress = x.settings, x.progress
	asked := 0
	if slices.Contains(args.known, maxTokensArgument) {
		asked = args.AtMost(maxTokensArgument, x.settings.MaxTokens, 0)
	}
	budget := x.budget(asked)
	args.call.budget = budget
	args.call.budget.Off = budget.Off || x.open
	args.call.output = x.output

	// The handler runs although an argument is refused already: it reads the others, so
	// that all that is wrong is told at once, and acts on none of them.
	result, err := x.tool.Handle(ctx, args)
	if wrong := args.Err(); wrong != nil {
		err = wrong
	}
	if err == nil {
		r, err = x.bound(&result, args.remarks(), budget)
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

// budget is what the call may cost. What the client would cut is not sent, however
// much the call asks for.
func (x *toolCall) budget(maxTokens int) answer.Budget {
	b := x.settings.Budget(x.tool.Name, maxTokens)
	if x.bytes > 0 {
		b.Bytes = min(b.Bytes, x.bytes)
	}
	return b
}

// bound writes an answer out, measures it, and cuts what its tool left too large.
func (x *toolCall) bound(result *Result, said remarks, budget answer.Budget) (reply, error) {
	c, err := x.output.render(result, said)
	if err != nil {
		return reply{}, err
	}
	r := reply{measured: c.measure(), budget: budget, outcome: result.Outcome, whole: result.Original, items: result.Items, mark: result.Mark, hint: result.Hint}
	if r.outcome == "" {
		r.outcome = OutcomePlain
	}
	if x.open {
		return r, nil
	}
	return x.cut(r), nil
}

// cut makes a reply fit its budget whatever it is.
func (x *toolCall) cut(r reply) reply {
	if r.fit(r.budget) {
		return r
	}
	r.whole = max(r.whole, r.size().Bytes)
	r.outcome = r.outcome.With(OutcomeSummarized)
	hint := cmp.Or(r.hint, x.tool.hint(x.settings))
	r.text = r.mark.Squeeze(r.text, hint, r.budget.Holds)
	if r.object != nil {
		r.object = answer.SqueezeObject(r.object, x.tool.Output, hint, func(object json.RawMessage) bool {
			return r.budget.Holds(string(object))
		})
	}
	r.measured = r.measure()
	return r
}

// refuse makes the reply that is an error.
func (x *toolCall) refuse(e *Error, budget answer.Budget) reply {
	c := channels{text: e.within(budget.Holds)}
	return reply{measured: c.measure(), budget: budget, outcome: Outcome(e.Code), err: e}
}

// over reports whether the reply is larger than its budget, or, with the guard
// off, than the one it would have.
func (r reply) over() bool {
	limit := r.budget
	limit.Off = false
	return !r.fit(limit)
}

// result writes the reply as MCP has it. The figures of its cost are in every success
// with structured content, so that a small one is the same whether the guard is on or
// off. Several hosts show _meta to the model, which has no use for it: text goes without.
func (r reply) result(output Output) *mcp.CallToolResult {
	if r.err != nil {
		return failure(r.err, r.text, output)
	}
	content := []mcp.Content{mcp.NewTextContent(r.text)}
	if r.object == nil {
		return &mcp.CallToolResult{Content: content}
	}
	tokens := r.size().Tokens()
	most := max(1, r.budget.TokenLimit())
	return &mcp.CallToolResult{
		Result: mcp.Result{Meta: &mcp.Meta{AdditionalFields: map[string]any{
			"estimatedTokens": tokens,
			"budgetUsed":      math.Round(float64(tokens)/float64(most)*1000) / 1000,
			"budgetRemaining": max(0, most-tokens),
		}}},
		Content:              content,
		RawStructuredContent: r.object,
	}
}

// hint says how to get what was cut from an answer of the tool.
func (t Tool) hint(s *answer.Settings) string {
	if !t.ReadOnly {
		return "What the call did it did in full."
	}
	known := t.arguments().names
	var ways []string
	for _, way := range []struct{ argument, words string }{
		{"limit", "a smaller limit (a cursor goes on after what is left out)"},
		{"fields", "fewer fields"},
		{maxTokensArgument, fmt.Sprintf("a larger maxTokens (at most %d)", s.MaxTokens)},
	} {
		if slices.Contains(known, way.argument) {
			ways = append(ways, way.words)
		}
	}
	if len(ways) == 0 {
		return "Ask for less at a time."
	}
	return "Call again with " + strings.Join(ways, " or ") + "."
}

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

// A Notifier sends a notification to the client whose message is being answered.
type Notifier func(method string, params any)

type notifierKey struct{}

// WithNotifier returns a context in which a call can tell its client how far it is.
// A transport that cannot send notifications has none.
func WithNotifier(ctx context.Context, n Notifier) context.Context {
	return context.WithValue(ctx, notifierKey{}, n)
}

// Progress tells a client that has asked for it how far a long call is: so much of a
// total is done, in whatever unit. What is not more than before is not told: MCP wants
// each notification to say more than the last one.
func (a *Args) Progress(done, total int, message string) {
	if a.call.progress != nil {
		a.call.progress(done, total, message)
	}
}

// progressOf returns what tells the client of a request how far it is, nil where the
// client did not ask or cannot be told.
func progressOf(ctx context.Context, request mcp.CallToolRequest) func(done, total int, message string) {
	notify, _ := ctx.Value(notifierKey{}).(Notifier)
	if notify == nil || request.Params.Meta == nil || request.Params.Meta.ProgressToken == nil {
		return nil
	}
	token := request.Params.Meta.ProgressToken
	told := -1
	return func(done, total int, message string) {
		if done <= told {
			return
		}
		told = done
		notify(string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": token, "progress": done, "total": total, "message": message,
		})
	}
}
