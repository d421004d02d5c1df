package answer_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"issues-index/tools/answer"
)

// FuzzSqueeze holds for any JSON object and any text: what fits is the same, what
// comes back is valid, and no larger than what went in but for the note.
func FuzzSqueeze(f *testing.F) {
	f.Add([]byte(`{"id":"x","list":[1,2,3],"text":"long long long long long long long long long long"}`), 30)
	f.Add([]byte(`{"note":"own","a":{"b":[[[["\u00e9\"\\"]]]]},"n":1e400,"":null}`), 60)
	f.Add([]byte("one line\nanother\n\nNote: x."), 10)
	f.Fuzz(func(t *testing.T, input []byte, limit int) {
		fits := func(object json.RawMessage) bool { return len(object) <= limit }
		got := answer.SqueezeObject(input, nil, narrow, fits)
		switch {
		case fits(input) || !json.Valid(input):
			if !bytes.Equal(got, input) && !bytes.Equal(got, bytes.TrimSpace(input)) {
				t.Fatalf("it was touched: %q", got)
			}
		case !json.Valid(got):
			t.Fatalf("it is no JSON: %q", got)
		}
		text := string(input)
		short := answer.Mark("").Squeeze(text, narrow, func(text string) bool { return len(text) <= limit })
		if len(text) <= limit && short != text || len(short) > max(limit, 0) && short != "" {
			t.Fatalf("%d bytes for %d: %q", len(short), limit, short)
		}
		if utf8.ValidString(text) && !utf8.ValidString(short) {
			t.Fatalf("it is no UTF-8: %q", short)
		}
	})
}
