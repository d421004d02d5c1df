package main

import (
	"bytes"
	"fmt"
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
	for _, s := range []screen{{width: 40}, {width: 80}, {width: 80, colour: true}, {width: 140, colour: true}} {
		name := fmt.Sprintf("page-%d", s.width)
		if s.colour {
			name += "-colour"
		}
		t.Run(name, func(t *testing.T) {
			got := renderMarkdown(string(source), s)
			keepGolden(t, filepath.Join("testdata", "markdown", name+".golden"), strings.ReplaceAll(got, "\x1b", "␛"))
			if s.colour == !strings.Contains(got, "\x1b") {
				t.Errorf("colour is %v, and escape sequences: %v", s.colour, !s.colour)
			}
		})
	}
}

func keepGolden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
		t.Errorf("%s is out of date: UPDATE_GOLDEN=1 go test ./cmd/issues-index\ngot:\n%s", file, got)
	}
}

func TestMarkdownKeepsEverythingAtAnyWidth(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("testdata", "markdown", "page.md"))
	if err != nil {
		t.Fatal(err)
	}
	wide := letters(renderMarkdown(string(source), screen{width: 1000}))
	for width := 30; width < 160; width += 7 {
		if got := letters(renderMarkdown(string(source), screen{width: width})); got != wide {
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
		page := renderMarkdown(strings.Join(source, ""), screen{width: width, colour: rapid.Bool().Draw(t, "colour")})
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
			if page := renderMarkdown(source, screen{width: 80, colour: colour}); !isHarmless(page, colour) {
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
	return utf8.ValidString(page) && strings.IndexFunc(page, func(r rune) bool { return r != '\n' && unprintable(r) }) < 0
}

// A page takes a time that grows with its text, whatever the text is.
func TestMarkdownOfOneLongWord(t *testing.T) {
	const letters = 1 << 20
	page := renderMarkdown(strings.Repeat("x", letters), screen{width: 64})
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
		s := screen{width: int(width), colour: width%2 == 0}
		if page := renderMarkdown(source, s); !isHarmless(page, s.colour) {
			t.Errorf("%q becomes %q", source, page)
		}
	})
}
