package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools"
)

func TestParseMessage(t *testing.T) {
	for text, want := range map[string]tools.Message{
		"{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"method\":\"ping\"}\n": {ID: []byte("12345678901234567890"), Method: "ping"},
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}`:            {ID: []byte(`"a"`), Method: "tools/call", Params: []byte("{}")},
		`{"jsonrpc":"2.0","method":"ping","params":null}`:                         {Method: "ping"},
		`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`:                               {ID: []byte("1"), Result: []byte(`{"a":1}`)},
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`:                             {ID: []byte("1")},
	} {
		m, problem := tools.ParseMessage([]byte(text))
		if problem != nil || string(m.ID) != string(want.ID) || m.Method != want.Method || string(m.Params) != string(want.Params) || string(m.Result) != string(want.Result) {
			t.Errorf("%s: %+v, %+v", text, m, problem)
		}
	}
}

func TestParseMessageRefuses(t *testing.T) {
	for text, want := range map[string]struct {
		code     int
		id, says string
	}{
		"":         {code: mcp.PARSE_ERROR, says: "not JSON"},
		"{":        {code: mcp.PARSE_ERROR, says: "not JSON"},
		"\"\xff\"": {code: mcp.PARSE_ERROR, says: "UTF-8"},
		"[]":       {code: mcp.INVALID_REQUEST, says: "send each message by itself"},
		"7":        {code: mcp.INVALID_REQUEST, says: "a JSON object"},
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:          {code: mcp.INVALID_REQUEST, says: "a string or a number"},
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`:             {code: mcp.INVALID_REQUEST, id: "1", says: `"2.0"`},
		`{"jsonrpc":"2.0","id":1}`:                             {code: mcp.INVALID_REQUEST, id: "1", says: "has a method"},
		`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`: {code: mcp.INVALID_REQUEST, id: "1", says: "neither result nor error"},
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`: {code: mcp.INVALID_PARAMS, id: "1", says: "params is an object"},
	} {
		if m, problem := tools.ParseMessage([]byte(text)); problem == nil || problem.Code != want.code || string(m.ID) != want.id || !strings.Contains(problem.Message, want.says) {
			t.Errorf("%s: %+v, %+v", text, m, problem)
		}
	}
}

// silent is a client that says nothing and is told nothing.
type silent struct{ client tools.Client }

func (c *silent) Client() *tools.Client { return &c.client }

func (c *silent) Notify(string, any) {}

func (c *silent) Ask(context.Context, string, any) <-chan json.RawMessage { return nil }

func TestAPanicIsAnErrorOfItsRequestAlone(t *testing.T) {
	var log bytes.Buffer
	server, err := tools.NewServer(tools.Config{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
		Prompts: []tools.Prompt{
			{Name: "bad", Text: func(map[string]string) string { panic("secret") }},
			{Name: "good", Text: func(map[string]string) string { return "All is well." }},
		},
		Toolsets: set(named("echo", echo)),
	})
	if err != nil {
		t.Fatal(err)
	}
	get := func(name string) *tools.Response {
		params := json.RawMessage(`{"name":"` + name + `"}`)
		return server.Handle(t.Context(), &silent{}, tools.Message{ID: []byte("1"), Method: "prompts/get", Params: params})
	}
	if bad := get("bad"); bad.Error == nil || bad.Error.Code != mcp.INTERNAL_ERROR || strings.Contains(bad.Error.Message, "secret") {
		t.Errorf("the prompt that panics: %+v", bad.Error)
	}
	if !strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "message_test.go") {
		t.Errorf("the log does not say where it panicked:\n%s", log.String())
	}
	if good := get("good"); good.Error != nil {
		t.Errorf("the next prompt: %+v", good.Error)
	}
}
