package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// calls is a record of calls.
type calls []tools.Call

func (c *calls) record(call tools.Call) { *c = append(*c, call) }

func (c calls) last(t *testing.T) tools.Call {
	t.Helper()
	if len(c) == 0 {
		t.Fatal("no call is on the record")
	}
	return c[len(c)-1]
}

// rows answers as many lines as it is told, fewer when they do not fit.
func rows(n int) func(context.Context, *tools.Args) (tools.Result, error) {
	return func(_ context.Context, args *tools.Args) (tools.Result, error) {
		result := func(n int) tools.Result {
			text := fmt.Sprintf("%d rows", n) + strings.Repeat("\none row of a list", n)
			return tools.Result{Text: text, Structured: map[string]string{"id": text}, Items: n}
		}
		whole := result(n)
		if args.Fits(whole) {
			return whole, nil
		}
		for n > 0 && !args.Fits(result(n)) {
			n--
		}
		fewer := result(n)
		fewer.Outcome, fewer.Original = tools.OutcomePaginated, len(whole.Text)
		return fewer, nil
	}
}

func TestEverySuccessSaysWhatItCosts(t *testing.T) {
	client := toolstest.NewClient(t, tools.Config{Toolsets: set(named("echo", echo))})
	meta := client.Call(t, "echo", map[string]any{"id": "x"}).Meta
	cost := answer.Estimate(len("id x\nsecond line"))                                                                                     // of the longer channel
	if *meta.EstimatedTokens != cost || *meta.BudgetUsed != 0.002 || *meta.BudgetRemaining != answer.Estimate(answer.DefaultBytes)-cost { // the bytes bind before the tokens
		t.Errorf("got %d, %v, %d", *meta.EstimatedTokens, *meta.BudgetUsed, *meta.BudgetRemaining)
	}
}

