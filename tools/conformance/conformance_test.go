package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/conformance"
	"issues-index/tools/streamable"
)

// serve serves the fixtures beside a set of resources of its own.
func serve(t *testing.T) (url string) {
	t.Helper()
	server, err := tools.NewServer(tools.Config{
		Name: "test", Version: "1", Elicit: true, Extend: conformance.Extend,
		Toolsets: []tools.Toolset{conformance.Toolset()}, Prompts: conformance.Prompts(),
		Resources: conformance.Resources(&tools.ResourceSet{
			List: func(context.Context, *tools.ResourceRequest) ([]tools.Resource, error) {
				return []tools.Resource{{URI: "other://one", Name: "one"}}, nil
			},
			Read: func(_ context.Context, r *tools.ResourceRequest) (tools.ResourceText, error) {
				return tools.ResourceText{Text: "the text of " + r.URI}, nil
			},
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(streamable.New(server, slog.New(slog.DiscardHandler)))
	t.Cleanup(listener.Close)
	return listener.URL
}

// ask sends a request of a client of 2026-07-28 that offers these capabilities.
func ask(t *testing.T, url, capabilities, method, params string) (status int, answer string) {
	t.Helper()
	var named struct{ Name, URI string }
	if err := json.Unmarshal([]byte(params), &named); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s}}}`,
		method, strings.TrimSuffix(params, "}"), capabilities)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": named.Name + named.URI,
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// The suite itself needs node; this is what can be told without it.
func TestFixtures(t *testing.T) {
	url := serve(t)
	const all = `{"elicitation":{},"sampling":{},"roots":{}}`
	for _, c := range []struct {
		why                          string
		capabilities, method, params string
		status                       int
		says                         string
	}{
		{"a tool of ours", all, "tools/call", `{"name":"test_simple_text","arguments":{}}`, 200, "simple text response"},
		{"a tool below", all, "tools/call", `{"name":"test_image_content","arguments":{}}`, 200, `"mimeType":"image/png"`},
		{"a prompt of ours", all, "prompts/get", `{"name":"test_prompt_with_arguments","arguments":{"arg1":"a","arg2":"b"}}`, 200, "arg2='b'"},
		{"a prompt below", all, "prompts/get", `{"name":"test_prompt_with_image"}`, 200, `"mimeType":"image/png"`},
		{"a prompt that there is not", all, "prompts/get", `{"name":"test_none"}`, 400, "There is no prompt 'test_none'."},
		{"a template", all, "resources/read", `{"uri":"test://template/a/data"}`, 200, "Data for ID: a"},
		{"a resource below", all, "resources/read", `{"uri":"test://static-binary"}`, 200, `"blob":"iVBOR`},
		{"a resource that there is not", all, "resources/read", `{"uri":"test://none"}`, 400, "There is no resource 'test://none'."},
		{"a resource of the others", all, "resources/read", `{"uri":"other://one"}`, 200, "the text of other://one"},
		{"a question", all, "tools/call", `{"name":"test_input_required_result_sampling","arguments":{}}`, 200, `"method":"sampling/createMessage"`},
		{"a question to a client that answers none", `{}`, "tools/call", `{"name":"test_missing_capability","arguments":{}}`, 400, `"requiredCapabilities":{"sampling":{}}`},
		{"a question to a client that answers others", `{"sampling":{}}`, "tools/call", `{"name":"test_input_required_result_capabilities","arguments":{}}`, 200, `{"capital_question":`},
	} {
		if status, answer := ask(t, url, c.capabilities, c.method, c.params); status != c.status || !strings.Contains(answer, c.says) {
			t.Errorf("%s: %d %s, want %d with %s", c.why, status, answer, c.status, c.says)
		}
	}
}
