package transport

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestRefusalsSayWhatToDoNext(t *testing.T) {
	f := serve(t, done)
	session := f.begin(t, "one")
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for why, c := range map[string]struct {
		method, body string
		headers      map[string]string
		status, code int
		says         string
	}{
		"nothing":             {body: "", status: 400, code: -32700, says: "not JSON"},
		"no JSON":             {body: "{bad", status: 400, code: -32700, says: "not JSON"},
		"a batch":             {body: "[" + ping + "]", status: 400, code: -32600, says: "send each message by itself"},
		"no object":           {body: `"ping"`, status: 400, code: -32600, says: "is a JSON object"},
		"no version":          {body: `{"id":7,"method":"ping"}`, status: 400, code: -32600, says: `jsonrpc is "2.0"`},
		"no method":           {body: `{"jsonrpc":"2.0","id":7}`, status: 400, code: -32600, says: "has a method"},
		"params in a list":    {body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}`, status: 400, code: -32602, says: "params is an object"},
		"params of no call":   {body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}`, status: 200, code: -32602, says: "has the wrong type"},
		"an unknown method":   {body: `{"jsonrpc":"2.0","id":7,"method":"pong"}`, status: 200, code: -32601, says: "Method pong not found"},
		"an unknown tool":     {body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"acts"}}`, status: 200, code: -32602, says: "Did you mean act?"},
		"another type":        {body: ping, headers: map[string]string{"Content-Type": "text/plain"}, status: 415, code: -32600, says: "Content-Type: application/json"},
		"no type":             {body: ping, headers: map[string]string{"Content-Type": ""}, status: 415, code: -32600, says: "Content-Type: application/json"},
		"another's session":   {body: ping, headers: map[string]string{"Mcp-Session-Id": "made-up"}, status: 404, code: -32600, says: "Send initialize again"},
		"an unknown revision": {body: ping, headers: map[string]string{"Mcp-Protocol-Version": "1999-01-01"}, status: 400, code: -32600, says: "2025-11-25"},
		"a newer revision": {
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`, headers: map[string]string{"Mcp-Protocol-Version": "2099-01-01"},
			status: 400, code: -32022, says: `"supported":["2026-07-28"`,
		},
		"an answer to nothing":      {body: `{"jsonrpc":"2.0","id":7,"result":{"a":1}}`, status: 400, code: -32600, says: "no question"},
		"GET":                       {method: http.MethodGet, status: 405, code: -32600, says: "by POST"},
		"OPTIONS":                   {method: http.MethodOptions, status: 405, code: -32600, says: "by POST"},
		"PUT":                       {method: http.MethodPut, body: ping, status: 405, code: -32600, says: "by POST"},
		"DELETE of a new revision":  {method: http.MethodDelete, headers: map[string]string{"Mcp-Protocol-Version": "2026-07-28"}, status: 405, code: -32600, says: "no session to end"},
		"GET of one without a type": {method: http.MethodGet, headers: map[string]string{"Content-Type": "", "Accept": "text/html"}, status: 405, code: -32600, says: "leave out /mcp"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, f.url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.method == "" {
			request.Method = http.MethodPost
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range c.headers {
			request.Header.Set(name, value)
		}
		r, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			JSONRPC string
			ID      json.RawMessage
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil || answer.JSONRPC != "2.0" || answer.ID == nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v, %s: %s", why, err, r.Header.Get("Content-Type"), body)
		}
		if r.StatusCode != c.status || answer.Error.Code != c.code || !strings.Contains(strings.ReplaceAll(string(body), `\"`, `"`), c.says) {
			t.Errorf("%s: %d, %s", why, r.StatusCode, body)
		}
		if allow := r.Header.Get("Allow"); (r.StatusCode == http.StatusMethodNotAllowed) != (allow != "") {
			t.Errorf("%s: %d, allowed is %q", why, r.StatusCode, allow)
		}
	}
	if r, body := f.post(t, session, `{"jsonrpc":"2.0","id":7,"result":{"action":"decline"}}`); r.StatusCode != http.StatusAccepted || body != "" {
		t.Errorf("an answer to a question of a call that is over: %d, %s", r.StatusCode, body)
	}
	if r, body := f.post(t, session, strings.Replace(ping, "7", "9007199254740993", 1)); body != `{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`+"\n" {
		t.Errorf("an id that a float cannot hold: %d, %s", r.StatusCode, body)
	}
	if r, body := f.post(t, session, ping); r.StatusCode != http.StatusOK || body != `{"jsonrpc":"2.0","id":7,"result":{}}`+"\n" {
		t.Errorf("a message with which nothing is wrong: %d, %s", r.StatusCode, body)
	}
}

// A client that says how long its message is need not send it to learn that it is too long.
func TestAMessageThatIsTooLongIsRefusedUnread(t *testing.T) {
	f := serve(t, done)
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 6291456\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(connection); err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 413 ") || !strings.Contains(string(said), "5 MiB") {
		t.Errorf("%v, %s", err, said)
	}
}
