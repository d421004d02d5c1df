package answer

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"issues-index/store/storetest"
)

// TestChunkBoundaries shows where texts are cut: ¦ stands for each cut.
func TestChunkBoundaries(t *testing.T) {
	for _, c := range []struct {
		name   string
		tokens int
		want   string
	}{
		{"before a heading, though more would fit", 12, "Some text here.\n\n¦# Next\n\nMore text.\n"},
		{"not between a heading and its text", 10, "First paragraph.\n\n¦## Heading\n\nSecond paragraph.\n"},
		{"before a heading that is underlined", 10, "Some text here.\n\n¦Next one\n---\n\nMore text.\n"},
		{"behind a paragraph", 12, "First paragraph here.\n\n¦Second paragraph.\n\n¦Third paragraph here.\n"},
		{"before a list item, with what is under it", 12, "- first item\n- second\n¦- third item\n  goes on here\n- fourth\n"},
		{"a nested item stays with its own", 16, "- a\n  - b is longer\n¦- c\n  - d is longer\n    and wrapped\n"},
		{"between the rows of a table that is too long", 12, "| a | b |\n|---|---|\n| c. D. | e |\n¦| f | g |\n"},
		{"before a table whose first row would be cut", 8, "## A heading here\n\n¦| a | b |\n|---|---|\n¦| c | d |\n| e | f |\n"},
		{"before a table that fits", 12, "Some text.\n\nMore.\n\n¦| a | b |\n|---|---|\n| c | d |\n"},
		{"at the end of a sentence", 12, "One sentence, e.g. this. ¦Another by Dr. Who is here.\n"},
		{"at the end of a sentence in wrapped lines", 12, "One sentence that\nis wrapped. ¦Another\nsentence.\n"},
		{"at the end of a Chinese sentence", 12, "这是第一句话。¦这是第二句话。"},
		{"at a space", 8, "one two three four five ¦six seven"},
		{"between letters", 4, "aaaaaaaaaaaaa¦aaaaaa"},
		{"between characters as people see them", 12, "👩‍👩‍👧👩‍👩‍👧¦👩‍👩‍👧👩‍👩‍👧"},
		{"not in a fenced block", 14, "Some text.\n\nMore text.\n\n¦```go\na. B.\n\n# c\n- d\n```\nText.\n"},
		{"not in one of tildes with backticks in it", 14, "Some text, more text.\n\n¦~~~\n```\na\n\n# b\n~~~\n"},
		{"not in one in a list", 16, "Some text, and more.\n\n¦- a\n\n  ```\n  # b\n\n  c\n  ```\n"},
		{"not in one in a quote", 12, "Some text, and more.\n\n¦> ```\n> a\n>\n> # b\n> ```\n"},
		{"between the lines of one that is too long", 10, "```\naaaaaaa aaaaaaa\n¦bbbbbbb. Bbbbbb\n¦ccccccc ccccccc\n```\n"},
		{"not in an indented block of code", 10, "Text.\n\n¦    code one\n\n    code two\n\n¦Text.\n"},
		{"a carriage return stays with its line feed", 5, "aaaa bbbb\r\n¦cccc dddd\r\n"},
		{"what is escaped in JSON counts so", 6, strings.Repeat("\"", 10) + "¦" + strings.Repeat("\"", 4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := strings.ReplaceAll(c.want, "¦", "")
			if got := mark(body, chunksOf(t, body, ChunkLimits{c.tokens, 200})); got != c.want {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// mark shows where a text is cut.
func mark(body string, ends []int) string {
	var b strings.Builder
	at := 0
	for _, end := range ends {
		b.WriteString(body[at:end])
		if at = end; end < len(body) {
			b.WriteString("¦")
		}
	}
	return b.String()
}

func TestChunkLines(t *testing.T) {
	body := strings.Repeat("line\n", 10)
	if ends := chunksOf(t, body, ChunkLimits{1000, 4}); !slices.Equal(ends, []int{20, 40, 50}) {
		t.Errorf("four lines a chunk end at %v", ends)
	}
}

// These texts would take the time limit of tests if any work were quadratic. They are
// longer than what is parsed at once.
func TestChunksOfHugeTexts(t *testing.T) {
	const size = 300 << 10
	units := []string{
		"a", "a ", "A b. ", "\n", " \n", "- a\n", "- ", "  - a\n", "> ", "> a\n", "```\n", "- ```\nx\n", "~~~ x\n\n", "# a\n", "|", "| a |\n", "a | b\n-|-\n",
		"a\n", "A b.\n", "1. a\n\n", "    a\n", "\t", "<!--\n", "a\n===\n", "\r\n", "\r", "é", "e\u0301", "👩‍👩‍👧", "\xff", "\x00", "。", "2026-01-02 a\n", "\"", "a.b.c", "...", `{"a":1}`,
	}
	for _, unit := range storetest.FewOf(units, 12) {
		body := strings.Repeat(unit, size/len(unit))
		if ends := chunkEnds(body, 0, ChunkLimits{DefaultChunkTokens, defaultChunkLines}); ends[len(ends)-1] != len(body) {
			t.Errorf("%q repeated: the last chunk ends at %d", unit, ends[len(ends)-1])
		}
	}
}

func TestNoChunkSplitsACharacter(t *testing.T) {
	for name, body := range map[string]string{
		"three bytes a character":       strings.Repeat("語", 200_000),
		"four bytes, one byte shifted":  "x" + strings.Repeat("😀", 150_000),
		"characters in very long lines": strings.Repeat(strings.Repeat("é", 140_001)+"\n", 3),
	} {
		for i, end := range chunkEnds(body, 0, ChunkLimits{Tokens: 2000, Lines: 200}) {
			if end < len(body) && !utf8.RuneStart(body[end]) {
				t.Errorf("%s: chunk %d ends inside a character, at %d", name, i, end)
			}
		}
	}
}

func BenchmarkChunk(b *testing.B) {
	body := strings.Repeat("## Part\n\nSome words that make a sentence. And another one here.\n\n- an item\n- another item\n\n", 1100)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		chunkEnds(body, 0, ChunkLimits{DefaultChunkTokens, defaultChunkLines})
	}
}
