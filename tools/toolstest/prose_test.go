package toolstest

import (
	"encoding/json"
	"strings"
	"testing"
)

func define(name, description, property string) Definition {
	raw, err := json.Marshal(map[string]any{
		"name": name, "description": description,
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{
			"id": map[string]any{"type": "string", "description": property},
			// A property that is called description is no description.
			"description": map[string]any{"type": "string"},
		}},
	})
	if err != nil {
		panic(err)
	}
	return Definition{Name: name, JSON: raw}
}

func TestDuplicateSentences(t *testing.T) {
	const planted = "When several documents share an id, pass the path of the one you mean instead."
	three := func(a, b, c Definition) []string { return DuplicateSentences([]Definition{a, b, c}) }

	t.Run("a long sentence of three tools is found", func(t *testing.T) {
		got := three(define("a", planted, ""), define("b", "Reads. "+planted, ""), define("c", "Lists.", strings.ToUpper(planted)+" More."))
		if len(got) != 1 || !strings.Contains(got[0], "a, b, c") {
			t.Errorf("found %v", got)
		}
	})
	t.Run("two tools may share one", func(t *testing.T) {
		if got := three(define("a", planted, planted), define("b", planted, ""), define("c", "", "")); len(got) != 0 {
			t.Errorf("found %v", got)
		}
	})
	t.Run("short ones are no matter", func(t *testing.T) {
		const short = "Reads only."
		if got := three(define("a", short, ""), define("b", short, ""), define("c", short, "")); len(got) != 0 {
			t.Errorf("found %v", got)
		}
	})
}
