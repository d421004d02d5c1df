package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/transport"
)

// newRooted is a server whose tool where answers the folders that its client has open.
func newRooted(t *testing.T, _ func(context.Context, string) error) transport.Handler {
	t.Helper()
	schema := json.RawMessage(`{"type":"object","properties":{"depth":{"type":"integer"}}}`)
	var roots atomic.Value // of the last call, which is that of its connection
	where := tools.Tool{
		Name: "where", Description: "Answers the open folders. Reads only.", ReadOnly: true, Input: schema, Output: schema,
		Handle: func(context.Context, *tools.Args) (tools.Result, error) {
			return tools.Result{Text: "roots: " + strings.Join(roots.Load().(func() []string)(), ", ")}, nil
		},
	}
	server, err := tools.NewServer(tools.Config{
		Name: "test", Version: "1.0", Instructions: "Call where.", Output: tools.OutputText, RootsPatience: patience,
		Settings: func() *answer.Settings { return &answer.Settings{Off: true, Threshold: 4000, Bytes: 20000} },
		Toolsets: []tools.Toolset{tools.PerWorkspace(nil, false, func(*index.Index) tools.Toolset {
			return tools.Toolset{Name: "test", Tools: []tools.Tool{where}}
		})},
		Workspaces: func(_ context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
			roots.Store(ask.Roots)
			return tools.WorkspaceBinding{Settings: &answer.Settings{Off: true, Threshold: 4000, Bytes: 20000}, Release: func() {}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server.Handle
}

// TestRootsConversations plays testdata/roots/*.txtar: clients that offer roots, and clients
// that do not.
func TestRootsConversations(t *testing.T) { play(t, "testdata/roots/*.txtar", newRooted) }

const (
	offersRoots = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	callWhere   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"where","arguments":{}}}`
)

// FuzzRoots holds that whatever a client answers, calls are served, with real paths alone.
func FuzzRoots(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":"server-1","result":{"roots":[{"uri":"file:///a"}]}}`,
		`{"jsonrpc":"2.0","id":"server-1","result":{"roots":[{"uri":"file:///a"},{"uri":"file:///%2e%2e/b"},{"uri":7},null,[]]}}`,
		`{"jsonrpc":"2.0","id":"server-1","result":{"roots":{}}}`,
		`{"jsonrpc":"2.0","id":"server-1","result":null}`,
		`{"jsonrpc":"2.0","id":"server-1","error":{"code":-1}}`,
		`{"jsonrpc":"2.0","id":"server-1","error":null,"result":[]}`,
		`{"id":"server-1","result":{"roots":[{"uri":"file:///\ud800"}]}}`,
		`{"jsonrpc":"2.0","id":null,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"\u0073erver-1","result":{"roots":[{"uri":"file:///a%00b"}]}}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n" + `{"jsonrpc":"2.0","id":"server-2","result":{"roots":[{"uri":"FILE:/x"}]}}`,
		"", "[", "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		input := strings.Join([]string{offersRoots, initialized, string(answer), callWhere}, "\n")
		var out bytes.Buffer
		if err := transport.ServeStdio(t.Context(), strings.NewReader(input), &out, transport.StdioOptions{Handler: newRooted(t, nobodyWaits), MaxLine: 20_000}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(out.Bytes(), []byte(`"method":"roots/list"`)) {
			t.Fatalf("the client is not asked: %s", out.Bytes())
		}
		served := false
		for line := range strings.Lines(out.String()) {
			var response struct {
				ID     json.RawMessage
				Result struct{ Content []struct{ Text string } }
			}
			if json.Unmarshal([]byte(line), &response) != nil {
				t.Fatalf("no JSON: %q", line)
			}
			if string(response.ID) != "2" || len(response.Result.Content) == 0 {
				continue
			}
			list, ok := strings.CutPrefix(response.Result.Content[0].Text, "roots: ")
			if !ok {
				continue
			}
			served = true
			if first, _, _ := strings.Cut(list, ", "); list != "" && !filepath.IsAbs(first) {
				t.Errorf("a root %q", list)
			}
		}
		if !served {
			t.Errorf("the call is not served: %s", out.Bytes())
		}
	})
}