func TestASmallAnswerIsTheSameWithAndWithoutTheGuard(t *testing.T) {
	var answers []string
	for _, settings := range []func() *answer.Settings{
		nil,
		func() *answer.Settings { s := answer.Defaults(); s.Off = true; return s },
		func() *answer.Settings { s := answer.Defaults(); s.Shadow = true; return s },
		func() *answer.Settings { return nil },
		func() *answer.Settings { panic("no settings") },
	} {
		server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Settings: settings, Toolsets: set(named("rows", rows(20)))})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := json.Marshal(toolstest.Send(t.Context(), server, json.RawMessage(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rows","arguments":{}}}`)))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(reply))
	}
	for _, reply := range answers {
		if reply != answers[0] {
			t.Errorf("one is   %s\nanother %s", answers[0], reply)
		}
	}
}

func TestATooLargeAnswerIsMadeSmallerByItsTool(t *testing.T) {
	var on calls
	client := toolstest.NewClient(t, tools.Config{Record: on.record, Toolsets: set(named("rows", rows(1000)))})
	reply := client.Call(t, "rows", nil)
	if lines := strings.Count(reply.Text(), "\n") + 1; lines != answer.DefaultLines {
		t.Errorf("%d lines", lines)
	}
	call := on.last(t)
	if call.Outcome != tools.OutcomePaginated || call.Items != 255 || call.Original != len("1000 rows")+1000*18 || call.Over {
		t.Errorf("on the record is %+v", call)
	}
	if call.Tool != "rows" || call.Variant != "on" || call.Budget != answer.DefaultThreshold || call.Failed || call.Time.IsZero() {
		t.Errorf("on the record is %+v", call)
	}
	if text := call.Text(); call.Bytes != len(text) || call.Tokens != answer.Measure(text).Tokens() {
		t.Errorf("a text of %d bytes is recorded as %+v", len(text), call)
	}
}

func TestTheGuardCanBeOff(t *testing.T) {
	var off calls
	client := toolstest.NewClient(t, tools.Config{
		Record: off.record, Toolsets: set(named("rows", rows(1000))),
		Settings: func() *answer.Settings { s := answer.Defaults(); s.Off = true; return s },
	})
	reply := client.Call(t, "rows", nil)
	if strings.Count(reply.Text(), "\n") != 1000 || *reply.Meta.BudgetUsed < 1 || *reply.Meta.BudgetRemaining != 0 {
		t.Errorf("got %d lines and %v of the budget", strings.Count(reply.Text(), "\n"), *reply.Meta.BudgetUsed)
	}
	if call := off.last(t); call.Outcome != tools.OutcomePlain || !call.Over || call.Budget != 0 || call.Variant != "off" {
		t.Errorf("on the record is %+v", call)
	}
}

func TestMaxTokens(t *testing.T) {
	tool := named("rows", rows(1000))
	tool.Input = json.RawMessage(`{"type":"object","properties":{"maxTokens":{"type":"integer"}}}`)
	var record calls
	client := toolstest.NewClient(t, tools.Config{Record: record.record, Toolsets: set(tool, named("fixed", rows(1000)))})
	lines := func(arguments map[string]any) int {
		return strings.Count(client.Call(t, "rows", arguments).Text(), "\n") + 1
	}

	t.Run("raises all limits of its call", func(t *testing.T) {
		if got := lines(map[string]any{"maxTokens": 8000}); got != 2*answer.DefaultLines {
			t.Errorf("%d lines", got)
		}
		if got := lines(nil); got != answer.DefaultLines {
			t.Errorf("%d lines in the call after it", got)
		}
	})
	t.Run("lowers them, but leaves room to say how to go on", func(t *testing.T) {
		if got := lines(map[string]any{"maxTokens": 1000}); got != 64 {
			t.Errorf("%d lines", got)
		}
		if one, least := lines(map[string]any{"maxTokens": 1}), lines(map[string]any{"maxTokens": answer.MinTokens}); one != least || one < 5 {
			t.Errorf("%d lines for one token, %d for the least", one, least)
		}
	})
	t.Run("out of range names the end of the range", func(t *testing.T) {
		const over = "Note: maxTokens 30000 is over the maximum of 25000, which was used."
		for _, test := range []struct {
			tokens  int
			end     string
			refused bool
		}{{30000, over, false}, {0, "minimum is 1.", true}, {-5, "minimum is 1.", true}} {
			wrong := test.tokens
			reply := client.Call(t, "rows", map[string]any{"maxTokens": wrong})
			if reply.IsError != test.refused || !strings.HasSuffix(reply.Text(), test.end) {
				t.Errorf("%d: %q", wrong, reply.Text())
			}
		}
		if call := record.last(t); !call.Failed || call.Outcome != tools.Outcome(tools.CodeValidation) {
			t.Errorf("on the record is %+v", call)
		}
	})
	t.Run("is unknown to a tool whose input has none", func(t *testing.T) {
		if reply := client.Call(t, "fixed", map[string]any{"maxTokens": 8000}); strings.Count(reply.Text(), "\n") > answer.DefaultLines {
			t.Error("it is heeded")
		}
	})
}

func TestErrorsAreMeasuredAndBounded(t *testing.T) {
	var candidates []string
	for i := range 30 {
		candidates = append(candidates, fmt.Sprintf("%d %s.md", i, strings.Repeat("deep/", 200)))
	}
	var record calls
	client := toolstest.NewClient(t, tools.Config{Record: record.record, Toolsets: set(
		named("ambiguous", func(context.Context, *tools.Args) (tools.Result, error) {
			return tools.Result{}, tools.Errorf(tools.CodeAmbiguousID, "Many fit.").Try("Pass a path:").Among(candidates...)
		}),
		named("panics", func(context.Context, *tools.Args) (tools.Result, error) { panic("oh") }),
	)})
	text := client.Call(t, "ambiguous", nil).Text()
	if !answer.Defaults().Budget("ambiguous", 0).Holds(text) || !strings.HasSuffix(text, ".md\nand 21 more") {
		t.Errorf("the error is\n%s", text)
	}
	if call := record.last(t); !call.Failed || call.Outcome != "AMBIGUOUS_ID" || call.Bytes != len(text) || call.Over {
		t.Errorf("on the record is %+v", call)
	}
	client.Call(t, "panics", nil)
	if call := record.last(t); !call.Failed || call.Outcome != "INTERNAL_ERROR" || call.Bytes == 0 {
		t.Errorf("on the record is %+v", call)
	}
}

func TestARecordThatFailsFailsNoCall(t *testing.T) {
	client := toolstest.NewClient(t, tools.Config{
		Record: func(tools.Call) { panic("disk full") }, Toolsets: set(named("echo", echo)),
	})
	if reply := client.Call(t, "echo", map[string]any{"id": "x"}); reply.IsError {
		t.Errorf("got %q", reply.Text())
	}
}

func TestWhoCalls(t *testing.T) {
	var record calls
	server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Record: record.record, Toolsets: set(named("echo", echo))})
	if err != nil {
		t.Fatal(err)
	}
	caller := new(toolstest.Conn)
	call := func(meta string) string {
		caller.Send(t.Context(), server, json.RawMessage(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"id":"x"}`+meta+`}}`))
		return record.last(t).Client
	}
	if client := call(""); client != "" {
		t.Errorf("before the handshake it is %q", client)
	}
	caller.Send(t.Context(), server, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`+
		`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"an-agent","version":"2.1"}}}`))
	if client := call(""); client != "an-agent 2.1" {
		t.Errorf("after the handshake it is %q", client)
	}
	const stateless = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"other","version":"3"},"io.modelcontextprotocol/clientCapabilities":{}}`
	if client := call(stateless); client != "other 3" {
		t.Errorf("of a request that says so itself it is %q", client)
	}
}

func TestAnswersHaveNoHTMLEscapes(t *testing.T) {
	client := toolstest.NewClient(t, tools.Config{Toolsets: set(named("echo", echo))})
	if got := string(client.Call(t, "echo", map[string]any{"id": "<a & b>"}).Structured); got != `{"id":"<a & b>"}` {
		t.Errorf("got %s", got)
	}
}

// heedless answers far more than fits, without a look at its budget.
func heedless(_ context.Context, _ *tools.Args) (tools.Result, error) {
	text := "Showing 2000 issues.\n" + strings.Repeat("ISS-000001 a line of a list\n", 2000) + "Pass cursor 'k3f9w2' to see next page."
	return tools.Result{Text: text, Structured: map[string]string{"id": "ISS-000001", "text": text}, Items: 2000}, nil
}

func TestTheLimitsHoldWhateverFlagIsOff(t *testing.T) {
	for _, c := range []struct {
		flags  answer.Flags
		within bool
	}{
		{answer.Flags{Pagination: true, Chunking: true}, true},
		{answer.Flags{Summarization: true}, true},
		{answer.Flags{Chunking: true}, true},
		{answer.Flags{}, false}, // the tool is not guarded
	} {
		settings := answer.Defaults()
		settings.Tools = map[string]answer.Flags{"read": c.flags}
		client := toolstest.NewClient(t, tools.Config{
			Settings: func() *answer.Settings { return settings }, Toolsets: set(named("read", heedless)),
		})
		reply := client.Call(t, "read", nil)
		budget := answer.Defaults().Budget("read", 0)
		if within := budget.Holds(reply.Text()) && budget.Holds(string(reply.Structured)); within != c.within {
			t.Errorf("%+v: %d and %d bytes", c.flags, len(reply.Text()), len(reply.Structured))
		}
	}
}

func TestWhatIsStillTooLargeIsCutByTheServer(t *testing.T) {
	var log bytes.Buffer
	var record calls
	write := named("write", heedless)
	write.ReadOnly = false
	client := toolstest.NewClient(t, tools.Config{
		Record: record.record, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Toolsets: set(named("read", heedless), write),
	})
	budget := answer.Defaults().Budget("read", 0)
	for tool, hint := range map[string]string{"read": "Ask for less at a time.", "write": "What the call did it did in full."} {
		reply := client.Call(t, tool, nil)
		if !budget.Holds(reply.Text()) || !budget.Holds(string(reply.Structured)) {
			t.Errorf("%s: %d and %d bytes", tool, len(reply.Text()), len(reply.Structured))
		}
		for _, want := range []string{"Showing 2000 issues.\n", "Pass cursor 'k3f9w2' to see next page.", hint} {
			if !strings.Contains(reply.Text(), want) {
				t.Errorf("%s: the text lacks %q", tool, want)
			}
		}
		var object struct{ ID, Note string }
		if err := json.Unmarshal(reply.Structured, &object); err != nil || object.ID != "ISS-000001" || !strings.HasSuffix(object.Note, hint) {
			t.Errorf("%s: %v, %+v", tool, err, object)
		}
		if !strings.Contains(log.String(), `reduction=`) || !strings.Contains(log.String(), "%") {
			t.Errorf("%s: logged %s", tool, log.String())
		}
		if call := record.last(t); call.Outcome != tools.OutcomeSummarized || call.Over || !call.Oversized || call.Original < 56000 || call.Bytes > budget.Bytes {
			t.Errorf("%s: on the record is %+v", tool, call)
		}
	}
	if !strings.Contains(log.String(), `level=INFO msg="answer summarized" tool=read bytes=`) {
		t.Errorf("the log is\n%s", log.String())
	}
}

func TestShadow(t *testing.T) {
	var record calls
	ran := 0
	counted := func(handle func(context.Context, *tools.Args) (tools.Result, error)) func(context.Context, *tools.Args) (tools.Result, error) {
		return func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			ran++
			return handle(ctx, args)
		}
	}
	write := named("write", counted(rows(1000)))
	write.ReadOnly = false
	client := toolstest.NewClient(t, tools.Config{
		Record: record.record, Toolsets: set(named("read", counted(rows(1000))), named("small", counted(echo)), write),
		Settings: func() *answer.Settings { s := answer.Defaults(); s.Shadow = true; return s },
	})
	for tool, outcome := range map[string]tools.Outcome{"read": tools.OutcomePaginated, "write": tools.OutcomeSummarized} {
		t.Run("what is sent of "+tool+" is whole, what is recorded is not", func(t *testing.T) {
			ran = 0
			reply := client.Call(t, tool, nil)
			if strings.Count(reply.Text(), "\n") != 1000 {
				t.Errorf("sent are %d bytes", len(reply.Text()))
			}
			call := record.last(t)
			if call.Outcome != outcome || call.Variant != "shadow" || !call.Over || call.Budget != answer.DefaultThreshold {
				t.Errorf("on the record is %+v", call)
			}
			if call.Bytes > answer.DefaultBytes || call.Bytes != len(call.Text()) || call.Original < 18000 {
				t.Errorf("on the record is %+v", call)
			}
			if tool == "write" && ran != 1 {
				t.Errorf("it was run %d times", ran)
			}
		})
	}
	t.Run("what fits is the same in both", func(t *testing.T) {
		ran = 0
		client.Call(t, "small", map[string]any{"id": "x"})
		if call := record.last(t); ran != 1 || call.Over || call.Bytes != call.Original || call.Outcome != tools.OutcomePlain {
			t.Errorf("run %d times, on the record is %+v", ran, call)
		}
	})
}

func TestServerAddsBelowTheMarkOfAText(t *testing.T) {
	const body = "Text.\nNote: forged.\n(Too large: forged.)"
	for name, test := range map[string]struct {
		text string
		want string
	}{
		"a note":                      {"x\n\n" + body, "x\n\n" + body + "\n===\nNote: of the tool."},
		"a note below our own":        {"x\n\n" + body + "\n===\nOurs.", "x\n\n" + body + "\n===\nOurs.\nNote: of the tool."},
		"what it cut of a large text": {"x\n\n" + strings.Repeat("Line.\n", 5000) + body, "\n===\n(Too large: 4752 lines left out. Ask for less at a time.)\nNote: of the tool."},
	} {
		t.Run(name, func(t *testing.T) {
			client := toolstest.NewClient(t, tools.Config{Toolsets: set(named("read", func(_ context.Context, args *tools.Args) (tools.Result, error) {
				args.Note("of the tool")
				return tools.Result{Text: test.text, Mark: answer.MarkFor(body), Structured: map[string]string{"id": "x"}}, nil
			}))})
			text := client.Call(t, "read", nil).Text()
			if !strings.HasSuffix(text, test.want) || len(test.text) < 1000 && text != test.want {
				t.Errorf("got %q", text[max(0, len(text)-300):])
			}
		})
	}
}

func TestANoteOfAnIgnoredArgumentStandsAboveTheText(t *testing.T) {
	const text = "ISS-000001\n\nText."
	client := toolstest.NewClient(t, tools.Config{Toolsets: set(named("read", func(_ context.Context, args *tools.Args) (tools.Result, error) {
		args.Note("of the tool")
		return tools.Result{Text: text, Mark: answer.MarkFor(text), Structured: map[string]string{"id": "x"}}, nil
	}))})
	want := "Note: ignored unknown argument other.\n" + text + "\n===\nNote: of the tool."
	if got := client.Call(t, "read", map[string]any{"other": 1}).Text(); got != want {
		t.Errorf("got %q", got)
	}
}

// Many clients give up after 60 seconds, and have to hear why before that.
func TestACallHasFiftySeconds(t *testing.T) {
	var deadline time.Time
	client := toolstest.NewClient(t, tools.Config{Toolsets: set(named("echo", func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		deadline, _ = ctx.Deadline()
		return echo(ctx, args)
	}))})
	before := time.Now()
	client.Call(t, "echo", map[string]any{"id": "x"})
	const wanted = 50 * time.Second
	if deadline.Before(before.Add(wanted)) || deadline.After(time.Now().Add(wanted)) {
		t.Errorf("it has %s", deadline.Sub(before))
	}
}

// A toolset may take secrets out of an answer that a tool has made fit already.
func TestAnAnswerThatWasMadeToFitCanStillBeChanged(t *testing.T) {
	handle := func(_ context.Context, args *tools.Args) (tools.Result, error) {
		r := args.Smaller(1, func(int) tools.Result {
			return tools.Result{Text: "secret", Structured: map[string]string{"id": "secret"}}
		})
		r.Text, r.Structured = "redacted", json.RawMessage(`{"id":"redacted"}`)
		return r, nil
	}
	client := toolstest.NewClient(t, tools.Config{Toolsets: set(named("redacting", handle))})
	if r := client.Call(t, "redacting", nil); strings.Contains(r.Text()+string(r.Structured), "secret") {
		t.Errorf("sent %s and %s", r.Text(), r.Structured)
	}
}
