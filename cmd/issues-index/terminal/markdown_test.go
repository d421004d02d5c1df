package terminal

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"issues-index/store/markdown"
	"issues-index/tools/toolstest"
)

// sgr are the escape sequences that we write.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// What a page looks like is kept as files, at the two widths that people have,
// on a narrow one, and without colours.
func TestMarkdownPage(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("testdata", "markdown", "page.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Screen{{Width: 40}, {Width: 80}, {Width: 80, Colour: true}, {Width: 140, Colour: true}} {
		name := fmt.Sprintf("page-%d", s.Width)
		if s.Colour {
			name += "-colour"
		}
		t.Run(name, func(t *testing.T) {
			got := Markdown(string(source), s)
			toolstest.Same(t, filepath.Join("testdata", "markdown", name+".golden"), []byte(strings.ReplaceAll(got, "\x1b", "␛")))
			if s.Colour == !strings.Contains(got, "\x1b") {
				t.Errorf("colour is %v, and escape sequences: %v", s.Colour, !s.Colour)
			}
		})
	}
}

func TestMarkdownKeepsEverythingAtAnyWidth(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("testdata", "markdown", "page.md"))
	if err != nil {
		t.Fatal(err)
	}
	wide := letters(Markdown(string(source), Screen{Width: 1000}))
	for width := 30; width < 160; width += 7 {
		if got := letters(Markdown(string(source), Screen{Width: width})); got != wide {
			t.Errorf("at %d columns %q, at 1000 %q", width, got, wide)
		}
	}
}

// letters are the characters of a page that do not make its layout, sorted: in
// cells that go on below themselves the words stand in another order.
func letters(page string) string {
	all := []rune(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '─' || r == '│' {
			return -1
		}
		return r
	}, page))
	slices.Sort(all)
	return string(all)
}

func TestMarkdownFitsTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(24, 120).Draw(t, "width")
		source := rapid.SliceOfN(rapid.SampledFrom([]string{
			"# Title with words", "some words of running text ", "長い日本語の文章が続く", "`code span` ", "**bold** ",
			"\n\n", "\n", "- item ", "1. item ", "> quoted ", "| a | b |\n|---|---|\n| cell of a table | another |\n\n", "[text](https://example.org/path) ",
			"averyveryverylongwordthatfitsnowhere", "🎉🎉 ", "---\n",
		}), 0, 30).Draw(t, "parts")
		page := Markdown(strings.Join(source, ""), Screen{Width: width, Colour: rapid.Bool().Draw(t, "colour")})
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, "    ") || strings.HasPrefix(strings.TrimLeft(line, "│ \x1b[0123456789m•."), "    ") {
				continue // code, which is never broken
			}
			if w := uniseg.StringWidth(sgr.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")); w > width {
				t.Fatalf("%d columns on a screen of %d: %q", w, width, line)
			}
		}
	})
}

// Text from files must not reach the terminal as commands to it, in whatever
// form it hides: as it is, as an entity, in code, in addresses, in HTML.
func TestMarkdownCannotDriveTheTerminal(t *testing.T) {
	const attack = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"
	sources := []string{
		attack, "# " + attack, "`" + attack + "`", "```\n" + attack + "\n```", "    " + attack,
		"[" + attack + "](http://x/" + attack + ")", "[a](<http://x/" + attack + ">)", "![" + attack + "](y)", "<b " + attack + ">", "<!--" + attack + "-->",
		"| a |\n|---|\n| " + attack + " |", "> " + attack, "- " + attack,
		"&#27;[2J &#x1b;]0;x&#7; &#155;31m &#x202e;", "`&#27;[2J`", "[a](http://x/&#27;[2J)", "\\\x1b[2J", "a\xc2b\x9b31m",
		"seen\rhidden", "seen&#13;hidden", "`seen\rhidden`", "a\r\n\r\nb",
		"<http://x/" + attack + ">", "https://example.org/&#27;[2J",
	}
	for _, source := range sources {
		for _, colour := range []bool{false, true} {
			if page := Markdown(source, Screen{Width: 80, Colour: colour}); !isHarmless(page, colour) {
				t.Errorf("colour %v: %q becomes %q", colour, source, page)
			}
		}
	}
}

// isHarmless reports whether nothing in a page but our own colours means anything
// to a terminal.
func isHarmless(page string, colour bool) bool {
	if colour {
		page = sgr.ReplaceAllString(page, "")
	}
	return utf8.ValidString(page) && strings.IndexFunc(page, func(r rune) bool { return r != '\n' && Unprintable(r) }) < 0
}

