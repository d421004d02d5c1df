package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/store/mirror"
	"issues-index/store/words"
	"issues-index/tools/answer"
)

// maxTokensArgument says what an answer may cost, where a tool's input has it. The server
// reads it, because the server knows its limits.
const maxTokensArgument = "maxTokens"

// A toolCall is a call that is being answered. It has the settings that held when it
// began until it is on the record.
type toolCall struct {
	*Server
	tool     Tool
	raw      json.RawMessage
	settings *answer.Settings
	output   Output
	bytes    int                                   // the client's own limit, 0 for none
	open     bool                                  // answered without limits, for now
	progress func(done, total int, message string) // nil when the client does not want it
	holder   string                                // of claims
	// whose claims are those of a session that this process serves, "" for others
	client  string
	confirm *confirming                    // nil where the user cannot be asked
	roots   func(context.Context) []string // see [workspaces.Ask]; nil for none

	// What binding the call to a workspace has set.
	args      *Args // read already
	index     *index.Index
	lease     time.Duration
	elsewhere string // the root of another workspace than the start one
	within    string // the workspace of a mirror, see WorkspaceBinding
	note      string
	failed    error // the workspace cannot be had, or the caller may not call the tool

	// alone returns the one workspace of a call that another machine has sent here; nil for
	// other calls.
	alone func(ctx context.Context, workspace string) (WorkspaceBinding, error)
	// hubLine is how that machine knows the workspace, zero where it has not said.
	hubLine mirror.Branch
}

// A reply is the answer to a call, and what the record says about it.
type reply struct {
	channels
	budget  answer.Budget
	outcome Outcome
	whole   int // bytes of the larger channel without the budget; 0 when the budget changed nothing
	items   int
	mark    answer.Mark // of the text
	hint    string      // how to get what is cut from it

	err *Error // in place of an answer; its text is the text channel

	question *pendingQuestion // in place of an answer, and on no record: the call goes on
}

// A callParams is what a client sends with a call.
type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	mcp.MultiRoundTripParams

	unasked bool // its user is not to be asked
}

// callTool answers a call, and says which tools there are to a client that does not know.
func (s *Server) callTool(ctx context.Context, r *request) (any, error) {
	var p callParams
	if err := r.read(&p); err != nil {
		return nil, err
	}
	t, known := s.tools[p.Name]
	if !known {
		text := "Unknown tool " + Quote(p.Name) + "."
		if near := words.Nearest(p.Name, slices.Collect(maps.Keys(s.tools))); near != "" {
			text += " Did you mean " + near + "?"
		}
		return nil, &ProtocolError{Code: mcp.INVALID_PARAMS, Message: text + " tools/list names them all."}
	}
	if err := s.checkState(p.RequestState); err != nil {
		return nil, err
	}
	return s.callAsking(ctx, r, t, p), nil
}

// call answers one call of a tool and never fails.
func (s *Server) call(ctx context.Context, r *request, t Tool, p callParams) *callResult {
	began := time.Now()
	s.askRoots(r)
	x := &toolCall{
		Server: s, tool: t, raw: p.Arguments, output: s.outputFor(r), progress: r.progress(),
		lease: claims.DefaultLength, roots: s.rootsOf(r),
	}
	x.holder, x.client = s.holder(ctx, r)
	x.confirm = s.confirming(r, x, p)
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	ctx, ended := relayProgress(ctx, x.progress)
	defer ended()
	if x.failed = permitted(ctx, t); x.failed == nil && t.over != nil {
		defer x.bind(ctx)()
	}
	if x.settings == nil {
		x.settings = s.currentSettings()
	}
	if !x.settings.ExplicitBytes {
		x.bytes = ProfileOf(r.client().Name).Bytes
	}
	sent, recorded := x.answer(ctx)
	if sent.question != nil {
		return sent.question.inputRequired()
	}
	x.recordReply(began, nameOf(ctx, r.client()), sent, recorded)
	return sent.result(x.output)
}

// recordReply puts a call on the record: who called, and the reply that was sent and the one
// to record.
func (x *toolCall) recordReply(began time.Time, client string, sent, r reply) {
	bytes, isOver, budget := r.bytes(), sent.over(), r.budget.Tokens
	if r.budget.Off {
		budget = 0
	}
	x.account(Call{
		Time: began, Tool: x.tool.Name, Client: client, Latency: time.Since(began),
		Outcome: r.outcome, Failed: r.err != nil,
		Tokens: answer.Estimate(bytes), Bytes: bytes, Original: max(r.whole, bytes),
		Budget: budget, Over: isOver, Oversized: r.whole > 0 || isOver, Items: r.items,
		Variant: variant(x.settings), Text: r.larger,
	})
}

