package markdown

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const sections = "intro\n# Overview\ntext\n## Test plan\na\n## Open questions\nb\n# Test results\nc\n# overview\nd\n## Notes\n1\n## Notes\n2"

// section is what is under a heading, the heading's own line included.
func section(body, name string) (string, Heading, error) {
	h, err := Find(Outline(body), name)
	if err != nil {
		return "", Heading{}, err
	}
	return Lines(body, h.Line, h.EndLine), h, nil
}

func TestSection(t *testing.T) {
	for _, c := range []struct{ name, heading, want string }{
		{"exactly", "Overview", "# Overview\ntext\n## Test plan\na\n## Open questions\nb\n"},
		{"exactly, before another case", "overview", "# overview\nd\n## Notes\n1\n## Notes\n2"},
		{"in another case", "TEST PLAN", "## Test plan\na\n"},
		{"with its hashes", "## Test plan ##", "## Test plan\na\n"},
		{"with other blanks", " Test   plan ", "## Test plan\na\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, h, err := section(sections, c.heading)
			if err != nil || got != c.want {
				t.Errorf("%q, %v", got, err)
			}
			if Lines(sections, h.Line, h.EndLine) != got {
				t.Errorf("%+v is not where the text stands", h)
			}
		})
	}
	for _, c := range []struct {
		name, heading string
		ambiguous     bool
		candidates    int
	}{
		{"several of one name are ambiguous", "Notes", true, 2},
		{"several in another case are ambiguous", "OVERVIEW", true, 2},
		{"nothing fits", "missing", false, 7},
		{"an empty heading fits nothing", " ## ", false, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := section(sections, c.heading)
			var refused *SectionError
			if !errors.As(err, &refused) || refused.Ambiguous != c.ambiguous || len(refused.Candidates) != c.candidates {
				t.Fatalf("%v", err)
			}
			for _, h := range refused.Candidates {
				if !strings.Contains(err.Error(), h.Text) {
					t.Errorf("the error does not name %q: %v", h.Text, err)
				}
			}
		})
	}
	t.Run("a document without headings says so", func(t *testing.T) {
		if _, _, err := section("text", "x"); err == nil || !strings.Contains(err.Error(), "no headings") {
			t.Error(err)
		}
	})
}

func TestLines(t *testing.T) {
	const body = "one\r\ntwo\n\nfour"
	for _, c := range []struct {
		start, end int
		want       string
	}{
		{1, 1, "one\r\n"}, {2, 3, "two\n\n"}, {4, 4, "four"}, {1, 4, body}, {1, 99, body}, {-3, 2, "one\r\ntwo\n"},
		{0, 0, ""}, {3, 2, ""}, {5, 9, ""}, {99, 100, ""}, {2, -1, ""},
	} {
		if got := Lines(body, c.start, c.end); got != c.want {
			t.Errorf("lines %d to %d are %q, want %q", c.start, c.end, got, c.want)
		}
	}
	for s, n := range map[string]int{"": 0, "a": 1, "a\n": 1, "\n": 1, "a\nb": 2, "a\n\n": 2, body: 4} {
		if got := LineCount(s); got != n {
			t.Errorf("%q has %d lines, want %d", s, got, n)
		}
	}
}

// markdownText draws text from pieces that mean something to Markdown.
var markdownText = rapid.Custom(func(t *rapid.T) string {
	pieces := rapid.SliceOf(rapid.SampledFrom([]string{
		"# ", "## ", "a", "b c", "\n", "\n\n", "\r\n", "---", "===", "```", "> ", "- ", "    ", "\t", "<!--", "-->", "[a](b)", "*", "`", "é", "\r", "\ufeff", "1. ", "\\", "&amp;",
	})).Draw(t, "pieces")
	return strings.Join(pieces, "")
})

// The lines of a body, cut anywhere, join to the body; sections lie in it, in
// order, and nest.
func TestOutlineProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := markdownText.Draw(t, "body")
		n := LineCount(body)
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		if joined := Lines(body, 1, cut) + Lines(body, cut+1, n); joined != body {
			t.Fatalf("cut after line %d joins to %q", cut, joined)
		}
		outline := Outline(body)
		for i, h := range outline {
			if h.Level < 1 || h.Level > 6 || h.Line < 1 || h.EndLine < h.Line || h.EndLine > n {
				t.Fatalf("%+v of %d lines", h, n)
			}
			if strings.ContainsAny(h.Text, "\n\r") || strings.TrimSpace(h.Text) != h.Text {
				t.Fatalf("text %q", h.Text)
			}
			if i > 0 && (outline[i-1].Line >= h.Line || outline[i-1].EndLine >= h.Line && outline[i-1].EndLine < h.EndLine) {
				t.Fatalf("%+v before %+v", outline[i-1], h)
			}
			if text, _, err := section(body, h.Text); err == nil && !strings.Contains(body, text) {
				t.Fatalf("section %q", text)
			}
		}
	})
}
