package frontmatter

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// TestUnreadableFrontmatter says what becomes of frontmatter that cannot be
// read: a problem with its line, and a document by its file name whose body is
// the whole file, so that nothing of it is hidden.
func TestUnreadableFrontmatter(t *testing.T) {
	for _, c := range []struct {
		name, text string
		code       ProblemCode
		line       int
		message    string // part of it
	}{
		{"a value with a colon", "---\nid: a\ntitle: Broken: yaml\n---\n", ProblemInvalidYAML, 3, "in quotes"},
		{"an unclosed list", "---\nid: a\nb: c\nlabels: [a, b\n---\n", ProblemInvalidYAML, 4, "',' or ']'"},
		{"an unclosed quote", "---\nid: a\ntitle: \"x\n---\n", ProblemInvalidYAML, 0, "valid YAML"},
		{"an assignee with an @", "---\nid: a\nassignee: @name\n---\n", ProblemInvalidYAML, 3, "@"},
		{"a value with a backtick", "---\ntitle: `x` is\n---\n", ProblemInvalidYAML, 2, "in quotes"},
		{"a value with an asterisk", "---\nid: a\ntitle: **bold**\n---\n", ProblemInvalidYAML, 3, "in quotes"},
		{"an alias to nothing", "---\na: b\nid: *b\n---\n", ProblemInvalidYAML, 3, "in quotes"},
		{"a tab for indentation", "---\nid: a\nwranglerContext:\n\tagentId: b\n---\n", ProblemInvalidYAML, 4, "tabs"},
		{"text after a closing quote", "---\nid: a\ntitle: 'it's'\nx: y\n---\n", ProblemInvalidYAML, 3, "closing quote"},
		{"a line less deep than the keys above", "---\n  id: a\n  b: c\nstatus: open\n---\n", ProblemInvalidYAML, 4, "indented less"},
		{"a line behind a closing brace", "---\n{id: a}\nstatus: open\n---\n", ProblemInvalidYAML, 3, "closing brace"},
		{"a line without a colon", "---\nid: a\nwhat is this\n---\n", ProblemInvalidYAML, 0, "key: value"},
		{"a list at the top", "---\n- a\n- b\n---\n", ProblemInvalidYAML, 2, "key: value"},
		{"text between rules", "---\nJust some text.\n---\n", ProblemInvalidYAML, 2, "key: value"},
		{"a directive", "---\n%YAML 1.1\nid: a\n---\n", ProblemInvalidYAML, 0, "valid YAML"},
		{"a control character", "---\nid: a\ntitle: x\x01y\n---\n", ProblemInvalidYAML, 0, "control"},

		{"no closing fence", "---\nid: a\n\n# Heading\n", ProblemUnclosedFence, 1, "no closing fence"},
		{"nothing but the opening fence", "---", ProblemUnclosedFence, 1, "no closing fence"},
		{"a heading glued to the closing fence", "---\nid: a\ntitle: x\n---## Heading\n\ntext\n", ProblemUnclosedFence, 1, "a line of its own"},
		{"the same with a rule further down", "---\nid: a\n---# Heading\n\ntext\n\n---\n", ProblemInvalidYAML, 3, "neither `key: value`"},
		{"a second document glued on", "---\nid: a\n--- # comment\nb: c\n---\n", ProblemInvalidYAML, 3, "a second begins here"},
		{"lines as Mac OS 9 ended them", "---\rid: a\r---\r\rtext\r", ProblemUnclosedFence, 1, "line feeds"},
		{"an indented closing fence", "---\nid: a\n ---\n", ProblemUnclosedFence, 1, "no closing fence"},

		{"a duplicate key", "---\nid: a\ntitle: x\nid: b\n---\n", ProblemDuplicateKey, 4, `"id" stands twice`},
		{"a duplicate key in other quotes", "---\nid: a\n'id': b\n---\n", ProblemDuplicateKey, 3, "lines 2 and 3"},
		{"a duplicate key in wranglerContext", "---\nid: a\nwranglerContext:\n  agentId: b\n  agentId: c\n---\n", ProblemDuplicateKey, 5, "agentId"},
		{"a duplicate key further down", "---\nx: [{a: 1, a: 2}]\n---\n", ProblemDuplicateKey, 2, `"a"`},

		{"merge conflict", "---\nid: a\n<<<<<<< HEAD\ntitle: ours\n=======\ntitle: theirs\n>>>>>>> branch\n---\n", ProblemMergeConflict, 3, "markers"},
		{"merge conflict with CRLF", "---\r\nid: a\r\n<<<<<<< HEAD\r\ntitle: ours\r\n=======\r\n>>>>>>> b\r\n---\r\n", ProblemMergeConflict, 3, "markers"},
		{"merge conflict around the frontmatter", "<<<<<<< HEAD\n---\nid: a\n---\n=======\n---\nid: b\n---\n>>>>>>> b\n", ProblemMergeConflict, 1, "markers"},

		{"a NUL byte", "---\nid: a\ntitle: x\x00y\n---\n", ProblemNUL, 3, "NUL"},
		{"UTF-16", "\xff\xfe-\x00-\x00-\x00\n\x00", ProblemNUL, 1, "UTF-16"},
		{"bytes that are not UTF-8", "---\nid: a\ntitle: caf\xe9\n---\n", ProblemNotUTF8, 3, "UTF-8"},
		{"too much of it", "---\nid: a\nnote: " + strings.Repeat("x", MaxFrontmatterSize) + "\n---\n", ProblemFrontmatterSize, 1, "limit"},
		{"10 MB of it", "---\n" + strings.Repeat("key: value\n", 1<<20) + "---\n", ProblemFrontmatterSize, 1, "limit"},
		{"10 MB without an end", "---\n" + strings.Repeat("key: value\n", 1<<20), ProblemUnclosedFence, 1, "no closing fence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parseFile(c.text)
			wantProblems(t, d, c.code)
			p := d.Problems[0]
			if !p.Frozen() {
				t.Error("the document may be written to")
			}
			if c.line > 0 && p.Line != c.line || p.Line < 0 || p.Line > strings.Count(c.text, "\n")+1 {
				t.Errorf("line %d, want %d", p.Line, c.line)
			}
			if !strings.Contains(p.Message, c.message) || len(p.Message) > 300 {
				t.Errorf("message %q does not contain %q", p.Message, c.message)
			}
			if d.ID != "" || d.Body != c.text || d.BodyLine != 1 || d.Status != "" || !d.Created.IsZero() {
				t.Errorf("id %q, line %d, status %q", d.ID, d.BodyLine, d.Status)
			}
		})
	}

	t.Run("the file's own text may be anything", func(t *testing.T) {
		for _, body := range []string{"caf\xe9\n", "a\x00b\n", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n"} {
			d := parseFile("---\nid: ISS-1\ntitle: $1 $& \\1\nstatus: open\n---\n" + body)
			if d.ID != "ISS-1" || d.Title != `$1 $& \1` || d.Status != "open" || d.Body != body {
				t.Errorf("%q: %+v", body, d)
			}
			if bad := !strings.HasPrefix(body, "<"); bad != (len(d.Problems) > 0 && d.Problems[0].Frozen()) {
				t.Errorf("%q: %+v", body, d.Problems)
			}
		}
	})
}