// A page takes a time that grows with its text, whatever the text is.
func TestMarkdownOfOneLongWord(t *testing.T) {
	const letters = markdown.MaxRendered
	page := Markdown(strings.Repeat("x", letters), Screen{Width: 64})
	if lines := strings.Count(page, "\n"); lines != letters/64 {
		t.Errorf("%d lines", lines)
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n\n| b |\n|---|\n| &#27; |\n", uint8(80))
	f.Add("1. a\n\n   - b\n\n> ```\n> c", uint8(12))
	f.Add("[a]: b\n\n[a] ![c][a] <d@e.f>", uint8(0))
	f.Add("0\r0\t0", uint8(123))
	f.Fuzz(func(t *testing.T, source string, width uint8) {
		s := Screen{Width: int(width), Colour: width%2 == 0}
		if page := Markdown(source, s); !isHarmless(page, s.Colour) {
			t.Errorf("%q becomes %q", source, page)
		}
	})
}

// shownAsItStands begins the line above a text that is not laid out.
const shownAsItStands = "Shown as it stands in the file: "

func TestCostlyMarkdownIsShownUnchanged(t *testing.T) {
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"a text that is too long":                strings.Repeat("some words ", markdown.MaxRendered/11+1),
		"a text of many lines":                   strings.Repeat("a\n", markdown.MaxRendered),
		"a megabyte of links":                    strings.Repeat("[a](", 1<<18),
		"links that do not end":                  strings.Repeat("[a](", 1<<14),
		"brackets in brackets":                   strings.Repeat("[", 8_000) + strings.Repeat("]", 8_000),
		"stars":                                  strings.Repeat("*a **a ", 4_000),
		"stars in a heading":                     "# " + strings.Repeat("*a **a ", 4_000),
		"links in a list item":                   "- " + strings.Repeat("[a](", 1<<14),
		"links behind a fence that is only HTML": "<div>\n```\n\n" + strings.Repeat("[a](", 1<<14),
		"links in a cell of a table":             "|a|\n|-|\n|" + strings.Repeat("[a](", 1<<14) + "|\n",
		"links behind a row of dashes":           strings.Repeat("[a](", 1<<14) + "\n|-|-|-|\n",
		"links before a long word":               strings.Repeat("[a](", 1000) + strings.Repeat("x", 200_000),
		"labels before a long word":              strings.Repeat("[a][", 1000) + strings.Repeat("x", 200_000),
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
			first, rest, _ := strings.Cut(Markdown(hostile, Screen{Width: 80, Colour: true}), "\n")
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
		"100 KB of paragraphs":              strings.Repeat(paragraph, 100<<10/len(paragraph)),
		"a text of the greatest length":     strings.Repeat("some words, ", markdown.MaxRendered/13),
		"the greatest length of paragraphs": strings.Repeat("These are the words of a line that is as long as lines are, or a little longer.\n\n", markdown.MaxRendered/100),
		"256 KB of code":                    "```go\n" + strings.Repeat("\t\tif err := something(ctx, argument); err != nil {\n\t\t\treturn err\n\t\t}\n", 3300) + "```\n",
		"100 KB of code without a gap":      "```json\n" + strings.Repeat(object, 100<<10/len(object)) + "```\n",
		"100 KB in one line":                strings.Repeat("word ", 20<<10),
		"a table of 2,000 rows with links":  "|a|b|c|\n|-|-|-|\n" + strings.Repeat("|[a](b)|`c`|*d*|\n", 2000),
		"300 definitions of links":          strings.Repeat("[a]: https://example.com\n", 300),
		"a list of 3,000 items with links":  strings.Repeat("- [a](b)\n", 3000),
		"quotes in lists in quotes":         strings.Repeat("> - ", 10) + "a",
		"a rule of many dashes":             strings.Repeat("- ", 40) + "\n\n" + strings.Repeat("* ", 40),
		"Python at its prompt, and a tree":  ">>> print(1)\n1\n\n    - a\n      - b\n        - c\n",
	} {
		t.Run(name, func(t *testing.T) {
			if out := Markdown(text, Screen{Width: 80}); strings.HasPrefix(out, shownAsItStands) {
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
			if reason := markdown.CostlyToRender(string(text)); reason != "" {
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
	if out := Markdown(text, Screen{Width: 80, Colour: true}); len(out) > 20*len(text) {
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
		if got := columnWidths(natural, width); !slices.Equal(got, want) {
			t.Errorf("%v in %d: %v, not %v", natural, width, got, want)
		}
	})
}
