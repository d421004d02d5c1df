package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"issues-index/tools"
)

// A fixture is a handler that is served, with what its tool is told to do.
type fixture struct {
	*Endpoint
	url  string
	mu   sync.Mutex
	seen []tools.Call
}

// serve serves one tool over HTTP.
func serve(t *testing.T, handle func(context.Context, *tools.Args) (tools.Result, error)) *fixture {
	t.Helper()
	f := &fixture{}
	s, err := tools.NewServer(tools.Config{
		Name: "test", Version: "1", Elicit: true,
		Toolsets: []tools.Toolset{{Name: "test", Tools: []tools.Tool{{
			Name: "act", Description: "Does what the test needs.", ReadOnly: true,
			Input:  json.RawMessage(`{"type":"object","properties":{}}`),
			Output: json.RawMessage(`{"type":"object","properties":{}}`),
			Handle: handle,
		}, {
			Name: "change", Description: "Does the same, and may write.",
			Input:  json.RawMessage(`{"type":"object","properties":{}}`),
			Output: json.RawMessage(`{"type":"object","properties":{}}`),
			Handle: handle,
		}}}},
		Record: func(c tools.Call) { f.mu.Lock(); defer f.mu.Unlock(); f.seen = append(f.seen, c) },
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Endpoint = NewEndpoint(s.Handle, s.ScopeOf, slog.New(slog.DiscardHandler))
	listener := httptest.NewServer(f)
	t.Cleanup(listener.Close)
	f.url = listener.URL
	return f
}

// A posted message was answered so.
type posted struct {
	StatusCode int
	Header     http.Header
}

// post sends a message of a session, "" for none.
func (f *fixture) post(t *testing.T, session, message string) (r posted, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return posted{answer.StatusCode, answer.Header}, string(read)
}

// begin shakes hands and returns the id of the session.
func (f *fixture) begin(t *testing.T, client string) string {
	t.Helper()
	r, body := f.post(t, "", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}`, client))
	id := r.Header.Get("Mcp-Session-Id")
	if r.StatusCode != http.StatusOK || id == "" {
		t.Fatalf("initialize: %d, session %q, %s", r.StatusCode, id, body)
	}
	return id
}

const (
	act  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"act","arguments":{}}}`
	acts = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"act","arguments":{},"_meta":{"progressToken":"p"}}}`
)

func done(context.Context, *tools.Args) (tools.Result, error) {
	return tools.Result{Text: "done", Structured: map[string]string{}}, nil
}

func TestAClientThatGoesAwayEndsItsCall(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	f := serve(t, func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		begun <- struct{}{}
		<-ctx.Done() // the test's own limit fails it otherwise
		close(ended)
		return done(ctx, args)
	})
	for _, message := range []string{act, acts, strings.Replace(act, `"act"`, `"change"`, 1)} {
		ended = make(chan struct{})
		ctx, leave := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if answer, err := http.DefaultClient.Do(request); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body) // of a stream, until leave
				answer.Body.Close()
			}
		}()
		<-begun
		leave()
		<-gone
		<-ended
	}
}

func TestClientsOfOneServerAreToldApart(t *testing.T) {
	var holders []string
	f := serve(t, func(_ context.Context, args *tools.Args) (tools.Result, error) {
		holders = append(holders, args.Holder())
		return tools.Result{Text: "done", Structured: map[string]string{}}, nil
	})
	first, second, third := f.begin(t, "one"), f.begin(t, "two"), f.begin(t, "two")
	for _, session := range []string{first, second, third, first, ""} {
		if r, body := f.post(t, session, act); r.StatusCode != http.StatusOK || !strings.Contains(body, "done") {
			t.Fatalf("session %q: %d, %s", session, r.StatusCode, body)
		}
	}
	if !strings.HasPrefix(holders[0], "one/") || !strings.HasPrefix(holders[1], "two/") || holders[1] == holders[2] || holders[0] != holders[3] || holders[4] != "agent/127.0.0.1" {
		t.Errorf("the holders are %q", holders)
	}
	if f.seen[0].Client != "one" || f.seen[1].Client != "two" || f.seen[4].Client == "two" {
		t.Errorf("the clients on the record are %q, %q, %q", f.seen[0].Client, f.seen[1].Client, f.seen[4].Client)
	}
	if r, _ := f.post(t, "made-up", act); r.StatusCode != http.StatusNotFound {
		t.Errorf("the id of another server's session: %d", r.StatusCode)
	}
}

func TestProgressIsSentBeforeTheAnswer(t *testing.T) {
	f := serve(t, func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		args.Progress(1, 2, "half")
		return done(ctx, args)
	})
	r, body := f.post(t, f.begin(t, "one"), acts)
	progress, answer := strings.Index(body, "half"), strings.Index(body, "done")
	if r.Header.Get("Content-Type") != "text/event-stream" || progress < 0 || answer < progress {
		t.Errorf("%s: %s", r.Header.Get("Content-Type"), body)
	}
}

// However short a call is, its client gets each notification, in order and on the stream of
// the call, with other calls of its session beside it.
func TestNoNotificationIsLost(t *testing.T) {
	const steps, clients, calls = 3, 4, 50
	f := serve(t, func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		for step := range steps {
			args.Progress(step, steps, "on the way")
		}
		return done(ctx, args)
	})
	session := f.begin(t, "one")
	progress := regexp.MustCompile(`"progress":(\d+),"progressToken":"([^"]*)"`)
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for call := range calls {
				token := fmt.Sprintf("%d-%d", client, call)
				_, body := f.post(t, session, strings.Replace(acts, `"p"`, `"`+token+`"`, 1))
				var got, want []string
				for _, m := range progress.FindAllStringSubmatch(body, -1) {
					got = append(got, m[2]+" "+m[1])
				}
				for step := range steps {
					want = append(want, fmt.Sprintf("%s %d", token, step))
				}
				if !slices.Equal(got, want) || !strings.Contains(body, "done") {
					t.Errorf("call %s is told of %q: %s", token, got, body)
				}
			}
		})
	}
	all.Wait()
}

