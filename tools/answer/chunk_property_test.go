package answer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A span is a part of a text that belongs together.
type span struct {
	kind       string
	start, end int
}

// chunksOf cuts a text and returns where its chunks end, after checking what
// holds of every text.
func chunksOf(t failer, body string, limits ChunkLimits) []int {
	t.Helper()
	ends := chunkEnds(body, 0, limits)
	c := chunker{body, ChunkLimits{max(limits.Tokens, 1), max(limits.Lines, 1)}}
	at := 0
	for i, end := range ends {
		if end <= at || end > len(body) {
			t.Fatalf("a chunk of %d bytes runs from %d to %d", len(body), at, end)
		}
		if piece := body[at:end]; !c.fits(at, end) && len([]rune(piece)) > 1 && piece != "\r\n" {
			t.Fatalf("the chunk from %d to %d is over %+v", at, end, limits)
		}
		if again := chunkEnds(body, at, limits); i < 3 && !slices.Equal(again, ends[i:]) {
			t.Fatalf("the chunks from %d on end at %v, and at %v when they begin there", at, ends[i:], again)
		}
		at = end
	}
	if at != len(body) {
		t.Fatalf("the chunks of %d bytes end at %d", len(body), at)
	}
	return ends
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// checkUncut fails the test for every span that fits a chunk, with the space or
// line end behind it, and is cut in two.
func checkUncut(t failer, body string, ends []int, spans []span, limits ChunkLimits) {
	t.Helper()
	c := chunker{body, limits}
	for _, s := range spans {
		for _, at := range ends {
			if s.start < at && at < s.end && c.fits(withSpaceBefore(body, ends, s.start), behindSpace(body, s.end)) {
				t.Errorf("the %s from %d to %d is cut at %d:\n%q | %q", s.kind, s.start, s.end, at,
					body[max(s.start, at-200):at], body[at:min(s.end, at+200)])
			}
		}
	}
}

// behindSpace returns the offset behind spaces and one line end.
func behindSpace(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r", text[at]) >= 0 {
		at++
	}
	if at < len(text) && text[at] == '\n' {
		at++
	}
	return at
}

// withSpaceBefore returns where the chunk begins that has nothing but space before
// an offset, and the offset itself when there is none: the space behind a sentence
// that fills its chunk is the next one's.
func withSpaceBefore(body string, ends []int, at int) int {
	i, found := slices.BinarySearch(ends, at)
	if i == 0 || found || strings.TrimSpace(body[ends[i-1]:at]) != "" {
		return at
	}
	return ends[i-1]
}

// A draft is a text in the making, with what belongs together in it.
type draft struct {
	strings.Builder
	spans []span
}

// mark notes that what write writes belongs together.
func (d *draft) mark(kind string, write func()) {
	start := d.Len()
	write()
	d.spans = append(d.spans, span{kind, start, d.Len()})
}

var pieces = rapid.SampledFrom([]string{
	"the", "index", "reads", "a", "file", "e.g. this", "vs. that", "`code.go`", "Dr. Who", "naïve", "検索", "🚀", "v1.2", "and", "so", "on", "[a](b.md)", "Fig. 3", "**bold**", "x<y", `"quoted"`,
})

// prose draws a sentence without a line end.
func prose(t *rapid.T) string {
	if rapid.IntRange(0, 5).Draw(t, "script") == 0 {
		return strings.Repeat("文書を読む", rapid.IntRange(1, 12).Draw(t, "length")) + rapid.SampledFrom([]string{"。", "！", "？", "」。"}).Draw(t, "end")
	}
	all := rapid.SliceOfN(pieces, 1, 25).Draw(t, "words")
	return "So " + strings.Join(all, " ") + " it is" + rapid.SampledFrom([]string{".", "!", "?", ".)", "..."}).Draw(t, "end")
}

