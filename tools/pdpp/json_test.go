package pdpp

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAnswersAreWellFormed(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":"caf` + "\xe9\xff" + `"}`:    `{"a":"caf` + "\uFFFD" + `"}`,
		`{"a":"\ud800 and \uDFFF"}`:        `{"a":"\ufffd and \ufffd"}`,
		`{"a":"\ud83d\udc05"}`:             `{"a":"\ud83d\udc05"}`,
		`{"a":"\ud83d\ud83d\udc05"}`:       `{"a":"\ufffd\ud83d\udc05"}`,
		`{"a":"\\ud800 is how to say it"}`: `{"a":"\\ud800 is how to say it"}`,
		`{"a":"\\\ud800"}`:                 `{"a":"\\\ufffd"}`,
		`{"a":"\u00fc\n"}`:                 `{"a":"\u00fc\n"}`,
	} {
		if got := string(wellFormed([]byte(body))); got != want {
			t.Errorf("%q becomes %q, want %q", body, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(wellFormed(encoded)); got != string(encoded) {
			t.Fatalf("%s becomes %s", encoded, got)
		}
		raw := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		if got := wellFormed(raw); !utf8.Valid(got) {
			t.Fatalf("%q becomes %q", raw, got)
		}
	})
}

// A value of the server stays on its line and does not turn the direction of text.
func TestValueInATextStaysOnItsLine(t *testing.T) {
	for raw, want := range map[string]string{
		"\"a\u202eb\\nc\"":               "ab c",
		"{\"a\":\"b\u202ec\",\n\"d\":1}": `{"a":"bc","d":1}`,
		"[\"\u2066\"]":                   `[""]`,
	} {
		if got := brief(json.RawMessage(raw), 100); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
