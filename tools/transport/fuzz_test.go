package transport_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"issues-index/tools/transport"
)

// FuzzServe holds that no input breaks the framing, gets two answers to one
// line, or keeps what comes after it from being served.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "{", "[]", "null", `{"id":null}`, "\xff", "\"\\ud800\"",
		toolCall(1, "echo", "x"), toolCall("x", "nope", "") + "\n" + toolCall("x", "echo", ""),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"ID":2,"method":"ping","Params":{"a":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1e99999,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		strings.Repeat("[", 11000), strings.Repeat("x", 300) + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		const last = `{"jsonrpc":"2.0","id":"the last one","method":"ping"}`
		var out bytes.Buffer
		in := bytes.NewReader(append(bytes.Clone(input), "\n"+last...))
		options := transport.StdioOptions{Handler: newHandler(t, nobodyWaits), MaxLine: 20_000}
		if err := transport.ServeStdio(t.Context(), in, &out, options); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if most := bytes.Count(input, []byte("\n")) + 2; len(lines) > most {
			t.Errorf("%d responses to %d lines", len(lines), most)
		}
		served := false
		for _, line := range lines {
			var response struct {
				JSONRPC string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Result  json.RawMessage `json:"result"`
				Error   json.RawMessage `json:"error"`
			}
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&response); err != nil || response.JSONRPC != "2.0" || response.ID == nil {
				t.Fatalf("no response (%v): %q", err, line)
			}
			if (response.Result == nil) == (response.Error == nil) {
				t.Errorf("not one of result and error: %s", line)
			}
			if string(response.ID) == "null" && response.Error == nil {
				t.Errorf("a result for nobody: %s", line)
			}
			served = served || string(response.ID) == `"the last one"`
		}
		if !served {
			t.Errorf("the last request is not answered: %q", lines)
		}
	})
}