// TestHostileYAML holds that hostile frontmatter is read or refused at once, and
// does not hide the rest of the document.
func TestHostileYAML(t *testing.T) {
	refused := []string{"an alias bomb", "an alias to itself", "a merge key to itself", "deep nesting"}
	for name, yaml := range storetest.HostileYAML() {
		if name == "deep lists" {
			continue // no mapping
		}
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			d := parseFile("---\nid: ISS-1\nstatus: open\n" + yaml + "---\nbody")
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
			if bad := len(d.Problems) > 0; bad != slices.Contains(refused, name) {
				t.Errorf("problems: %+v", d.Problems)
			}
			for _, p := range d.Problems {
				if p.Code != ProblemBadValue {
					t.Errorf("problem: %+v", p)
				}
			}
			if d.ID != "ISS-1" || d.Status != "open" || d.Body != "body" {
				t.Errorf("id %q, status %q, body %q", d.ID, d.Status, d.Body)
			}
		})
	}
	t.Run("aliases expand to no more together than one may", func(t *testing.T) {
		yaml := "x: &x " + strings.Repeat("a", 20<<10)
		for i := range 1000 {
			yaml += fmt.Sprintf("\nk%d: *x", i)
		}
		d := parseFields(yaml)
		if size := len(d.Extra); size < maxJSON || size > maxJSON+30<<10 {
			t.Errorf("%d bytes", size)
		}
		if last := d.Problems[len(d.Problems)-1]; last.Code != ProblemBadValue || !strings.Contains(last.Message, "k999 expands to too much through its aliases") {
			t.Errorf("%+v", last)
		}
	})
	t.Run("aliases may stand for fields", func(t *testing.T) {
		d := parseFields("x: &x ISS-1\ntitle: *x\ny: &y open\nstatus: *y")
		wantProblems(t, d)
		if d.Title != "ISS-1" || d.Status != "open" {
			t.Errorf("%+v", d)
		}
	})
}
