package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

func TestOutline(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string // level, text, lines
	}{
		{"no headings", "text\n\nmore\n", nil},
		{"nothing", "", nil},
		{"sections end before the next heading of their level or a higher one",
			"intro\n# A\na\n## B\nb\n### C\n## D\n\n# E\n",
			[]string{"1 A 2-8", "2 B 4-6", "3 C 6-6", "2 D 7-8", "1 E 9-9"}},
		{"a level may be left out", "### A\n# B\n#### C\n## D", []string{"3 A 1-1", "1 B 2-4", "4 C 3-3", "2 D 4-4"}},
		{"underlined headings", "One\n===\ntext\n\nTwo\nlines\n---\n", []string{"1 One 1-7", "2 Two lines 5-7"}},
		{"CRLF", "# A\r\ntext\r\n\r\n## B\r\n", []string{"1 A 1-4", "2 B 4-4"}},
		{"a byte order mark", "\ufeff" + "# A\n## B\n", []string{"1 A 1-2", "2 B 2-2"}},
		{"not in code", "# A\n```\n# B\n```\n~~~~\n# C\n~~~\n~~~~\n    # D\n<!--\n# E\n-->\n", []string{"1 A 1-12"}},
		{"an unclosed fence holds the rest", "# A\n```\n# B\n", []string{"1 A 1-3"}},
		{"not in quotes and lists", "# A\n> # B\n\n- # C\n\n1. # D\n", []string{"1 A 1-6"}},
		{"markup is taken out", "# A *b* **c** `d*e` [f](g \"h\") ![i](j) <k@l.de> <b>m</b> \\* &amp; &#35;\n", []string{"1 A b c d*e f i k@l.de m * & # 1-1"}},
		{"a number or dash begins no list in a heading", "# 1. First\n## - dash\n### > quote\n", []string{"1 1. First 1-3", "2 - dash 2-3", "3 > quote 3-3"}},
		{"closing hashes and blanks go", "##   A B   ##  \n#\tC\n", []string{"2 A B 1-1", "1 C 2-2"}},
		{"empty headings count", "#\ntext\n## \n### ###\n", []string{"1  1-4", "2  3-4", "3  4-4"}},
		{"a hash without a blank is none", "#A\n#hashtag\n####### seven\n", nil},
		{"frontmatter that was not read is none", "---\nid: a: b\n---\n\n# A\n", []string{"1 A 5-5"}},
		{"nor is readable frontmatter in front of a whole file", "---\nid: a\n---\n# A\n", []string{"1 A 4-4"}},
		{"nor behind a byte order mark", "\ufeff" + "---\nid: a\n---\n# A\n", []string{"1 A 4-4"}},
		{"nor with dots at its end", "---\nid: a\n...\n# A\n---\n", []string{"1 A 4-5"}},
		{"nor with dashes in a value", "---\nnote: |\n  ---\n  more\n---\n# A\n", []string{"1 A 6-6"}},
		{"nor with CRLF", "---\r\nid: a: b\r\n---\r\n# A\r\n", []string{"1 A 4-4"}},
		{"nor when it is empty", "---\n---\n# A\n", []string{"1 A 3-3"}},
		{"a rule at the head begins no frontmatter", "---\n\n# A\n\ntext\n", []string{"1 A 3-5"}},
		{"a rule is none", "text\n\n---\n\n***\n# A", []string{"1 A 6-6"}},
		{"Chinese and emoji", "# 検索 🚀\n", []string{"1 検索 🚀 1-1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, h := range Outline(c.body) {
				got = append(got, fmt.Sprintf("%d %s %d-%d", h.Level, h.Text, h.Line, h.EndLine))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}

	t.Run("a paragraph underlined by mistake is cut", func(t *testing.T) {
		h := Outline(strings.Repeat("ä word ", 5000) + "\n---\n")
		if len(h) != 1 || len(h[0].Text) > maxHeading+len("…") || !strings.HasSuffix(h[0].Text, "…") {
			t.Errorf("%+v", h)
		}
	})
}

// TestOutlineOfHostileText holds that a megabyte of what is quadratic for the
// Markdown parser takes no longer than a megabyte of prose does on a slow day.
func TestOutlineOfHostileText(t *testing.T) {
	const size = 1 << 20
	t.Run("in frontmatter", func(t *testing.T) {
		for name, yaml := range storetest.HostileYAML() {
			start := time.Now()
			if h := Outline("---\n" + yaml + "---\n# A\n"); len(h) != 1 || h[0].Text != "A" {
				t.Errorf("%s: %+v", name, h)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%s takes %v", name, took)
			}
		}
	})
	units := []string{
		">", "> ", "- ", "1. ", "> - ", "[a](", "[", "# [a](", "*a ", "`", "<", "&", "![", "[a]: /u\n",
		"a\n", "```\n", "<!--\n", "\t", " ", "# a\n", "> a\n", "- a\n  ", "| a ", "~",
	}
	for _, unit := range storetest.FewOf(units, 8) {
		start := time.Now()
		Outline(strings.Repeat(unit, size/len(unit)) + "a\n---\n")
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%q repeated takes %v", unit, took)
		}
	}
}

func TestDeeplyNested(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                  false,
		"a\n> b\n- c\n  - d":                false,
		strings.Repeat("> ", 32) + "a":      false,
		strings.Repeat("> ", 33) + "a":      true,
		"a\n\n" + strings.Repeat(">", 1000): true,
		strings.Repeat("1. ", 33) + "a":     true,
		strings.Repeat(" ", 300) + "- a":    true,
		strings.Repeat("- ", 100):           false,
		strings.Repeat("* ", 100) + "\r\n":  false,
		strings.Repeat("- * ", 50):          true,
	} {
		if got := DeeplyNested(text); got != want {
			t.Errorf("%.40q: %v", text, got)
		}
	}
}
