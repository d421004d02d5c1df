package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// never is a patience that no test waits for.
const never = time.Hour

// A rooted is a server with one tool over workspaces, and a client with open folders.
type rooted struct {
	t       *testing.T
	server  *tools.Server
	client  toolstest.Conn
	answers []chan json.RawMessage // to the questions, in their order
	open    []string               // in the last call
}

func newRooted(t *testing.T, patience time.Duration) *rooted {
	t.Helper()
	r := &rooted{t: t}
	r.client.Asked = func(string, any) <-chan json.RawMessage {
		answer := make(chan json.RawMessage, 1)
		r.answers = append(r.answers, answer)
		return answer
	}
	server, err := tools.NewServer(tools.Config{
		Name: "test", Version: "1.0", Instructions: "Call echo.", Output: tools.OutputText, RootsPatience: patience,
		Toolsets: []tools.Toolset{tools.PerWorkspace(nil, false, func(*index.Index) tools.Toolset {
			return set(named("echo", echo))[0]
		})},
		Workspaces: func(_ context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
			r.open = ask.Roots()
			return tools.WorkspaceBinding{Settings: answer.Defaults(), Release: func() {}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.server = server
	return r
}

func (r *rooted) send(method, params string) {
	r.t.Helper()
	id := `"id":1,`
	if strings.HasPrefix(method, "notifications/") {
		id = ""
	}
	r.client.Send(r.t.Context(), r.server, json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":%s}`, id, method, params)))
}

func (r *rooted) shakeHands() {
	r.send("initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}`)
	r.send("notifications/initialized", `{}`)
}

// call returns what the client has open, as a call sees it.
func (r *rooted) call() []string {
	r.send("tools/call", `{"name":"echo","arguments":{"id":"x"}}`)
	return r.open
}

// eventually calls until the client has this open: an answer that nobody waits for is read
// beside the calls.
func (r *rooted) eventually(want ...string) {
	r.t.Helper()
	for began := time.Now(); !slices.Equal(r.call(), want); {
		if time.Since(began) > time.Minute {
			r.t.Fatalf("%q is open, want %q", r.open, want)
		}
	}
}

func answerOf(uris ...string) json.RawMessage {
	list := []map[string]string{}
	for _, uri := range uris {
		list = append(list, map[string]string{"uri": uri})
	}
	text, err := json.Marshal(map[string]any{"roots": list})
	if err != nil {
		panic(err)
	}
	return text
}

func TestClientRoots(t *testing.T) {
	t.Run("a client is asked once, and its first call waits for the answer", func(t *testing.T) {
		r := newRooted(t, never)
		r.shakeHands()
		r.answers[0] <- answerOf("file:///a", "file:///b")
		for range 3 {
			if got := r.call(); !slices.Equal(got, []string{"/a", "/b"}) {
				t.Errorf("%q is open", got)
			}
		}
		if len(r.answers) != 1 {
			t.Errorf("asked %d times", len(r.answers))
		}
	})

	t.Run("a change counts from the next call on", func(t *testing.T) {
		r := newRooted(t, never)
		r.shakeHands()
		r.answers[0] <- answerOf("file:///a")
		r.call()
		r.send("notifications/roots/list_changed", `{}`)
		r.answers[1] <- answerOf("file:///b")
		if got := r.call(); !slices.Equal(got, []string{"/b"}) {
			t.Errorf("%q is open", got)
		}
	})

	t.Run("one that never answers is waited for once", func(t *testing.T) {
		r := newRooted(t, time.Nanosecond)
		r.shakeHands()
		if got := r.call(); got != nil {
			t.Errorf("%q is open", got)
		}
		r.send("notifications/roots/list_changed", `{}`)
		if got := r.call(); got != nil || len(r.answers) != 2 {
			t.Errorf("%q is open, asked %d times", got, len(r.answers))
		}

		r.answers[1] <- answerOf("file:///late")
		r.eventually("/late")
	})

	t.Run("roots that have changed do not count until the new ones are known", func(t *testing.T) {
		r := newRooted(t, time.Nanosecond)
		r.shakeHands()
		r.answers[0] <- answerOf("file:///a")
		r.eventually("/a")
		r.send("notifications/roots/list_changed", `{}`)
		if got := r.call(); got != nil {
			t.Errorf("%q is open", got)
		}
		r.answers[1] <- answerOf("file:///b")
		r.eventually("/b")
	})

	t.Run("a new handshake begins anew", func(t *testing.T) {
		r := newRooted(t, never)
		r.shakeHands()
		r.answers[0] <- answerOf("file:///a")
		r.call()
		r.send("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"u","version":"1"}}`)
		r.send("notifications/initialized", `{}`)
		if got := r.call(); got != nil || len(r.answers) != 1 {
			t.Errorf("%q is open, asked %d times", got, len(r.answers))
		}
	})

	t.Run("a call of a revision without roots has none", func(t *testing.T) {
		r := newRooted(t, never)
		r.shakeHands()
		r.open = []string{"unset"}
		r.send("tools/call", `{"name":"echo","arguments":{"id":"x"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}`)
		if r.open != nil {
			t.Errorf("%q is open", r.open)
		}
	})

	t.Run("an answer is bounded", func(t *testing.T) {
		r := newRooted(t, never)
		r.shakeHands()
		uris := []string{"file:///" + strings.Repeat("x", 5000)}
		for n := range 200 {
			uris = append(uris, fmt.Sprintf("file:///%d", n))
		}
		r.answers[0] <- answerOf(uris...)
		if got := r.call(); len(got) != 99 || got[0] != "/0" {
			t.Errorf("%d are open", len(got))
		}
	})
}
