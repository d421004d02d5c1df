package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// named is a reading tool that answers as the handler does.
func named(name string, handle func(context.Context, *tools.Args) (tools.Result, error)) tools.Tool {
	return tools.Tool{
		Name: name, Description: "Does what the test needs. Reads only.", ReadOnly: true, Idempotent: true,
		Input:  json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}}}`),
		Output: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"}},"required":["id"]}`),
		Handle: handle,
	}
}

func echo(_ context.Context, args *tools.Args) (tools.Result, error) {
	id := args.Required("id")
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Text: "id " + id + "\nsecond line", Structured: map[string]string{"id": id}}, nil
}

func set(list ...tools.Tool) []tools.Toolset { return []tools.Toolset{{Name: "test", Tools: list}} }

func TestOutputModes(t *testing.T) {
	client := func(output tools.Output) *toolstest.Client {
		return toolstest.NewClient(t, tools.Config{Output: output, Toolsets: set(named("echo", echo))})
	}
	arguments := map[string]any{"id": "x"}

	t.Run("both fills both channels", func(t *testing.T) {
		answer := client(tools.OutputBoth).Call(t, "echo", arguments)
		if answer.Text() != "id x\nsecond line" || string(answer.Structured) != `{"id":"x"}` {
			t.Errorf("got %q and %s", answer.Text(), answer.Structured)
		}
	})
	t.Run("text has neither schema nor structured content", func(t *testing.T) {
		if answer := client(tools.OutputText).Call(t, "echo", arguments); answer.Structured != nil {
			t.Errorf("structured content %s", answer.Structured)
		}
		for _, d := range toolstest.List(t, tools.OutputText, set(named("echo", echo))...) {
			if d.OutputSchema != nil {
				t.Errorf("%s has an output schema", d.Name)
			}
		}
	})
	t.Run("structured keeps the first line of text", func(t *testing.T) {
		answer := client(tools.OutputStructured).Call(t, "echo", arguments)
		if answer.Text() != "id x" || string(answer.Structured) != `{"id":"x"}` {
			t.Errorf("got %q and %s", answer.Text(), answer.Structured)
		}
	})
	t.Run("another mode is refused", func(t *testing.T) {
		if _, err := tools.NewServer(tools.Config{Output: "xml"}); err == nil {
			t.Error("no error")
		}
	})
}

func TestUnknownArguments(t *testing.T) {
	t.Run("a reading tool ignores them and says so first, in both channels", func(t *testing.T) {
		client := toolstest.NewClient(t, tools.Config{Toolsets: set(named("echo", echo))})
		answer := client.Call(t, "echo", map[string]any{"id": "x", "include_body": true})
		if want := "Note: ignored unknown argument include_body.\nid x\n"; !strings.HasPrefix(answer.Text(), want) {
			t.Errorf("the text is %q", answer.Text())
		}
		if want := `{"id":"x","note":"ignored unknown argument include_body"}`; string(answer.Structured) != want {
			t.Errorf("the structured content is %s", answer.Structured)
		}
	})
	t.Run("a note of the tool's own stays", func(t *testing.T) {
		client := toolstest.NewClient(t, tools.Config{Toolsets: set(named("echo", func(context.Context, *tools.Args) (tools.Result, error) {
			return tools.Result{Text: "x", Structured: map[string]any{"id": "a \"note\":", "note": "Own."}}, nil
		}))})
		answer := client.Call(t, "echo", map[string]any{"a": 1, "b": 2})
		if want := `{"id":"a \"note\":","note":"Own. ignored unknown arguments a, b"}`; string(answer.Structured) != want {
			t.Errorf("the structured content is %s", answer.Structured)
		}
	})
	t.Run("a writing tool does nothing", func(t *testing.T) {
		tool := named("write", func(_ context.Context, args *tools.Args) (tools.Result, error) {
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			t.Error("the handler acted")
			return tools.Result{}, nil
		})
		tool.ReadOnly = false
		client := toolstest.NewClient(t, tools.Config{Toolsets: set(tool)})
		if answer := client.Call(t, "write", map[string]any{"idd": "x"}); answer.Meta.Error.Code != string(tools.CodeValidation) {
			t.Errorf("got %+v", answer)
		}
	})
}

