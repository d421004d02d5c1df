package streamable

import (
	"context"
	"fmt"
	"io"
	"net/http"
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

func TestWhatIsRememberedOfClientsIsBounded(t *testing.T) {
	const asks = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"one","version":"1"}}}`
	f := serve(t, confirms)
	begin := func() string {
		r, _ := f.post(t, "", asks)
		return r.Header.Get("Mcp-Session-Id")
	}
	for range 50 {
		f.begin(t, "one that cannot ask its user")
	}
	if n := f.sessions.used.Len(); n > 0 {
		t.Errorf("%d sessions are remembered of which nothing is to be known", n)
	}
	first := begin()
	ctx, leave := context.WithCancel(t.Context())
	if _, said := f.asked(ctx, t, first); !strings.Contains(said, "elicitation/create") {
		t.Errorf("the user of the first session was not asked: %s", said)
	}
	leave()
	last := ""
	for range maxSessions {
		last = begin()
	}
	for i := range 50 { // ids of sessions that nobody has begun
		f.post(t, fmt.Sprintf("%010d.b25l", i), `{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	}
	if n := f.sessions.used.Len(); n != maxSessions || len(f.sessions.at) != n {
		t.Errorf("%d sessions are remembered, and %d places", n, len(f.sessions.at))
	}
	if _, said := f.asked(t.Context(), t, first); !strings.Contains(said, "nobody to ask") {
		t.Errorf("the first session is remembered still: %s", said)
	}
	ctx, leave = context.WithCancel(t.Context())
	defer leave()
	if _, said := f.asked(ctx, t, last); !strings.Contains(said, "elicitation/create") {
		t.Errorf("the last session is forgotten: %s", said)
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
