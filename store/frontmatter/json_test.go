package frontmatter

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"issues-index/store/orderedjson"

	"pgregory.net/rapid"
)

func TestExtraJSON(t *testing.T) {
	for yaml, want := range map[string]string{
		"b: 1\na: 2\nc: 3":            `{"b":1,"a":2,"c":3}`,
		"x: 0":                        `{"x":0}`,
		"x: -12.5":                    `{"x":-12.5}`,
		"x: 007":                      `{"x":"007"}`,
		"x: 0x1F":                     `{"x":"0x1F"}`,
		"x: 1_000":                    `{"x":"1_000"}`,
		"x: +1":                       `{"x":"+1"}`,
		"x: -0":                       `{"x":"-0"}`,
		"x: 1.10":                     `{"x":"1.10"}`,
		"x: .5":                       `{"x":".5"}`,
		"x: 1e3":                      `{"x":"1e3"}`,
		"x: 9007199254740992":         `{"x":9007199254740992}`,
		"x: 9007199254740993":         `{"x":"9007199254740993"}`,
		"x: 123456789012345678901234": `{"x":"123456789012345678901234"}`,
		"x: .inf":                     `{"x":".inf"}`,
		"x: !!float NaN":              `{"x":"NaN"}`,
		"x: '7'":                      `{"x":"7"}`,
		"x: true":                     `{"x":true}`,
		"x: False":                    `{"x":false}`,
		"x: yes":                      `{"x":"yes"}`,
		"x: ~":                        `{"x":null}`,
		"x:":                          `{"x":null}`,
		"x: 2026-02-15":               `{"x":"2026-02-15"}`,
		"x: !ours {a: [1, b]}":        `{"x":{"a":[1,"b"]}}`,
		"x: \"a\\\"b\\\\c\\n\\t\\0\"": `{"x":"a\"b\\c\n\t\u0000"}`,
		"x: <b>&":                     `{"x":"<b>&"}`,
		"x: |\n  a\n  b":              `{"x":"a\nb\n"}`,
		"7: a\n? [k]\n: b\n~: c":      `{"7":"a","~":"c"}`,
		"x: &x {a: 1}\ny: *x":         `{"x":{"a":1},"y":{"a":1}}`,
		"x: &x {a: 1}\ny: {<<: *x}":   `{"x":{"a":1},"y":{"<<":{"a":1}}}`,
	} {
		d := parseFields(yaml)
		wantProblems(t, d)
		if string(d.Extra) != want {
			t.Errorf("%s: %s, want %s", yaml, d.Extra, want)
		}
	}
}

// A string comes back from any reader of JSON as it was.
func TestJSONStringsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		var back string
		if err := json.Unmarshal(orderedjson.Text(s), &back); err != nil || back != s {
			t.Fatalf("%q comes back as %q, %v", s, back, err)
		}
		broken := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if out := orderedjson.Text(broken); !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%q becomes %q", broken, out)
		}
	})
}
