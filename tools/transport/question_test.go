package transport

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"issues-index/tools"
)

// confirms does what the user agrees to, and says whether one could be asked.
func confirms(ctx context.Context, args *tools.Args) (tools.Result, error) {
	agreed, err := args.Confirm(func() (tools.Confirmation, error) {
		return tools.Confirmation{Question: "Shall it be done?", Undone: "nothing was done"}, nil
	})
	if err != nil || agreed {
		return tools.Result{}, err
	}
	return tools.Result{Text: "nobody to ask", Structured: map[string]string{}}, nil
}

// asked calls, and returns the beginning of what is answered, a question or the result, and
// the rest.
func (f *fixture) asked(ctx context.Context, t *testing.T, session string) (rest io.Reader, first string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, strings.NewReader(act))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Mcp-Session-Id", session)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	part := make([]byte, 1<<10)
	n, err := answer.Body.Read(part)
	if n == 0 {
		t.Fatal(err)
	}
	return answer.Body, string(part[:n])
}

// Whether the user of a client can be asked is in the id of its session, so that nothing is
// remembered of it.
func TestASessionSaysWhetherItsUserCanBeAsked(t *testing.T) {
	f := serve(t, confirms)
	asks := func(capabilities string) string {
		r, _ := f.post(t, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"one","version":"1"}}}`)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		_, said := f.asked(ctx, t, r.Header.Get("Mcp-Session-Id"))
		return said
	}
	for capabilities, want := range map[string]string{
		`{"elicitation":{}}`: "elicitation/create", `{"elicitation":{"form":{}}}`: "elicitation/create",
		`{"elicitation":{"url":{}}}`: "nobody to ask", `{}`: "nobody to ask", `{"sampling":{}}`: "nobody to ask",
	} {
		if said := asks(capabilities); !strings.Contains(said, want) {
			t.Errorf("%s: %s", capabilities, said)
		}
	}
	for waiting := 1; waiting > 0; { // until the questions of those who have gone have ended
		f.Endpoint.asked.mu.Lock()
		waiting = len(f.Endpoint.asked.waiting)
		f.Endpoint.asked.mu.Unlock()
		runtime.Gosched()
	}
}

// A user may take minutes to answer, and could not any more: the server takes no requests.
func TestDrainWaitsForNoUser(t *testing.T) {
	f := serve(t, confirms)
	r, _ := f.post(t, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"one","version":"1"}}}`)
	answer, said := f.asked(t.Context(), t, r.Header.Get("Mcp-Session-Id"))
	if !strings.Contains(said, "elicitation/create") {
		t.Fatalf("the user was not asked: %s", said)
	}
	f.Drain(t.Context())
	if rest, err := io.ReadAll(answer); err != nil || !strings.Contains(string(rest), "No answer came from the user; nothing was done.") {
		t.Errorf("%v, %s", err, rest)
	}
}
