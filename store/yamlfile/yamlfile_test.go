package yamlfile

import (
	"strings"
	"testing"
)

// An error of YAML has the library's words and, for mistakes that people make, what to do.
func TestErrorsSayWhatToDo(t *testing.T) {
	for text, advice := range map[string]string{
		"title: a: b\n":         `put a value that contains ": " in quotes`,
		"assignee: @ann\n":      "put a value that starts with @",
		"title: *bold*\n":       "put a value that starts with * ",
		"labels: [a\nid: x\n":   "close the list with ]",
		"dates: {a: 1\nid: x\n": "close the block with }",
		"title: \"a\n":          "close the quote",
		"title: \"a\" b\n":      "text follows a closing quote",
	} {
		_, err := Decode([]byte(text))
		if err == nil || !strings.Contains(err.Error(), advice) {
			t.Errorf("%q: %v, want it to say: %s", text, err, advice)
		}
	}
}
