package resources_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// modern is the _meta of a request of 2026-07-28.
var modern = map[string]any{
	"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
	"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "t", "version": "1"},
	"io.modelcontextprotocol/clientCapabilities": map[string]any{},
}

// until receives lines until one has a text, and returns it.
func (l *line) until(part string) string {
	l.Helper()
	for {
		text := l.receive()
		if text == "" {
			l.Fatalf("the connection ends without %s", part)
		}
		if strings.Contains(text, part) {
			return text
		}
	}
}

// spellings are so many URIs of one document, all different.
func spellings(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = "issues://here/ISS-" + strings.Repeat("0", 1+i%200) + fmt.Sprintf("1/section/%d", i/200)
	}
	return all
}

func TestSubscriptionsAreBounded(t *testing.T) {
	d := newDesk(t, nil)
	l := d.connect()
	l.ask(1, "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
	all := spellings(1001)
	for i, uri := range all[:1000] {
		if reply := l.ask(2+i, "resources/subscribe", map[string]any{"uri": uri}); !strings.Contains(reply, `"result":{}`) {
			t.Fatalf("%s: %s", uri, reply)
		}
	}
	if reply := l.ask(2000, "resources/subscribe", map[string]any{"uri": all[1000]}); !strings.Contains(reply, "There are 1000 subscriptions, which is the maximum.") {
		t.Errorf("one too many: %s", reply)
	}
	l.ask(2001, "resources/unsubscribe", map[string]any{"uri": all[0]})
	if reply := l.ask(2002, "resources/subscribe", map[string]any{"uri": all[1000]}); !strings.Contains(reply, `"result":{}`) {
		t.Errorf("there is no room after one has ended: %s", reply)
	}

	t.Run("also those of one request", func(t *testing.T) {
		l := d.connect()
		l.listen(t, "long", spellings(10_000))
		ack := l.until("acknowledged")
		if n := strings.Count(ack, "issues://"); n != 1000 {
			t.Errorf("%d are acknowledged", n)
		}
	})

	t.Run("and the requests of one connection", func(t *testing.T) {
		l := d.connect()
		for i := range 33 {
			l.listen(t, fmt.Sprintf("listen-%d", i), []string{"issues://here/ISS-000001"})
			if ack := l.until("acknowledged"); strings.Contains(ack, "issues://") != (i < 32) {
				t.Errorf("request %d: %s", i, ack)
			}
		}
	})
}

func (l *line) listen(t *testing.T, id string, uris []string) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": map[string]any{
		"_meta": modern, "notifications": map[string]any{"resourceSubscriptions": uris},
	}})
	if err != nil {
		t.Fatal(err)
	}
	l.send(string(raw))
}

// All connections together have 10,000 subscriptions at most, and what ends gives back its
// room and its goroutines.
func TestSubscriptionsOfAllClientsAreBounded(t *testing.T) {
	if !storetest.Long() {
		t.Skip("takes seconds: run with -long")
	}
	d := newDesk(t, nil)
	if _, failed := d.read("issues://here/ISS-000001"); failed != nil {
		t.Fatal(failed)
	}
	before := runtime.NumGoroutine()
	var lines []*line
	taken := 0
	for range 11 {
		l := d.connect()
		l.listen(t, "long", spellings(1000))
		taken += strings.Count(l.until("acknowledged"), "issues://")
		lines = append(lines, l)
	}
	if taken != 10_000 {
		t.Errorf("%d subscriptions", taken)
	}
	if n := runtime.NumGoroutine() - before; n > 20*len(lines) {
		t.Errorf("%d goroutines for %d connections", n, len(lines))
	}
	for _, l := range lines {
		l.in.Close()
		l.until(`"id":"long"`)
		if err := <-l.done; err != nil {
			t.Error(err)
		}
	}
	l := d.connect()
	l.listen(t, "again", spellings(1000))
	// The end of a subscription is noted beside the end of its connection.
	for range 1000 {
		if n := strings.Count(l.until("acknowledged"), "issues://"); n == 1000 {
			break
		}
		l.listen(t, "again", spellings(1000))
	}
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before+40; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
}

// A client that does not read is told once of whatever has changed meanwhile.
func TestAClientThatDoesNotReadCostsNoMemory(t *testing.T) {
	d := newDesk(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	told, reads := make(chan string), make(chan struct{})
	client := toolstest.Conn{Known: tools.Client{Life: ctx, Notify: func(_ string, params any) {
		select {
		case <-reads: // the first one waits here
		case <-ctx.Done():
			return
		}
		select {
		case told <- fmt.Sprint(params):
		case <-ctx.Done():
		}
	}}}
	client.Send(ctx, d.server, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"issues://here/ISS-000001"}}`))
	const changes = 50
	for i := range changes {
		d.document("ISS-000001", fmt.Sprintf("Change %d", i), "open", "")
		if _, err := d.ix.Get(t.Context(), "ISS-000001"); err != nil {
			t.Fatal(err)
		}
	}
	close(reads)
	got := 0
	d.document("ISS-000001", "The last", "open", "")
	for quiet := false; !quiet; {
		select {
		case <-told:
			got++
		case <-time.After(200 * time.Millisecond): // which only makes the test see less
			quiet = true
		}
	}
	if got == 0 || got > 3 {
		t.Errorf("%d words of %d changes", got, changes)
	}
	cancel()
}

// A workspace whose index is served no more is looked for again, and the client is told of
// what is different there.
func TestSubscriptionsFollowTheWorkspace(t *testing.T) {
	var d *desk
	var current *index.Index
	d = newDesk(t, func(c *tools.Config) {
		c.Workspaces = func(context.Context, workspaces.Ask) (tools.WorkspaceBinding, error) {
			return tools.WorkspaceBinding{Index: current, Settings: answer.Defaults(), Release: func() {}}, nil
		}
	})
	current = d.ix
	l := d.connect()
	l.listen(t, "long", []string{"issues://here/ISS-000001", "issues://here/ISS-000002"})
	l.until("acknowledged")
	ws, err := store.Open(store.Options{Root: d.root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	again, err := index.Open(context.Background(), ws, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close(); ws.Close() })
	d.document("ISS-000002", "Another", "open", "")
	current = again
	if err := d.ix.Close(); err != nil {
		t.Fatal(err)
	}
	l.until(`"uri":"issues://here/ISS-000002"`)
	d.document("ISS-000001", "Another", "open", "")
	l.until(`"uri":"issues://here/ISS-000001"`)
}
