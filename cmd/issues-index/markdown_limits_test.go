package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const shownAsItStands = "Shown as it stands in the file: "

func TestHostileMarkdownIsShownAsItStands(t *testing.T) {
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"a text that is too long":                strings.Repeat("some words ", maxLaidOut/11+1),
		"a text of many lines":                   strings.Repeat("a\n", maxSigns),
		"a long list far to the right":           strings.Repeat(strings.Repeat(" ", 150)+"- a\n", 1000),
		"a megabyte of links":                    strings.Repeat("[a](", 1<<18),
		"links that do not end":                  strings.Repeat("[a](", 1<<14),
		"brackets in brackets":                   strings.Repeat("[", 8_000) + strings.Repeat("]", 8_000),
		"stars":                                  strings.Repeat("*a **a ", 4_000),
		"stars in a heading":                     "# " + strings.Repeat("*a **a ", 4_000),
		"links in a list item":                   "- " + strings.Repeat("[a](", 1<<14),
		"links behind a fence that is only HTML": "<div>\n```\n\n" + strings.Repeat("[a](", 1<<14),
		"links in a cell of a table":             "|a|\n|-|\n|" + strings.Repeat("[a](", 1<<14) + "|\n",
		"links behind a row of dashes":           strings.Repeat("[a](", 1<<14) + "\n|-|-|-|\n",
		"definitions of links":                   lines(10_000, "[a%d]: b\n"),
		"quotes in quotes":                       strings.Repeat(">", 100),
		"lists in lists":                         strings.Repeat("1. ", 100) + "a",
		"lists and quotes in turn":               strings.Repeat("> - ", 50) + "a",
		"a list far to the right":                strings.Repeat(" ", 300) + "- a",
		"a wide table with short rows":           strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + strings.Repeat("|\n", 100),
		"a wide table with a long cell":          strings.Repeat("|a", 1000) + "|\n" + strings.Repeat("|-", 1000) + "|\n|" + strings.Repeat("a", 100_000) + "|\n",
		"many tables":                            strings.Repeat("|a\n|-\n\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			hostile := text + "\n\x1b]0;title\x07\r\nlast line"
			first, rest, _ := strings.Cut(renderMarkdown(hostile, screen{width: 80, colour: true}), "\n")
			if !strings.HasPrefix(first, "\x1b[2m"+shownAsItStands) || !strings.HasSuffix(first, ".\x1b[0m") {
				t.Fatalf("the first line is %.100q", first)
			}
			if want := "\n" + text + "\n\ufffd]0;title\ufffd\nlast line\n"; rest != want {
				t.Errorf("the text ends with %q, not with %q", rest[max(0, len(rest)-40):], want[len(want)-40:])
			}
		})
	}
}

func TestHonestMarkdownIsLaidOut(t *testing.T) {
	paragraph := strings.Repeat("Some *words* with a [link](https://example.com/a) and `code`, as people write them.\n", 12) + "\n"
	object := "  {\"name\": [\"*\", \"_\", \"<a>\"], \"other\": \"[x](y)\"},\n"
	for name, text := range map[string]string{
		"100 KB of paragraphs":             strings.Repeat(paragraph, 100<<10/len(paragraph)),
		"a text of the greatest length":    strings.Repeat("some words, ", maxLaidOut/12),
		"a megabyte of paragraphs":         strings.Repeat("These are the words of a line that is as long as lines are, or a little longer.\n\n", 12<<10),
		"256 KB of code":                   "```go\n" + strings.Repeat("\t\tif err := something(ctx, argument); err != nil {\n\t\t\treturn err\n\t\t}\n", 3300) + "```\n",
		"100 KB of code without a gap":     "```json\n" + strings.Repeat(object, 100<<10/len(object)) + "```\n",
		"100 KB in one line":               strings.Repeat("word ", 20<<10),
		"a table of 2,000 rows with links": "|a|b|c|\n|-|-|-|\n" + strings.Repeat("|[a](b)|`c`|*d*|\n", 2000),
		"300 definitions of links":         strings.Repeat("[a]: https://example.com\n", 300),
		"a list of 3,000 items with links": strings.Repeat("- [a](b)\n", 3000),
		"quotes in lists in quotes":        strings.Repeat("> - ", 10) + "a",
		"a rule of many dashes":            strings.Repeat("- ", 40) + "\n\n" + strings.Repeat("* ", 40),
		"Python at its prompt, and a tree": ">>> print(1)\n1\n\n    - a\n      - b\n        - c\n",
	} {
		t.Run(name, func(t *testing.T) {
			if out := renderMarkdown(text, screen{width: 80}); strings.HasPrefix(out, shownAsItStands) {
				t.Errorf("%.100s", out)
			}
		})
	}
}

func TestRealDocumentsAreLaidOut(t *testing.T) {
	for _, root := range []string{filepath.Join("..", "..", "testdata"), filepath.Join("..", "..", "..", "shared", "corpora")} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			text, err := os.ReadFile(path)
			if reason := tooHardToLayOut(string(text)); reason != "" {
				t.Errorf("%s is not laid out: %s", path, reason)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

func TestNestedEmphasisIsPaintedOnce(t *testing.T) {
	text := strings.Repeat("*a **a ", 100) + strings.Repeat("b** b*", 100)
	if out := renderMarkdown(text, screen{width: 80, colour: true}); len(out) > 20*len(text) {
		t.Errorf("%d bytes become %d", len(text), len(out))
	}
}

// TestColumnsShareTheWidth compares with taking one column of the screen at a time
// from the first of the widest.
func TestColumnsShareTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		natural := rapid.SliceOfN(rapid.IntRange(1, 40), 0, 8).Draw(t, "natural")
		width := rapid.IntRange(-10, 150).Draw(t, "width")
		want := slices.Clone(natural)
		for excess := -width; len(want) > 0; {
			sum := excess
			for _, w := range want {
				sum += w
			}
			widest := slices.Max(want)
			if sum <= 0 || widest <= narrowestColumn {
				break
			}
			want[slices.Index(want, widest)]--
		}
		if got := shared(natural, width); !slices.Equal(got, want) {
			t.Errorf("%v in %d: %v, not %v", natural, width, got, want)
		}
	})
}
