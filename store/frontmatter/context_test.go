package frontmatter

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"issues-index/store/layout"
)

// nest is JSON that is deeper than any reader wants it.
var nest = strings.Repeat("[", 200) + strings.Repeat("]", 200)

func TestEditContext(t *testing.T) {
	for _, c := range []struct {
		name, before string
		key          string
		value        any
		after        string
	}{
		{"a new mapping", "id: x\n", "agentId", "claude", "id: x\nwranglerContext:\n  agentId: claude\n"},
		{"a new key", "wranglerContext:\n    agentId: a\nid: x\n", "parentTaskId", "000037", "wranglerContext:\n    agentId: a\n    parentTaskId: '000037'\nid: x\n"},
		{"another value", "wranglerContext:\n  agentId: \"a\" # who\n  x: 'y'\n", "agentId", "b", "wranglerContext:\n  agentId: \"b\" # who\n  x: 'y'\n"},
		{"a folded value", "wranglerContext:\n  estimatedEffort: >-\n    4 weeks\n    and more\n  x: y\n", "estimatedEffort", "5 weeks", "wranglerContext:\n  estimatedEffort: 5 weeks\n  x: y\n"},
		{"in place of null", "wranglerContext: # c\nid: x\n", "a", "b", "wranglerContext: # c\n  a: b\nid: x\n"},
		{"in place of a tilde", "wranglerContext: ~ # c\nid: x\n", "a", "b", "wranglerContext: # c\n  a: b\nid: x\n"},
		{"in empty braces beside a list", "x:\n- y\nwranglerContext: {}\n", "a", "b", "x:\n- y\nwranglerContext: {a: b}\n"},
		{"in empty braces", "wranglerContext: {} # c\n", "a", "b", "wranglerContext: {a: b} # c\n"},
		{"in braces", "wranglerContext: {a: b} # c\n", "c", "d, e", "wranglerContext: {a: b, c: 'd, e'} # c\n"},
		{"in padded braces", "wranglerContext: { a: b }\n", "c", "d", "wranglerContext: {a: b, c: d}\n"},
		{"in braces over several lines", "wranglerContext: {\n  a: b, # c\n}\n", "c", "d", "wranglerContext: {a: b, c: d}\n"},
		{"in JSON", "wranglerContext: {\"a\":\"b\"}\n", "c", raw(`{"d":"e"}`), "wranglerContext: {\"a\": \"b\", \"c\": {\"d\": \"e\"}}\n"},
		{"another value in JSON", "wranglerContext: {\"a\":\"b\"}\n", "a", raw(`7`), "wranglerContext: {\"a\": 7}\n"},
		{"a key without a value in braces", "wranglerContext: {a, b: c}\n", "a", "d", "wranglerContext: {a: d, b: c}\n"},
		{"a value in braces where none is", "wranglerContext: {a: , b: c}\n", "a", "d", "wranglerContext: {a: d, b: c}\n"},
		{"an anchor", "wranglerContext: &c\n  a: b\n", "c", "d", "wranglerContext: &c\n  a: b\n  c: d\n"},
		{"before comments", "wranglerContext:\n  a: b\n  # end\n\n# next\nid: x\n", "c", "d", "wranglerContext:\n  a: b\n  c: d\n  # end\n\n# next\nid: x\n"},
		{"after a nested mapping", "wranglerContext:\n  a:\n    b:\n    - c\nid: x\n", "d", "e", "wranglerContext:\n  a:\n    b:\n    - c\n  d: e\nid: x\n"},

		{"a key goes", "wranglerContext:\n  # one\n  a: b # c\n  # two\n  c: d\n", "a", nil, "wranglerContext:\n  # one\n  # two\n  c: d\n"},
		{"the last key goes", "wranglerContext:\n  a: b\nid: x\n", "a", nil, "wranglerContext: {}\nid: x\n"},
		{"a nested key goes", "wranglerContext:\n  a:\n    b: c\n  d: e\n", "a", nil, "wranglerContext:\n  d: e\n"},
		{"the first key goes from braces", "wranglerContext: {a: b, c: d}\n", "a", nil, "wranglerContext: {c: d}\n"},
		{"the last key goes from braces", "wranglerContext: { a: b, c: d }\n", "c", nil, "wranglerContext: {a: b}\n"},
		{"a key goes from lines in braces", "wranglerContext: {\n  a: b, # one\n  c: d # two\n}\n", "c", nil, "wranglerContext: {a: b}\n"},
		{"a null key goes", "wranglerContext:\n  a:\n  c: d\n", "a", nil, "wranglerContext:\n  c: d\n"},

		{"a number", "wranglerContext:\n  a: '1'\n", "a", raw("2"), "wranglerContext:\n  a: 2\n"},
		{"a number as text", "wranglerContext:\n  a: 1\n", "a", "1", "wranglerContext:\n  a: '1'\n"},
		{"a number with an exponent", "wranglerContext:\n  a: 1\n", "a", raw("1.5e3"), "wranglerContext:\n  a: 1500\n"},
		{"a number too big for a float", "wranglerContext:\n  a: 1\n", "a", raw("12345678901234567890"), "wranglerContext:\n  a: 12345678901234567890\n"},
		{"true", "wranglerContext:\n  a: b\n", "a", raw("true"), "wranglerContext:\n  a: true\n"},
		{"null", "wranglerContext:\n  a: b\n", "a", raw(" null\n"), "wranglerContext:\n  a: null\n"},
		{"nothing", "wranglerContext:\n  a: b\n", "a", "", "wranglerContext:\n  a: ''\n"},
		{"lines and tabs", "wranglerContext:\n  a: b\n", "a", "one\n\ttwo\r\n", "wranglerContext:\n  a: \"one\\n\\ttwo\\r\\n\"\n"},
		{"a NUL", "wranglerContext:\n  a: b\n", "a", "\x00", "wranglerContext:\n  a: \"\\x00\"\n"},
		{"blanks around", "wranglerContext:\n  a: b\n", "a", " c ", "wranglerContext:\n  a: ' c '\n"},
		{"a list", "wranglerContext:\n  a: b\n", "a", []string{"c", "7"}, "wranglerContext:\n  a:\n    - c\n    - '7'\n"},
		{"an empty list", "wranglerContext:\n  a: b\n", "a", raw("[]"), "wranglerContext:\n  a: []\n"},
		{"an empty object", "wranglerContext:\n  a: b\n", "a", raw("{}"), "wranglerContext:\n  a: {}\n"},
		{"a nested object", "wranglerContext:\n  a: b # c\n", "a", raw(`{"x": {"u": [1, {"z": "no"}]}, "": true}`), "wranglerContext:\n  a: # c\n    x:\n      u:\n        - 1\n        - {z: 'no'}\n    '': true\n"},
		{"an object where a list is", "wranglerContext:\n  a: # c\n  - b # d\n  x: y\n", "a", raw(`{"b":1}`), "wranglerContext:\n  a: # c\n    b: 1\n  x: y\n"},
		{"a list gets an item", "wranglerContext:\n  a:\n  - 1\n  - x: y\n", "a", raw(`[1,{"x":"y"},"1"]`), "wranglerContext:\n  a:\n  - 1\n  - {x: y}\n  - '1'\n"},
		{"a key that needs quotes", "id: x\n", "no: 1", "a", "id: x\nwranglerContext:\n  'no: 1': a\n"},
		{"other spellings are other keys", "parent_task_id: a\nid: x\n", "parentTaskId", "b", "parent_task_id: a\nid: x\nwranglerContext:\n  parentTaskId: b\n"},
	} {
		t.Run(c.name, func(t *testing.T) { wantFields(t, setContext(c.key, c.value), c.before, c.after) })
	}

	t.Run("several keys in their order", func(t *testing.T) {
		e := Edit{Context: []Assignment{{"b", "1"}, {"a", nil}, {"c", raw("2")}, {"b", "3"}}}
		wantFields(t, e, "wranglerContext:\n  a: x\nid: y\n", "wranglerContext:\n  c: 2\n  b: '3'\nid: y\n")
		wantFields(t, e, "id: y\n", "id: y\nwranglerContext:\n  c: 2\n  b: '3'\n")
	})

	for _, c := range []struct {
		name, text string
		key        string
		value      any
	}{
		{"a text", "a: b", "a", "b"},
		{"a number that is read as text", "a: 007", "a", "007"},
		{"a date that is read as text", "a: 2026-01-01", "a", "2026-01-01"},
		{"a number", "a: 1.5", "a", raw("1.50")},
		{"null", "a:", "a", raw("null")},
		{"an object in another order", "a: {b: 1, c: [x]}", "a", raw(`{"c":["x"],"b":1}`)},
		{"a key that is not there", "a: b", "c", nil},
	} {
		t.Run("unchanged: "+c.name, func(t *testing.T) {
			text := "---\nwranglerContext:\n  " + c.text + "\n---\n"
			wantEdit(t, setContext(c.key, c.value), text, text)
		})
	}

	for _, c := range []struct {
		name, text string
		key        string
		value      any
		reason     string
		line       int
	}{
		{"a text in its place", "wranglerContext: text\n", "a", "b", "wranglerContext is a single value", 2},
		{"a list in its place", "id: x\nwranglerContext:\n- a\n", "a", "b", "wranglerContext is a list", 4},
		{"an alias in its place", "x: &c {a: b}\nwranglerContext: *c\n", "a", "c", "alias", 3},
		{"a mapping that others refer to", "wranglerContext: &c\n  a: b\nx: *c\n", "c", "d", "another key would change", 0},
		{"a value that others refer to", "wranglerContext:\n  a: &b c\n  d: *b\n", "a", "e", "unknown anchor 'b'", 0},
		{"a merged mapping", "x: &x {a: b}\nwranglerContext:\n  <<: *x\n  c: &y d\n  e: *y\n", "c", "f", "unknown anchor 'y'", 0},
	} {
		t.Run("refused: "+c.name, func(t *testing.T) {
			wantRefused(t, setContext(c.key, c.value), "---\n"+c.text+"---\nbody\n", c.reason, c.line)
		})
	}

	for _, c := range []struct {
		name, key string
		value     any
		refused   ValueError
	}{
		{"a key without a name", "", "b", ValueError{Field: "wranglerContext", Reason: noName}},
		{"no JSON", "a", raw("{"), ValueError{Field: "wranglerContext.a", Value: "{", Reason: "is no JSON"}},
		{"a nest", "a", raw(nest), ValueError{Field: "wranglerContext.a", Value: nest, Reason: "is nested deeper than 100 levels"}},
		{
			"more than frontmatter may be", "a", strings.Repeat("b", MaxFrontmatterSize),
			ValueError{Field: "wranglerContext", Reason: "makes the frontmatter 65603 bytes long, over the limit of 65536"},
		},
	} {
		t.Run("refused, and the value is to blame: "+c.name, func(t *testing.T) {
			var refused *ValueError
			_, changed, err := setContext(c.key, c.value).Apply(Parse([]byte("---\nid: x\n---\nbody\n"), "", layout.Default()), editTime)
			if changed || !errors.As(err, &refused) || !reflect.DeepEqual(*refused, c.refused) {
				t.Errorf("changed %v, %v", changed, err)
			}
		})
	}
}
