package toolstest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	_ "issues-index/store/storetest" // sizes, and rarer collections of garbage
	"issues-index/tools"
)

// A Client calls the tools of a server without a transport.
type Client struct {
	server  *tools.Server
	conn    Conn
	name    string // that each request gives as its client's; "" for none
	outputs map[string]*jsonschema.Schema
}

// An ErrorDetails is what an error says to programs.
type ErrorDetails struct {
	Code, Message, Field, Remediation string
	Upstream                          json.RawMessage
}

// An Answer is the result of a call. Meta is its _meta; the error of an answer that is
// text has its code and message from the text.
type Answer struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Meta       struct {
		EstimatedTokens *int     `json:"estimatedTokens"`
		BudgetUsed      *float64 `json:"budgetUsed"`
		BudgetRemaining *int     `json:"budgetRemaining"`

		Error *ErrorDetails `json:"error"`
	} `json:"_meta"`
}

// Text returns the one text block of an answer.
func (a Answer) Text() string { return a.Content[0].Text }

// NewClient assembles a server; a configuration without a name gets one.
func NewClient(t *testing.T, c tools.Config) *Client { return NewClientNamed(t, "", c) }

// NewClientNamed assembles a server whose client gives this name in every request.
func NewClientNamed(t *testing.T, name string, c tools.Config) *Client {
	t.Helper()
	if c.Name == "" {
		c.Name, c.Version = "test", "0"
	}
	server, err := tools.NewServer(c)
	if err != nil {
		t.Fatal(err)
	}
	client := &Client{server: server, name: name, outputs: make(map[string]*jsonschema.Schema)}
	for _, d := range client.List(t) {
		if d.OutputSchema == nil {
			continue
		}
		if client.outputs[d.Name], err = compile(d.OutputSchema); err != nil {
			t.Fatalf("%s: compile output schema: %v", d.Name, err)
		}
	}
	return client
}

// Call calls a tool and fails the test unless the answer has the form that
// every answer has: one text block, structured content that conforms to the
// tool's schema or none, and, unless it is text, what it costs or the details of an
// error.
func (c *Client) Call(t *testing.T, name string, arguments any) Answer {
	t.Helper()
	var answer Answer
	c.request(t, "tools/call", map[string]any{"name": name, "arguments": arguments}, &answer)
	if len(answer.Content) != 1 || answer.Content[0].Type != "text" || answer.Text() == "" {
		t.Fatalf("%s %v: the content is not one text block: %+v", name, arguments, answer.Content)
	}
	schema := c.outputs[name]
	m := &answer.Meta
	if costs := m.EstimatedTokens != nil && m.BudgetUsed != nil && m.BudgetRemaining != nil; costs != (schema != nil && !answer.IsError) {
		t.Fatalf("%s %v: a success with structured content tells its cost, nothing else does: %+v", name, arguments, m)
	}
	if (m.Error != nil) != (schema != nil && answer.IsError) {
		t.Fatalf("%s %v: an error beside structured content has details, nothing else has: %+v", name, arguments, m)
	}
	if answer.IsError {
		if answer.Structured != nil {
			t.Fatalf("%s %v: an error with structured content: %+v", name, arguments, answer)
		}
		if m.Error == nil {
			code, message, _ := strings.Cut(strings.TrimPrefix(answer.Text(), "Error ["), "]: ")
			m.Error = &ErrorDetails{Code: code, Message: message}
		}
		return answer
	}
	if (schema == nil) != (answer.Structured == nil) {
		t.Fatalf("%s %v: structured content and output schema do not go together: %s", name, arguments, answer.Structured)
	}
	if schema != nil {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer.Structured))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Fatalf("%s %v: structured content breaks the output schema: %v\n%s", name, arguments, err, answer.Structured)
		}
	}
	return answer
}

// Must calls a tool, fails the test on an error, and returns the structured content
// and the text.
func Must[A any](t *testing.T, c *Client, name string, arguments any) (structured A, text string) {
	t.Helper()
	answer := c.Call(t, name, arguments)
	if answer.IsError {
		t.Fatalf("%s %v: %s", name, arguments, answer.Text())
	}
	if err := json.Unmarshal(answer.Structured, &structured); err != nil {
		t.Fatal(err)
	}
	return structured, answer.Text()
}

// Refused calls a tool, fails the test unless the answer is an error with this code,
// and returns its text.
func (c *Client) Refused(t *testing.T, code tools.Code, name string, arguments any) string {
	t.Helper()
	answer := c.Call(t, name, arguments)
	if !answer.IsError || answer.Meta.Error.Code != string(code) {
		t.Fatalf("%s %v: want %s, got %s", name, arguments, code, answer.Text())
	}
	return answer.Text()
}

// List returns the definitions that tools/list shows this client.
func (c *Client) List(t *testing.T) []Definition {
	t.Helper()
	var result struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor string            `json:"nextCursor"`
	}
	c.request(t, "tools/list", map[string]any{}, &result)
	if result.NextCursor != "" {
		t.Fatal("tools/list takes more than one page")
	}
	list := make([]Definition, len(result.Tools))
	for i, raw := range result.Tools {
		if err := json.Unmarshal(raw, &list[i]); err != nil {
			t.Fatal(err)
		}
		list[i].JSON = raw
	}
	return list
}

// request sends a request and decodes its result.
func (c *Client) request(t *testing.T, method string, params map[string]any, into any) {
	t.Helper()
	if c.name != "" {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": c.name, "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	var response bytes.Buffer
	encoder := json.NewEncoder(&response)
	encoder.SetEscapeHTML(false) // as stdio sends it
	if err := encoder.Encode(c.conn.Send(t.Context(), c.server, message)); err != nil {
		t.Fatal(err)
	}
	var envelope struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(response.Bytes(), &envelope); err != nil {
		t.Fatal(err)
	}
	if envelope.Error != nil {
		t.Fatalf("%s %v: protocol error %s", method, params, envelope.Error)
	}
	if err := json.Unmarshal(envelope.Result, into); err != nil {
		t.Fatal(err)
	}
}

func compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", document); err != nil {
		return nil, err
	}
	return compiler.Compile("schema.json")
}
