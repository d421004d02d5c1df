package resources_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The first call of a server waits for its index to be built. A client that asks for it is
// told how far that is, of a read as of a call; one that does not is not.
func TestACallThatWaitsForTheIndexReportsIt(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		params map[string]any
	}{
		"a call":     {"tools/call", map[string]any{"name": "issues_get", "arguments": map[string]any{"id": "ISS-000001"}}},
		"a resource": {"resources/read", map[string]any{"uri": "issues://here/ISS-000001"}},
	} {
		for _, asks := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, asked %v", name, asks), func(t *testing.T) {
				d := newDesk(t, nil)
				for i := range 300 {
					d.document(fmt.Sprintf("ISS-002%03d", i), fmt.Sprintf("Document %d", i), "open", body(20))
				}
				l := d.connect()
				params := map[string]any{"_meta": map[string]any{}}
				for key, value := range c.params {
					params[key] = value
				}
				if asks {
					params["_meta"] = map[string]any{"progressToken": "p"}
				}
				raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": c.method, "params": params})
				if err != nil {
					t.Fatal(err)
				}
				l.send(string(raw))
				told, last := 0, -1.0
				for {
					text := l.receive()
					if strings.Contains(text, `"id":7`) {
						if !strings.Contains(text, "Sign in") {
							t.Errorf("the answer is %s", text)
						}
						break
					}
					var note struct {
						Method string
						Params struct {
							ProgressToken   string
							Progress, Total float64
							Message         string
						}
					}
					if err := json.Unmarshal([]byte(text), &note); err != nil {
						t.Fatal(err)
					}
					p := note.Params
					if note.Method != "notifications/progress" || p.ProgressToken != "p" || p.Progress <= last || p.Progress > p.Total || p.Message == "" {
						t.Errorf("after %v: %s", last, text)
					}
					told, last = told+1, p.Progress
				}
				if asks != (told > 0) || told > 110 {
					t.Errorf("told %d times", told)
				}
			})
		}
	}
}
