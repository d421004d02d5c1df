package resources_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"issues-index/tools/transport"
)

// An exchange is a client of a server over HTTP.
type exchange struct {
	*desk
	url     string
	session string // "" for none
}

func (d *desk) overHTTP(endpoint http.Handler) exchange {
	listener := httptest.NewServer(endpoint)
	d.Cleanup(listener.Close)
	return exchange{d, listener.URL, ""}
}

// post sends a request of the revision that its _meta has, or of an older one.
func (e exchange) post(ctx context.Context, method, name string, params map[string]any) *http.Response {
	e.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
	if err != nil {
		e.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, strings.NewReader(string(message)))
	if err != nil {
		e.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if meta, _ := params["_meta"].(map[string]any); meta["io.modelcontextprotocol/protocolVersion"] != nil {
		request.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		request.Header.Set("Mcp-Method", method)
		if name != "" {
			request.Header.Set("Mcp-Name", name)
		}
	}
	return e.do(request)
}

func (e exchange) do(request *http.Request) *http.Response {
	e.Helper()
	if e.session != "" {
		request.Header.Set("Mcp-Session-Id", e.session)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		e.Fatal(err)
	}
	return response
}

// events returns the next event of a stream, "" at its end.
func events(response *http.Response) func() string {
	lines := bufio.NewScanner(response.Body)
	return func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
}

// answer is the status and the body of a request's answer.
func (e exchange) answer(method, name string, params map[string]any) (int, string) {
	e.Helper()
	response := e.post(context.Background(), method, name, params)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		e.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestOverHTTP(t *testing.T) {
	d := newDesk(t, nil)
	endpoint := transport.NewEndpoint(d.server.Handle, d.server.ScopeOf, slog.New(slog.DiscardHandler))
	e := d.overHTTP(endpoint)
	asking := map[string]any{}
	for key, value := range modern {
		asking[key] = value
	}
	asking["io.modelcontextprotocol/clientCapabilities"] = map[string]any{"elicitation": map[string]any{}}
	says := func(method, name string, params map[string]any, status int, parts ...string) string {
		t.Helper()
		got, body := e.answer(method, name, params)
		if got != status {
			t.Errorf("%s %v: status %d, want %d", method, params, got, status)
		}
		for _, part := range parts {
			if !strings.Contains(body, part) {
				t.Errorf("%s %v: %s is not in %s", method, params, part, body)
			}
		}
		return body
	}

	t.Run("the call that waits for the index reports it", func(t *testing.T) {
		for i := range 100 {
			d.document(fmt.Sprintf("ISS-003%03d", i), fmt.Sprintf("Document %d", i), "closed", body(20))
		}
		says("resources/read", "", map[string]any{"uri": "issues://here/ISS-000001", "_meta": map[string]any{"progressToken": "p"}}, 200,
			`"method":"notifications/progress"`, `"progressToken":"p"`, "id: ISS-000001")
	})

	t.Run("resources are read, and faults have the code of the revision", func(t *testing.T) {
		const here, missing = "issues://here/ISS-000001", "issues://here/ISS-000009"
		says("resources/read", here, map[string]any{"uri": here, "_meta": modern}, 200, `"text":"---\nid: ISS-000001`)
		says("resources/read", "", map[string]any{"uri": here}, 200, `"text":"---\nid: ISS-000001`)
		says("resources/read", missing, map[string]any{"uri": missing, "_meta": modern}, 400, `"id":7`, `"code":-32602`, "Issue ISS-000009 not found.")
		says("resources/read", "", map[string]any{"uri": missing}, 200, `"id":7`, `"code":-32002`, "Issue ISS-000009 not found.")
		says("prompts/get", "", map[string]any{"name": "review"}, 200, `"code":-32602`, "needs the argument id")
		says("completion/complete", "", map[string]any{
			"ref": map[string]any{"type": "ref/resource", "uri": "issues://{workspace}/{id}"}, "argument": map[string]any{"name": "id", "value": "iss"},
		}, 200, "ISS-000002")
	})

	t.Run("a user who is asked decides", func(t *testing.T) {
		call := map[string]any{"name": "issues_delete", "arguments": map[string]any{"id": "ISS-000003"}, "_meta": asking}
		asked := says("tools/call", "issues_delete", call, 200, `"resultType":"input_required"`, "elicitation/create")
		state := sealed.FindStringSubmatch(asked)[1]
		call["requestState"] = state + "AAAA"
		call["inputResponses"] = map[string]any{"confirm": map[string]any{"action": "accept", "content": map[string]any{"confirm": true}}}
		says("tools/call", "issues_delete", call, 400, `"code":-32602`, "requestState")
		call["requestState"] = state
		call["inputResponses"] = map[string]any{"confirm": map[string]any{"action": "decline"}}
		says("tools/call", "issues_delete", call, 200, "declined")
		if _, err := os.Stat(d.file("ISS-000003")); err != nil {
			t.Fatal(err)
		}
		call["inputResponses"] = map[string]any{"confirm": map[string]any{"action": "accept", "content": map[string]any{"confirm": true}}}
		says("tools/call", "issues_delete", call, 200, "Deleted ISS-000003")
		says("tools/call", "", map[string]any{"name": "issues_delete", "arguments": map[string]any{"id": "ISS-000002"}}, 200, "without confirm: true")
	})

	t.Run("a user of an older revision is asked while the call waits", func(t *testing.T) {
		e := e
		hello := e.post(t.Context(), "initialize", "", map[string]any{
			"protocolVersion": "2025-11-25", "capabilities": map[string]any{"elicitation": map[string]any{}}, "clientInfo": map[string]any{"name": "t", "version": "1"},
		})
		hello.Body.Close()
		e.session = hello.Header.Get("Mcp-Session-Id")
		for said, want := range map[string]string{
			`"error":{"code":-32601,"message":"no"}`:                           "No answer came",
			`"result":{"action":"decline"}`:                                    "declined",
			`"result":{"action":"accept","content":{"confirm":"yes"}}`:         "declined",
			`"result":{"action":"accept","content":{"confirm":true,"more":1}}`: "Deleted 'a b'",
		} {
			d.document("a b", "Another", "open", "")
			response := e.post(t.Context(), "tools/call", "", map[string]any{"name": "issues_delete", "arguments": map[string]any{"id": "a b"}})
			next := events(response)
			var asked struct {
				ID     json.RawMessage
				Method string
			}
			if err := json.Unmarshal([]byte(next()), &asked); err != nil || asked.Method != "elicitation/create" {
				t.Fatalf("asked %+v, %v", asked, err)
			}
			answer, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, asked.ID, said)))
			if err != nil {
				t.Fatal(err)
			}
			answer.Header.Set("Content-Type", "application/json")
			e.do(answer).Body.Close()
			if result := next(); !strings.Contains(result, want) {
				t.Errorf("after %s: %s", said, result)
			}
			response.Body.Close()
		}
	})

	t.Run("a client of an older revision is told of changes on the stream of its session", func(t *testing.T) {
		const first, second, missing = "issues://here/ISS-000001", "issues://here/ISS-003001", "issues://here/ISS-000009"
		hello := e.post(t.Context(), "initialize", "", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
		offered, err := io.ReadAll(hello.Body)
		hello.Body.Close()
		if err != nil || !strings.Contains(string(offered), `"resources":{"subscribe":true}`) {
			t.Errorf("%v, offered is %s", err, offered)
		}
		says("resources/subscribe", "", map[string]any{"uri": first}, 200, `"error"`, "Mcp-Session-Id")
		e := e
		e.session = hello.Header.Get("Mcp-Session-Id")
		for uri, want := range map[string]string{first: `"result":{}`, second: `"result":{}`, missing: "Issue ISS-000009 not found."} {
			if _, body := e.answer("resources/subscribe", "", map[string]any{"uri": uri}); !strings.Contains(body, want) {
				t.Errorf("subscribing to %s: %s", uri, body)
			}
		}
		d.document("ISS-000001", "Changed before the stream is open", "open", "")
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		stream := e.do(request)
		defer stream.Body.Close()
		next := events(stream)
		if told := next(); told != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"`+first+`"}}` {
			t.Errorf("told of %s", told)
		}
		if _, body := e.answer("resources/unsubscribe", "", map[string]any{"uri": first}); !strings.Contains(body, `"result":{}`) {
			t.Errorf("unsubscribing: %s", body)
		}
		d.document("ISS-000001", "Changed unseen", "open", "")
		d.document("ISS-003001", "Changed last", "open", "")
		if told := next(); !strings.Contains(told, second) {
			t.Errorf("told of %s", told)
		}
	})

	t.Run("changes are told of until the server drains", func(t *testing.T) {
		response := e.post(t.Context(), "subscriptions/listen", "", map[string]any{
			"_meta": modern, "notifications": map[string]any{"resourceSubscriptions": []string{"issues://here/ISS-000001", "issues://here/ISS-000009"}},
		})
		defer response.Body.Close()
		next := events(response)
		if ack := next(); !strings.Contains(ack, "acknowledged") || !strings.Contains(ack, "ISS-000001") || strings.Contains(ack, "ISS-000009") {
			t.Fatalf("acknowledged is %s", ack)
		}
		d.document("ISS-000001", "Another", "open", "")
		if told := next(); !strings.Contains(told, `"uri":"issues://here/ISS-000001"`) || !strings.Contains(told, `"io.modelcontextprotocol/subscriptionId":7`) {
			t.Fatalf("told of %s", told)
		}
		endpoint.Drain(t.Context())
		for last := next(); last != ""; last = next() {
			if strings.Contains(last, "updated") {
				t.Errorf("told of %s after the end", last)
			}
		}
	})
}

// Clients that are told of changes take no place from those that ask.
func TestListenersOverHTTPAreBounded(t *testing.T) {
	d := newDesk(t, nil)
	endpoint := transport.NewEndpoint(d.server.Handle, d.server.ScopeOf, slog.New(slog.DiscardHandler))
	e := d.overHTTP(endpoint)
	listen := map[string]any{"_meta": modern, "notifications": map[string]any{"resourceSubscriptions": []string{"issues://here/ISS-000001"}}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const most = 16
	for range most {
		response := e.post(ctx, "subscriptions/listen", "", listen)
		t.Cleanup(func() { response.Body.Close() })
		if response.StatusCode != http.StatusOK {
			t.Fatal(response.Status)
		}
	}
	if status, body := e.answer("subscriptions/listen", "", listen); status != http.StatusTooManyRequests {
		t.Errorf("one too many: %d %s", status, body)
	}
	if status, body := e.answer("resources/list", "", map[string]any{}); status != http.StatusOK {
		t.Errorf("a client that asks: %d %s", status, body)
	}
	cancel()
	endpoint.Drain(t.Context())
}