func TestFailuresAreResults(t *testing.T) {
	var log bytes.Buffer
	fail := func(err error) func(context.Context, *tools.Args) (tools.Result, error) {
		return func(context.Context, *tools.Args) (tools.Result, error) { return tools.Result{}, err }
	}
	client := toolstest.NewClient(t, tools.Config{
		Timeout: time.Millisecond,
		Log:     slog.New(slog.NewTextHandler(&log, nil)),
		Toolsets: set(
			named("typed", fail(tools.Errorf(tools.CodeConflict, "It changed.").On("id").Try("Read it again."))),
			named("other", fail(errors.New("secret detail"))),
			named("panics", func(context.Context, *tools.Args) (tools.Result, error) { panic("secret panic") }),
			named("slow", func(ctx context.Context, _ *tools.Args) (tools.Result, error) {
				<-ctx.Done()
				return tools.Result{}, fmt.Errorf("query: %w", ctx.Err())
			}),
			named("unfit", func(context.Context, *tools.Args) (tools.Result, error) {
				return tools.Result{Text: "x", Structured: []int{1}}, nil
			}),
			named("unset", func(context.Context, *tools.Args) (tools.Result, error) { return tools.Result{Text: "x"}, nil }),
		),
	})
	for tool, code := range map[string]tools.Code{
		"typed": tools.CodeConflict, "other": tools.CodeInternal, "panics": tools.CodeInternal,
		"slow": tools.CodeTimeout, "unfit": tools.CodeInternal, "unset": tools.CodeInternal,
	} {
		answer := client.Call(t, tool, nil)
		if !answer.IsError || answer.Meta.Error.Code != string(code) || strings.Contains(answer.Text(), "secret") {
			t.Errorf("%s: got %+v", tool, answer)
		}
	}
	answer := client.Call(t, "typed", nil)
	if e := answer.Meta.Error; e.Message != "It changed." || e.Field != "id" || e.Remediation != "Read it again." {
		t.Errorf("details %+v", e)
	}
	if text := "Error [CONFLICT]: It changed. Read it again."; answer.Text() != text {
		t.Errorf("text %q", answer.Text())
	}
	for _, want := range []string{"secret detail", "secret panic", "server_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q", want)
		}
	}
}

func TestListKeepsTheOrderOfTheToolsets(t *testing.T) {
	sets := []tools.Toolset{
		{Name: "one", Tools: []tools.Tool{named("zebra", echo), named("ant", echo)}},
		{Name: "two", Tools: []tools.Tool{named("bee", echo)}},
	}
	var names []string
	for _, d := range toolstest.List(t, tools.OutputBoth, sets...) {
		names = append(names, d.Name)
	}
	if !slices.Equal(names, []string{"zebra", "ant", "bee"}) {
		t.Errorf("the order is %v", names)
	}
}