// What a tool says after its end belongs to no other answer of the connection.
func TestAnAnswerThatHasEndedIsToldNothing(t *testing.T) {
	var last *tools.Args
	f := serve(t, func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		args.Progress(1, 3, "in time")
		last = args
		return done(ctx, args)
	})
	session := f.begin(t, "one")
	if _, body := f.post(t, session, acts); !strings.Contains(body, "in time") {
		t.Fatal(body)
	}
	last.Progress(2, 3, "late")
	if r, body := f.post(t, session, act); r.StatusCode != http.StatusOK || !strings.HasPrefix(body, `{"jsonrpc"`) || strings.Contains(body, "late") {
		t.Errorf("the next answer: %d, %s", r.StatusCode, body)
	}
}

func TestAMessageHasAtMostFiveMebibytes(t *testing.T) {
	f := serve(t, done)
	r, body := f.post(t, "", strings.Repeat(" ", 6<<20))
	if r.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(body, `"jsonrpc"`) || !strings.Contains(body, "5 MiB") {
		t.Errorf("%d, %s", r.StatusCode, body)
	}
	if r, body := f.post(t, "", strings.Repeat(" ", 4<<20)+act); r.StatusCode != http.StatusOK {
		t.Errorf("a message of 4 MiB: %d, %s", r.StatusCode, body)
	}
}

func TestOnlySoManyRequestsAreAnsweredAtOnce(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	f := serve(t, func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		begun <- struct{}{}
		<-end
		return done(ctx, args)
	})
	var running sync.WaitGroup
	for range maxRequests {
		running.Go(func() {
			if r, body := f.post(t, "", act); r.StatusCode != http.StatusOK {
				t.Errorf("%d, %s", r.StatusCode, body)
			}
		})
		<-begun
	}
	if r, _ := f.post(t, "", act); r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
		t.Errorf("one more: %d, retry after %q", r.StatusCode, r.Header.Get("Retry-After"))
	}

	drained := make(chan struct{})
	go func() { defer close(drained); f.Drain(t.Context()) }()
	for { // until Drain has begun
		r, _ := f.post(t, "", act)
		if r.StatusCode == http.StatusServiceUnavailable {
			break
		}
	}
	select {
	case <-drained:
		t.Error("drained with requests in progress")
	default:
	}
	close(end)
	running.Wait()
	<-drained
}

func TestACallEndsWithItsClient(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	f := serve(t, func(ctx context.Context, _ *tools.Args) (tools.Result, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return tools.Result{}, ctx.Err()
	})
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, strings.NewReader(act))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	go func() { <-begun; leave() }()
	if r, err := http.DefaultClient.Do(request); err == nil {
		r.Body.Close()
		t.Error("the call was answered")
	}
	<-ended
}

// A client that says goodbye is forgotten, but told that there is nothing to end: its id stays
// good.
func TestASessionIsNotEnded(t *testing.T) {
	f := serve(t, done)
	r, _ := f.post(t, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"one","version":"1"}}}`)
	session := r.Header.Get("Mcp-Session-Id")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, f.url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Mcp-Session-Id", session)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %d", answer.StatusCode)
	}
	if r, body := f.post(t, session, act); r.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d, %s", r.StatusCode, body)
	}
}
