package frontmatter

import (
	"errors"
	"strings"
	"testing"

	"issues-index/store/layout"
)

func TestEditDocument(t *testing.T) {
	stamp := newStamp
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	closed := set("status", "in_progress")
	for _, c := range []struct{ name, before, after string }{
		{"CRLF stays", crlf("---\nid: x # c\nstatus: open\n---\nbody\n"), crlf("---\nid: x # c\nstatus: in_progress\n" + stamp + "---\nbody\n")},
		{"CRLF in the frontmatter only", crlf("---\nstatus: open\n---\n") + "body\n", crlf("---\nstatus: in_progress\n"+stamp+"---\n") + "body\n"},
		{"CRLF in the body only", "---\nstatus: open\n---\n" + crlf("body\n"), "---\nstatus: in_progress\n" + stamp + "---\n" + crlf("body\n")},
		{"mixed line ends within", "---\nid: x\r\nstatus: open\r\nb: c\n---\r\nbody", "---\nid: x\r\nstatus: in_progress\r\nb: c\n" + stamp + "---\r\nbody"},
		{"a byte order mark", BOM + "---\nstatus: open\n---\n", BOM + "---\nstatus: in_progress\n" + stamp + "---\n"},
		{"blanks behind the fences", "--- \nstatus: open\n---\t\nbody\n", "--- \nstatus: in_progress\n" + stamp + "---\t\nbody\n"},
		{"dots close", "---\nstatus: open\n...\nbody\n", "---\nstatus: in_progress\n" + stamp + "...\nbody\n"},
		{"no line end after the fence", "---\nstatus: open\n---", "---\nstatus: in_progress\n" + stamp + "---"},
		{"no final line end", "---\nstatus: open\n---\nbody", "---\nstatus: in_progress\n" + stamp + "---\nbody"},
		{"empty frontmatter", "---\n---\nbody\n", "---\nstatus: in_progress\n" + stamp + "---\nbody\n"},
		{"frontmatter of comments", "---\n# one\n\n# two\n---\nbody\n", "---\n# one\n\n# two\nstatus: in_progress\n" + stamp + "---\nbody\n"},
		{"no frontmatter", "# Title\n\nbody", "---\nstatus: in_progress\n" + stamp + "---\n# Title\n\nbody"},
		{"no frontmatter, CRLF and a byte order mark", BOM + crlf("# Title\n\nbody"), BOM + crlf("---\nstatus: in_progress\n"+stamp+"---\n# Title\n\nbody")},
		{"an empty file", "", "---\nstatus: in_progress\n" + stamp + "---\n"},
		{"the body is not touched", "---\nstatus: open\n---\n\n---\nstatus: open\n---\n<<<<<<< HEAD\n  \n", "---\nstatus: in_progress\n" + stamp + "---\n\n---\nstatus: open\n---\n<<<<<<< HEAD\n  \n"},
		{"fences in a block", "---\na: |\n  ---\n  b\nstatus: open\n---\nbody\n", "---\na: |\n  ---\n  b\nstatus: in_progress\n" + stamp + "---\nbody\n"},
		{"unknown keys and nested ones", "---\nX-y: {status: open}\nstatus: open\nz:\n  - status: open\n---\n", "---\nX-y: {status: open}\nstatus: in_progress\nz:\n  - status: open\n" + stamp + "---\n"},
		{"wide characters", "---\na: '漢字 🎉 é'\n\"é\": {漢: 字}\nstatus: open\n---\n", "---\na: '漢字 🎉 é'\n\"é\": {漢: 字}\nstatus: in_progress\n" + stamp + "---\n"},
	} {
		t.Run(c.name, func(t *testing.T) { wantEdit(t, closed, c.before, c.after) })
	}

	t.Run("nothing asked, nothing changed", func(t *testing.T) {
		blank := " \n"
		for _, e := range []Edit{{}, {Body: &blank}, set("status", "open"), set("status", " open "), set("unknown", nil), {Context: []Assignment{{"a", nil}}}} {
			for _, text := range []string{"---\nstatus: open\n---\nbody\n", "---\nstatus: 'open'\r\n---\n"} {
				wantEdit(t, e, text, text)
			}
		}
		wantEdit(t, Edit{}, "no frontmatter", "no frontmatter")
	})
	t.Run("new keys come in their order", func(t *testing.T) {
		e := Edit{Set: []Assignment{{"title", "A"}, {"id", "ISS-1"}, {"project", "P"}, {"title", "B"}}, Context: []Assignment{{"a", "b"}}}
		wantEdit(t, e, "text", "---\nid: ISS-1\nproject: P\ntitle: B\nwranglerContext:\n  a: b\n"+stamp+"---\ntext")
	})
	t.Run("a key goes with its lines, and the comment above stays", func(t *testing.T) {
		wantFields(t, set("x", nil), "# a\nx: # b\n  - y # c\n\n  - z\n# d\nid: e\n", "# a\n# d\nid: e\n")
		wantFields(t, set("x", nil), "x: y\n", "")
		wantFields(t, set("x", nil), "x:\nid: y\n", "id: y\n")
	})
	t.Run("an unknown key takes any JSON", func(t *testing.T) {
		wantFields(t, set("points", raw("8")), "points: 5 # guess\n", "points: 8 # guess\n")
		wantFields(t, set("points", "5"), "points: 5\n", "points: '5'\n")
	})
	t.Run("a value of another kind is an error", func(t *testing.T) {
		for _, value := range []any{7, raw("{"), raw("1 2"), raw(""), raw(strings.Repeat("[", 200) + strings.Repeat("]", 200))} {
			_, changed, err := set("x", value).Apply(Parse(nil, "", layout.Default()), editTime)
			if uneditable := (*UneditableError)(nil); err == nil || changed || errors.As(err, &uneditable) {
				t.Errorf("%v: changed %v, error %v", value, changed, err)
			}
		}
		for _, key := range []string{"", "a\xff"} {
			if _, changed, err := set(key, "x").Apply(Parse(nil, "", layout.Default()), editTime); err == nil || changed {
				t.Errorf("the key %q is set", key)
			}
		}
	})
}