func TestNewServerRefusesABadDefinition(t *testing.T) {
	for name, spoil := range map[string]func(*tools.Tool){
		"a name that hosts refuse":       func(t *tools.Tool) { t.Name = "Echo.it" },
		"no description":                 func(t *tools.Tool) { t.Description = "" },
		"no handler":                     func(t *tools.Tool) { t.Handle = nil },
		"read-only and destructive":      func(t *tools.Tool) { t.Destructive = true },
		"an input schema that is none":   func(t *tools.Tool) { t.Input = json.RawMessage(`{`) },
		"an input that is no object":     func(t *tools.Tool) { t.Input = json.RawMessage(`{"type":"array"}`) },
		"an alternative at the root":     func(t *tools.Tool) { t.Input = json.RawMessage(`{"type":"object","anyOf":[]}`) },
		"no output schema with output":   func(t *tools.Tool) { t.Output = nil },
		"the name of the tool before it": func(t *tools.Tool) { t.Name = "first" },
	} {
		tool := named("second", echo)
		spoil(&tool)
		if _, err := tools.NewServer(tools.Config{Toolsets: set(named("first", echo), tool)}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestProtocolErrors(t *testing.T) {
	server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Toolsets: set(named("issues_list", echo))})
	if err != nil {
		t.Fatal(err)
	}
	const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, c := range []struct{ name, method, params, want string }{
		{"an unknown tool", "tools/call", `{"name":"frobnicate"}`,
			`{"code":-32602,"message":"Unknown tool 'frobnicate'. tools/list names them all."}`},
		{"a misspelt tool", "tools/call", `{"name":"issues-lst"}`,
			`{"code":-32602,"message":"Unknown tool 'issues-lst'. Did you mean issues_list? tools/list names them all."}`},
		{"a tool whose name is a number", "tools/call", `{"name":5}`,
			`{"code":-32602,"message":"Invalid params of tools/call: a member has the wrong type."}`},
		{"an unknown method", "issues/list", `{}`, `{"code":-32601,"message":"Method issues/list not found"}`},
		{"a stream of notifications, of which there are none", "subscriptions/listen", `{"notifications":{},` + modern + `}`,
			`{"code":-32601,"message":"This server sends no notifications to listen for."}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method, c.params)
			response, err := json.Marshal(toolstest.Send(t.Context(), server, json.RawMessage(message)))
			if err != nil {
				t.Fatal(err)
			}
			if want := `{"jsonrpc":"2.0","id":1,"error":` + c.want + `}`; string(response) != want {
				t.Errorf("got  %s\nwant %s", response, want)
			}
		})
	}
}

// TestProtocolErrorsRepeatLittleOfWhatTheClientSent holds that no error is much
// longer than it needs to be, whatever its client sent.
func TestProtocolErrorsRepeatLittleOfWhatTheClientSent(t *testing.T) {
	server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Toolsets: set(named("issues_list", echo))})
	if err != nil {
		t.Fatal(err)
	}
	const most = 100 // runes of what was sent
	long := strings.Repeat("é", 1<<19)
	stateless := func(member, version string) string {
		return `{` + member + `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientCapabilities":{}}}`
	}
	for _, c := range []struct {
		name, method, params string
		repeats              bool
	}{
		{"an unknown method", long, `{}`, true},
		{"an unknown method of the newest protocol", long, stateless("", "2026-07-28"), true},
		{"an unknown method that ends like the error", long + " not found", `{}`, true},
		{"an unknown tool", "tools/call", `{"name":"` + long + `"}`, true},
		{"an unknown tool of the newest protocol", "tools/call", stateless(`"name":"`+long+`",`, "2026-07-28"), true},
		{"an unknown version", "tools/list", stateless("", long), true},
		{"an unknown prompt", "prompts/get", `{"name":"` + long + `"}`, false},
		{"an unknown resource", "resources/read", `{"uri":"` + long + `"}`, false},
		{"a log level", "logging/setLevel", `{"level":"` + long + `"}`, false},
		{"a reference to complete", "completion/complete", `{"ref":{"type":"` + long + `"}}`, false},
		{"an unknown task", "tasks/get", `{"taskId":"` + long + `"}`, false},
		{"a member of the wrong type", "tools/call", `{"name":["` + long + `"]}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method, c.params)
			response, err := json.Marshal(toolstest.Send(t.Context(), server, json.RawMessage(message)))
			if err != nil {
				t.Fatal(err)
			}
			text := string(response)
			if !strings.Contains(text, `"error":`) || len(text) > 700 || strings.Contains(text, strings.Repeat("é", most+1)) {
				t.Errorf("an answer of %d bytes: %.700s", len(text), text)
			}
			if !utf8.ValidString(text) || strings.Contains(text, "\ufffd") || c.repeats != strings.Contains(text, "é…") {
				t.Errorf("what was sent is not cut between two runes: %.700s", text)
			}
		})
	}
}
