package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

func TestAClientIsKnownByItsName(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code":                     "Claude Code",
		"Claude Code":                     "Claude Code",
		"claude-code/2.1.330":             "Claude Code",
		"codex-mcp-client":                "Codex CLI",
		"Visual Studio Code":              "VS Code",
		"Visual-Studio-Code":              "VS Code",
		"Visual Studio Code - Insiders":   "VS Code",
		"VisualStudioCode":                "VS Code",
		"github-copilot-developer":        "Copilot CLI",
		"gemini-cli-mcp-client":           "Gemini CLI",
		"gemini-cli-mcp-client-issues":    "Gemini CLI",
		"qwen-code-mcp-client":            "Qwen Code",
		"kimi-code":                       "Kimi Code",
		"Cline":                           "Cline",
		"@cline/core":                     "Cline",
		"mcphost":                         "mcphost",
		"opencode":                        "opencode",
		"OpenCode":                        "opencode",
		"factory-cli":                     "Factory droid",
		"continue-cli-client":             "Continue",
		"ai-sdk-mcp-client":               "AI SDK",
		"stdio: issues-index":             "OpenAI Agents SDK",
		"langchain-mcp-adapter":           "LangChain MCP adapters",
		"crush":                           "crush",
		"Zed":                             "Zed",
		"cursor-vscode":                   "Cursor",
		"":                                "any other",
		"inspector-client":                "any other",
		"claude":                          "any other",
		"clinejection":                    "any other",
		"my codex":                        "any other",
		strings.Repeat("claude code", 99): "any other",
	} {
		if got := tools.ProfileOf(name).Title; got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestEveryProfileIsAnOutputAndALimitThatCanBeServed(t *testing.T) {
	for _, profile := range append(tools.ClientProfiles(), tools.UnknownClient()) {
		if profile.Output != tools.OutputText && profile.Output != tools.OutputBoth {
			t.Errorf("%s gets %q", profile.Title, profile.Output)
		}
		if profile.Bytes != 0 && profile.Bytes < 2000 {
			t.Errorf("%s has a limit of %d bytes", profile.Title, profile.Bytes)
		}
		if profile.Title == "" || profile.Shows == "" {
			t.Errorf("%+v is not described", profile)
		}
	}
}

// outputSet has a tool that answers and a tool that fails.
func outputSet() []tools.Toolset {
	fails := named("fails", func(context.Context, *tools.Args) (tools.Result, error) {
		return tools.Result{}, tools.Errorf(tools.CodeConflict, "It changed.")
	})
	return set(named("echo", echo), fails)
}

func TestAutoGoesByTheClient(t *testing.T) {
	hasSchema := func(list []toolstest.Definition, tool string) bool {
		for _, d := range list {
			if d.Name == tool {
				return d.OutputSchema != nil
			}
		}
		t.Fatalf("no tool %s", tool)
		return false
	}
	for _, test := range []struct {
		client     string
		output     tools.Output
		structured bool
	}{
		{"claude-code", "", false},
		{"claude-code", tools.OutputAuto, false},
		{"Cline", tools.OutputAuto, false},
		{"some-agent", tools.OutputAuto, true},
		{"", tools.OutputAuto, true},
		{"claude-code", tools.OutputBoth, true},
		{"some-agent", tools.OutputText, false},
	} {
		c := toolstest.NewClientNamed(t, test.client, tools.Config{Output: test.output, Toolsets: outputSet()})
		list := c.List(t)
		reply := c.Call(t, "echo", map[string]any{"id": "x"})
		if got := reply.Structured != nil; got != test.structured || hasSchema(list, "echo") != test.structured {
			t.Errorf("%q with %q: structured content %t, schema %t", test.client, test.output, got, hasSchema(list, "echo"))
		}
		if costs := reply.Meta.EstimatedTokens != nil; costs != test.structured {
			t.Errorf("%q with %q: _meta %+v", test.client, test.output, reply.Meta)
		}
		c.Call(t, "fails", nil) // the client checks the form of an error
	}
}

func TestTheClientOfTheHandshakeIsRemembered(t *testing.T) {
	server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Toolsets: outputSet()})
	if err != nil {
		t.Fatal(err)
	}
	client := new(toolstest.Conn)
	ask := func(method, params string) string {
		reply, err := json.Marshal(client.Send(t.Context(), server, json.RawMessage(
			`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)))
		if err != nil {
			t.Fatal(err)
		}
		return string(reply)
	}
	ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"opencode","version":"1"}}`)
	if list := ask("tools/list", `{}`); strings.Contains(list, "outputSchema") {
		t.Errorf("the list is %s", list)
	}
	if reply := ask("tools/call", `{"name":"echo","arguments":{"id":"x"}}`); strings.Contains(reply, "structuredContent") {
		t.Errorf("the answer is %s", reply)
	}
}

// A client checks an answer against the schema that it was sent, even if it gave no name then.
func TestWhatWasListedWithASchemaIsAnsweredWithAnObject(t *testing.T) {
	server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Toolsets: outputSet()})
	if err != nil {
		t.Fatal(err)
	}
	const named = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"3"},"io.modelcontextprotocol/clientCapabilities":{}}`
	client := new(toolstest.Conn)
	ask := func(params, method string) string {
		reply, err := json.Marshal(client.Send(t.Context(), server, json.RawMessage(
			`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`)))
		if err != nil {
			t.Fatal(err)
		}
		return string(reply)
	}
	const call = `"name":"echo","arguments":{"id":"x"},` + named
	if list := ask("", "tools/list"); strings.Count(list, "outputSchema") != 2 {
		t.Errorf("without a name the list is %s", list)
	}
	if reply := ask(call, "tools/call"); !strings.Contains(reply, "structuredContent") {
		t.Errorf("after that list the answer is %s", reply)
	}
	if list := ask(named, "tools/list"); strings.Contains(list, "outputSchema") {
		t.Errorf("with a name the list is %s", list)
	}
	if reply := ask(call, "tools/call"); strings.Contains(reply, "structuredContent") {
		t.Errorf("after that list the answer is %s", reply)
	}
}

func TestAClientThatCutsEarlierGetsLess(t *testing.T) {
	explicit := func() *answer.Settings {
		s := answer.Defaults()
		s.ExplicitBytes = true
		return s
	}
	smaller := func() *answer.Settings { s := answer.Defaults(); s.Bytes = 3000; return s }
	for _, test := range []struct {
		client   string
		settings func() *answer.Settings
		limit    int
	}{
		{"Visual Studio Code", nil, 8000},
		{"Cline", nil, 7000},
		{"claude-code", nil, answer.DefaultBytes},
		{"Cline", explicit, answer.DefaultBytes},
		{"Cline", smaller, 3000},
	} {
		wide := func(_ context.Context, args *tools.Args) (tools.Result, error) {
			n := args.Budget().Bytes
			text := strings.Repeat(strings.Repeat("word ", 19)+"end.\n", n/100)
			return tools.Result{Text: text, Structured: map[string]string{"id": "x"}}, nil
		}
		tool := named("rows", wide)
		tool.Input = json.RawMessage(`{"type":"object","properties":{"maxTokens":{"type":"integer"}}}`)
		c := toolstest.NewClientNamed(t, test.client, tools.Config{Toolsets: set(tool), Settings: test.settings})
		if got := len(c.Call(t, "rows", nil).Text()); got > test.limit || got < test.limit-100 {
			t.Errorf("%s gets %d bytes, want nearly %d", test.client, got, test.limit)
		}
		raised := len(c.Call(t, "rows", map[string]any{"maxTokens": 8000}).Text())
		if capped := test.limit < answer.DefaultBytes && test.settings == nil; capped != (raised <= test.limit) {
			t.Errorf("%s gets %d bytes when it asks for more", test.client, raised)
		}
		most := len(c.Call(t, "rows", map[string]any{"maxTokens": 25000}).Text())
		if limit := tools.ProfileOf(test.client).Bytes; test.settings == nil && (most > limit || most < limit-100) {
			t.Errorf("%s gets %d bytes when it asks for the most, and shows %d", test.client, most, limit)
		}
	}
}