func TestEditBody(t *testing.T) {
	const head, stamped = "---\nid: x\n---\n", "---\nid: x\n" + newStamp + "---\n"
	for _, c := range []struct{ name, before, body, after string }{
		{"replaced", "old\n", "new\n", "new\n"},
		{"the final line end is kept", "old\n", "new", "new\n"},
		{"the missing one too", "old", "new\n", "new"},
		{"the blank line before is kept", "\nold\n", "new\n", "\nnew\n"},
		{"its own blank lines count", "\nold\n", "\n\nnew\n", "\n\nnew\n"},
		{"indentation is no blank line", " \n    old\n", "    new\n", " \n    new\n"},
		{"CRLF stays", "old\r\ntext\r\n", "new\ntext\nmore\r\n", "new\r\ntext\r\nmore\r\n"},
		{"LF stays", "old\n", "new\r\ntext\r\n", "new\ntext\n"},
		{"line ends converted twice", "old\r\n", "new\r\r\ntext\r", "new\r\ntext\r\n"},
		{"dollars", "old\n", "$1 $&\n", "$1 $&\n"},
		{"a rule in front", "old\n", "---\na: b\n---\n", "---\na: b\n---\n"},
		{"the first body", "", "new", "new\n"},
		{"only the end of it", "a\nb\n", "a\nb\nb\n", "a\nb\nb\n"},
	} {
		t.Run(c.name, func(t *testing.T) { wantEdit(t, Edit{Body: &c.body}, head+c.before, stamped+c.after) })
	}
	for _, body := range []string{"", " \n\t\r\n", "old\n", "old", "\nold\r\n"} {
		t.Run("unchanged", func(t *testing.T) { wantEdit(t, Edit{Body: &body}, head+"\nold\n", head+"\nold\n") })
	}
	t.Run("after a fence without a line end", func(t *testing.T) {
		wantEdit(t, Edit{Body: ptr("new")}, "---\r\nid: x\r\n---", "---\r\nid: x\r\n"+strings.TrimSpace(newStamp)+"\r\n---\r\nnew\r\n")
	})
	t.Run("in a file without frontmatter", func(t *testing.T) {
		wantEdit(t, Edit{Body: ptr("new")}, "old", "---\n"+newStamp+"---\nnew")
	})
	t.Run("with a time of the caller's own", func(t *testing.T) {
		wantEdit(t, Edit{Body: ptr("new"), Set: []Assignment{{"updatedAt", "2026-01-01"}}}, "---\nupdatedAt: 2026-01-01\n---\nold\n", "---\nupdatedAt: 2026-01-01\n---\nnew\n")
	})
	t.Run("with a NUL it is refused", func(t *testing.T) {
		wantRefused(t, Edit{Body: ptr("a\x00b")}, head+"old\n", "NUL", 0)
	})
}

// TestEditFrozen wants every document that a person has to mend to be refused,
// with the reader's words and line.
func TestEditFrozen(t *testing.T) {
	for _, c := range []struct {
		name, text, reason string
		line               int
	}{
		{"invalid YAML", "---\nid: a\nassignee: @name\n---\n", "in quotes", 3},
		{"an unclosed fence", "---\nid: a\n", "no closing fence", 1},
		{"a heading glued to the fence", "---\nid: a\n---## Heading\n", "a line of its own", 1},
		{"a duplicate key", "---\nstatus: a\nstatus: b\n---\n", "stands twice", 3},
		{"a duplicate key in wranglerContext", "---\nwranglerContext:\n  a: b\n  a: c\n---\n", "stands twice", 4},
		{"a merge conflict", "---\n<<<<<<< HEAD\nstatus: a\n=======\n>>>>>>> b\n---\n", "markers", 2},
		{"a list at the top", "---\n- a\n---\n", "key: value", 2},
		{"null at the top", "---\n~\n---\n", "lines of their own", 0},
		{"a NUL", "---\nid: a\n---\n\x00", "NUL", 4},
		{"no UTF-8", "---\nid: a\n---\n\xff", "UTF-8", 4},
		{"a second document", "---\nid: a\n--- # b\nc: d\n---\n", "a second begins here", 3},
		{"too much", "---\nid: " + strings.Repeat("a", MaxFrontmatterSize) + "\n---\n", "limit", 1},
	} {
		t.Run(c.name, func(t *testing.T) { wantRefused(t, set("status", "open"), c.text, c.reason, c.line) })
	}
	t.Run("an anchor that others need", func(t *testing.T) {
		wantRefused(t, set("status", "open"), "---\nstatus: &s closed\nx: *s\n---\n", "unknown anchor 's'", 0)
		wantRefused(t, set("status", nil), "---\nstatus: &s closed\nx: *s\n---\n", "unknown anchor 's'", 0)
	})
	t.Run("an anchor that would then mean another", func(t *testing.T) {
		wantRefused(t, set("b", "c"), "---\na: &s one\nb: &s two\nx: *s\n---\n", "another key would change", 0)
	})
}
