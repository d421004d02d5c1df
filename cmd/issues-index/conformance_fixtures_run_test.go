package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// suiteWorkspace is a copy of the sample workspace.
func suiteWorkspace(t *testing.T) string {
	t.Helper()
	workspace := filepath.Join(realTempDir(t), "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	return workspace
}

// askSuite sends a request of a client of 2026-07-28 that offers these capabilities.
func askSuite(t *testing.T, url, capabilities, method, params string) (status int, answer string) {
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
func TestConformanceFixtures(t *testing.T) {
	url := serveSuite(t, suiteWorkspace(t))
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
		{"a document", all, "resources/read", `{"uri":"issues://here/000001"}`, 200, "000001"},
		{"a question", all, "tools/call", `{"name":"test_input_required_result_sampling","arguments":{}}`, 200, `"method":"sampling/createMessage"`},
		{"a question to a client that answers none", `{}`, "tools/call", `{"name":"test_missing_capability","arguments":{}}`, 400, `"requiredCapabilities":{"sampling":{}}`},
		{"a question to a client that answers others", `{"sampling":{}}`, "tools/call", `{"name":"test_input_required_result_capabilities","arguments":{}}`, 200, `{"capital_question":`},
	} {
		if status, answer := askSuite(t, url, c.capabilities, c.method, c.params); status != c.status || !strings.Contains(answer, c.says) {
			t.Errorf("%s: %d %s, want %d with %s", c.why, status, answer, c.status, c.says)
		}
	}
}

// A client up to 2025-11-25 is asked in the answer to its call, and answers by a request of its
// own.
func TestAskingInTheAnswerToACall(t *testing.T) {
	url := serveSuite(t, suiteWorkspace(t))
	post := func(message string) (status int, next func() string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		lines := bufio.NewScanner(response.Body)
		return response.StatusCode, func() string {
			for lines.Scan() {
				if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
					return data
				}
			}
			return ""
		}
	}
	for said, want := range map[string]string{
		`"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}`: `\"text\":\"Paris\"`,
		`"error":{"code":-1,"message":"no"}`:                                                 "gives no answer",
	} {
		_, next := post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Where?"}}}`)
		var asked struct {
			ID, Method string
			Params     json.RawMessage
		}
		if question := next(); json.Unmarshal([]byte(question), &asked) != nil || asked.Method != "sampling/createMessage" || !strings.Contains(string(asked.Params), "Where?") {
			t.Fatalf("asked %s", question)
		}
		for id, status := range map[string]int{`"guessed"`: http.StatusBadRequest, "1": http.StatusBadRequest} {
			if got, _ := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, said)); got != status {
				t.Errorf("an answer to %s: %d", id, got)
			}
		}
		reply := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,%s}`, asked.ID, said)
		if got, _ := post(reply); got != http.StatusAccepted {
			t.Errorf("the answer: %d", got)
		}
		if result := next(); !strings.Contains(result, `"id":7`) || !strings.Contains(result, want) {
			t.Errorf("after %s: %s", said, result)
		}
		if got, _ := post(reply); got != http.StatusBadRequest {
			t.Errorf("the answer again: %d", got)
		}
	}
}