// write draws one block and writes it down.
func (d *draft) write(t *rapid.T) {
	n := rapid.IntRange(1, 20).Draw(t, "n")
	switch rapid.IntRange(0, 8).Draw(t, "block") {
	case 0:
		fmt.Fprintf(d, "%s Heading %d\n", strings.Repeat("#", n%6+1), n)
	case 1: // a paragraph on one line
		for i := range n {
			if i > 0 {
				d.WriteByte(' ')
			}
			d.mark("sentence", func() { d.WriteString(prose(t)) })
		}
		d.WriteByte('\n')
	case 2: // wrapped lines
		for range n {
			d.mark("sentence", func() {
				text := prose(t)
				d.WriteString(strings.ReplaceAll(text, " and ", "\nand "))
			})
			d.WriteByte('\n')
		}
	case 3:
		for i := range n {
			d.mark("list item", func() {
				fmt.Fprintf(d, "- %s\n", prose(t))
				if i%3 == 0 {
					fmt.Fprintf(d, "  %s\n\n  further text\n", strings.ReplaceAll(prose(t), " and ", "\n  and "))
				}
				for j := range i % 4 {
					d.mark("nested item", func() { fmt.Fprintf(d, "  %d. %s\n", j+1, prose(t)) })
				}
			})
		}
	case 4, 5:
		mark := rapid.SampledFrom([]string{"```", "~~~~", "`````"}).Draw(t, "mark")
		indent := rapid.SampledFrom([]string{"", " "}).Draw(t, "indent") // two would put it into a list before it
		d.mark("fenced block", func() {
			fmt.Fprintf(d, "%s%sgo\n", indent, mark)
			for i := range n {
				d.WriteString([]string{"x := y. Z = 1\n", "\n", "# comment\n", "- a\n", "~~~\n", "| a |\n"}[i%6])
			}
			fmt.Fprintf(d, "%s%s\n", indent, mark)
		})
	case 6:
		d.mark("table", func() {
			d.WriteString("| a | b |\n|---|---|\n")
			for i := range n {
				d.mark("row", func() { fmt.Fprintf(d, "| %d | Some text. More text. |\n", i) })
			}
		})
	case 7:
		for i := range n {
			fmt.Fprintf(d, "2026-01-02T10:00:%02dZ INFO started. Then went on. %s\n", i, prose(t))
		}
	case 8: // nothing to hold on to
		unit := rapid.SampledFrom([]string{"a", "字", "é", "👩‍👩‍👧", "e\u0301", "\x00", "\xff", "\"", "<", "\t"}).Draw(t, "unit")
		d.WriteString(strings.Repeat(unit, n*40) + "\n")
	}
	d.WriteString("\n")
}

func drawText(t *rapid.T) *draft {
	d := &draft{}
	for range rapid.IntRange(1, 25).Draw(t, "blocks") {
		d.write(t)
	}
	return d
}

// TestChunkProperties holds that nothing that belongs together and fits is cut,
// by what the writer of the text knows of it.
func TestChunkProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawText(t)
		limits := ChunkLimits{rapid.IntRange(30, 800).Draw(t, "tokens"), rapid.IntRange(3, 100).Draw(t, "lines")}
		body := d.String()
		ends := chunksOf(t, body, limits)
		checkUncut(t, body, ends, d.spans, limits)
		for _, at := range ends[:len(ends)-1] {
			if !utf8.RuneStart(body[at]) && utf8.ValidString(body) {
				t.Errorf("a character is cut at %d", at)
			}
		}
	})
}

// TestChunksOfAnyText holds what is true of every text, whatever it is made of.
func TestChunksOfAnyText(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"# ", "a", "b c. ", "\n", "\n\n", "\r\n", "---", "===", "```", "~~~", "> ", "- ", "  ", "    ", "\t", "<!--", "-->", "|", "|-|", "*", "é", "\r", "1. ", "10) ", "\xff", "。", "🚀", "\u2028", "2026-01-02 ", "\x01",
	})
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(pieces, 0, 200).Draw(t, "pieces"), "")
		limits := ChunkLimits{rapid.IntRange(0, 60).Draw(t, "tokens"), rapid.IntRange(0, 9).Draw(t, "lines")}
		for _, at := range chunksOf(t, body, limits) {
			if at < len(body) && body[at-1] == '\r' && body[at] == '\n' {
				t.Errorf("a line end is cut at %d", at)
			}
		}
	})
}

func FuzzChunks(f *testing.F) {
	f.Add("# A\n\n- b\n  ```\n  c\n  ```\n\nD. E!\n", 10, 3)
	f.Add("| a |\n|--|\n| b |\n\n> ```\n> x\ny\n===\n", 5, 2)
	f.Add("0A0A\xc9", 5, 18) // half a character, one byte too many
	f.Fuzz(func(t *testing.T, body string, tokens, lines int) {
		if len(body) > 1000*max(1, tokens%500) { // each of thousands of chunks is made from the whole text
			return
		}
		chunksOf(t, body, ChunkLimits{tokens % 500, lines % 50})
	})
}