// answer returns the reply to send and the one to record. They differ only in an
// experiment that sends answers without limits and records what the limits would have
// done. A tool that writes is not run twice for that.
func (x *toolCall) answer(ctx context.Context) (sent, recorded reply) {
	if !x.settings.Shadow || x.settings.Off {
		r := x.reply(ctx)
		return r, r
	}
	x.open = true
	sent = x.reply(ctx)
	x.open = false
	if sent.err != nil || sent.question != nil || !sent.over() {
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
	recorded.whole = sent.bytes()
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
	args := x.args
	x.args = nil // notes are made anew when the tool runs again
	if args == nil {
		args, _ = x.readArgs()
	}
	args.call.settings, args.call.progress, args.call.holder, args.call.lease = x.settings, x.progress, x.holder, x.lease
	args.call.elsewhere, args.call.hubLine = x.elsewhere, x.hubLine
	if x.client != "" && x.index != nil {
		args.call.sessionIn = func(leases *claims.Leases) claims.HolderSession { return x.join(ctx, leases, x.client) }
		args.call.leases = x.index.Leases()
	}
	if x.alone == nil {
		args.call.workspace = x.binding
	}
	if x.note != "" {
		args.Note(x.note)
	}
	asked := 0
	if slices.Contains(args.known, maxTokensArgument) {
		asked = args.AtMost(maxTokensArgument, x.settings.MaxTokens, 0)
	}
	budget := x.budget(asked)
	args.call.budget, args.call.confirm = budget, x.confirm
	args.call.budget.Off = budget.Off || x.open
	args.call.output = x.output

	// The handler runs even if an argument is refused already: it reads the others, so
	// that the client learns of every mistake at once, and returns before it acts.
	err := x.failed
	var result Result
	if err == nil {
		result, err = x.tool.Handle(index.Within(ctx, x.within), args)
	}
	if err == nil {
		err = args.Err()
	}
	if err == nil {
		r, err = x.bound(&result, args.remarks(), budget)
	}
	if err == nil {
		return r
	}
	if q := asQuestion(err); q != nil {
		return reply{question: q}
	}
	e := ErrorOf(err)
	if e.Code == CodeInternal {
		x.log.Error("tool failed", "tool", x.tool.Name, "error", err)
	}
	return x.refuse(e, budget)
}

// budget is what the call may cost. It never exceeds what the client shows whole, no
// matter how much the call asks for.
func (x *toolCall) budget(maxTokens int) answer.Budget {
	b := x.settings.Budget(x.tool.Name, maxTokens)
	if x.bytes > 0 {
		b.Bytes = min(b.Bytes, x.bytes)
	}
	return b
}

// bound writes an answer, and cuts it if its tool left it too large.
func (x *toolCall) bound(result *Result, said remarks, budget answer.Budget) (reply, error) {
	c, err := x.output.render(result, said)
	if err != nil {
		return reply{}, err
	}
	r := reply{channels: c, budget: budget, outcome: result.Outcome, whole: result.Original, items: result.Items,
		mark: result.Mark, hint: result.Hint}
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
	r.whole = max(r.whole, r.bytes())
	r.outcome = r.outcome.With(OutcomeSummarized)
	hint := cmp.Or(r.hint, x.tool.hint(x.settings))
	r.text = r.mark.Squeeze(r.text, hint, r.budget.Holds)
	if r.object != nil {
		r.object = answer.SqueezeObject(r.object, x.tool.Output, hint, func(object json.RawMessage) bool {
			return r.budget.Holds(string(object))
		})
	}
	return r
}

// refuse makes the reply that is an error.
func (x *toolCall) refuse(e *Error, budget answer.Budget) reply {
	return reply{channels: channels{text: e.within(budget.Holds)}, budget: budget, outcome: Outcome(e.Code), err: e}
}

// over reports whether the reply is larger than its budget, also when limits are off.
func (r reply) over() bool {
	limit := r.budget
	limit.Off = false
	return !r.fit(limit)
}

// result writes the reply in MCP's form. Every success with structured content has the
// figures of its cost, so that a small one is the same with and without limits. An answer
// of text alone has none: several hosts show _meta to the model, which has no use for it.
func (r reply) result(output Output) *callResult {
	if r.err != nil {
		return failure(r.err, r.text, output)
	}
	content := []mcp.Content{mcp.NewTextContent(r.text)}
	if r.object == nil {
		return &callResult{Content: content}
	}
	tokens := answer.Estimate(r.bytes())
	most := max(1, r.budget.TokenLimit())
	return &callResult{
		Meta: map[string]any{
			"estimatedTokens": tokens,
			"budgetUsed":      math.Round(float64(tokens)/float64(most)*1000) / 1000,
			"budgetRemaining": max(0, most-tokens),
		},
		Content: content, Structured: r.object,
	}
}

// hint says how to get what the server cut from an answer of the tool.
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

// currentSettings returns the settings of this moment. A panic of the function that has
// them must not fail the call.
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
