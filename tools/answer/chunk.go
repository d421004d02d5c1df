package answer

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"issues-index/store/markdown"
)

// ChunkLimits bound one chunk of a text.
type ChunkLimits struct {
	Tokens int // as Estimate has it, of the text as JSON
	Lines  int // begun or whole
}

// Chunk returns the limits of one chunk of a long text.
func (b Budget) Chunk() ChunkLimits { return ChunkLimits{Tokens: b.ChunkTokens, Lines: b.ChunkLines} }

// A chunker cuts a Markdown text into chunks that join to the text byte for byte. It
// cuts before a heading, else between blocks, list items, sentences, lines or words. A
// block that fits a chunk is never cut. Where a chunk ends depends on the text, the
// limits and where the chunk begins, and on nothing else. The time is linear in the text.
type chunker struct {
	text   string
	limits ChunkLimits
}

// A textBlock is a Markdown textBlock: a heading, a paragraph, a list item.
type textBlock struct {
	kind       ast.NodeKind
	start, end int // from its first line to the end of its last line with text
	children   []textBlock
}

// chunkEnds returns where the chunks of a text end, from an offset on.
func chunkEnds(text string, from int, limits ChunkLimits) []int {
	c := chunker{text, ChunkLimits{max(limits.Tokens, 1), max(limits.Lines, 1)}}
	var ends []int
	var blocks []textBlock
	for parsed := 0; from < len(text); {
		end := c.window(from)
		for parsed < min(end+c.bytes(), len(text)) {
			piece := pieceOf(text[parsed:])
			if parsed+len(piece) > from {
				blocks = append(blocks, blocksOf(piece, parsed)...)
			}
			parsed += len(piece)
		}
		if end < len(text) {
			if cut := c.cut(blocks, from, end); cut > from {
				end = cut
			}
		}
		ends = append(ends, end)
		from = end
		for len(blocks) > 1 && blocks[1].start <= from {
			blocks = blocks[1:]
		}
	}
	return ends
}

// pieceOf returns as much of a text as is parsed at once. Syntax trees take hundreds of
// times the memory of some hostile texts.
func pieceOf(text string) string {
	const size = 256 << 10
	if len(text) <= size {
		return text
	}
	for _, boundary := range []string{"\n\n", "\n"} {
		if at := strings.LastIndex(text[:size], boundary); at > size/2 {
			return text[:at+len(boundary)]
		}
	}
	at := size
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:cmp.Or(at, size)]
}

// cut returns the best place to cut between the blocks or in one of them, behind begin
// and up to end, 0 when there is none.
func (c *chunker) cut(blocks []textBlock, begin, end int) int {
	half := begin + (end-begin)/2
	best := 0
	next := sort.Search(len(blocks), func(i int) bool { return blocks[i].start > begin })
	beforeHeading := 0
	for ; next < len(blocks) && blocks[next].start <= end; next++ {
		if next > 0 && blocks[next-1].kind == ast.KindHeading {
			continue // a heading stays with what is under it
		}
		best = blocks[next].start
		if blocks[next].kind == ast.KindHeading && best > half {
			beforeHeading = best
		}
	}
	if beforeHeading > 0 || next == 0 {
		return beforeHeading
	}
	switch last := blocks[next-1]; {
	case last.end <= end && c.text[end-1] == '\n' && (best == 0 || last.kind != ast.KindHeading):
		return end // in the empty lines behind the block
	case last.end <= end && best == 0:
		return last.end
	case best > half || last.end <= end:
		return best
	case last.start > begin && c.fits(last.start, last.end):
		return cmp.Or(best, last.start)
	case len(last.children) > 0:
		return max(best, c.cut(last.children, begin, end))
	default:
		return max(best, c.cutLines(last, begin, end))
	}
}

// cutLines returns where to cut a block without blocks in it: a paragraph behind a
// sentence, everything else behind a line, or before the whole block.
func (c *chunker) cutLines(b textBlock, begin, end int) int {
	from := max(begin, b.start)
	isTable := c.text[b.start] == '|'
	isProse := (b.kind == ast.KindParagraph || b.kind == ast.KindTextBlock) && !isTable
	lines := strings.LastIndexByte(c.text[from:end], '\n') + 1
	if isProse {
		if at := lastSentence(c.text, from, end); at > begin {
			return at
		}
	}
	switch {
	case !isProse && lines > 0:
		return from + lines
	case b.start > begin:
		return b.start
	case lines > 0:
		return from + lines
	}
	return c.cutLine(begin, end)
}

// cutLine returns where to cut in a line: behind the last space of the window's second
// half, else between two characters as a reader sees them.
func (c *chunker) cutLine(begin, end int) int {
	half := begin + (end-begin)/2
	if space := strings.LastIndexAny(c.text[half:end], " \t"); space >= 0 {
		return half + space + 1
	}
	const longest = 256 // bytes of a character with its marks; a longer one is cut
	at := max(begin, end-longest)
	for at < end && !utf8.RuneStart(c.text[at]) {
		at++
	}
	start := at
	rest, state := c.text[at:min(len(c.text), end+longest)], -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if at+len(cluster) > end {
			break
		}
		at += len(cluster)
	}
	if at == start {
		return end
	}
	return at
}

// bytes is the most bytes of a chunk.
func (c *chunker) bytes() int { return c.limits.Tokens * 10 / 3 }

// window returns the last place at which a chunk may end: at least one character on, and
// not inside a CRLF.
func (c *chunker) window(begin int) int {
	end, left, lines := begin, c.bytes(), 0
	for end < len(c.text) && lines < c.limits.Lines {
		cost, width := escapedRune(c.text[end:])
		if left -= cost; left < 0 {
			break
		}
		if end += width; c.text[end-1] == '\n' {
			lines++
		}
	}
	if end > begin && end < len(c.text) && c.text[end-1] == '\r' && c.text[end] == '\n' {
		end--
	}
	if end == begin && strings.HasPrefix(c.text[begin:], "\r\n") {
		return begin + 2
	}
	if end == begin {
		_, width := utf8.DecodeRuneInString(c.text[begin:])
		end += width
	}
	return end
}

// fits reports whether a part of the text fits a chunk.
func (c *chunker) fits(from, to int) bool {
	part := c.text[from:to]
	return len(part) <= c.bytes() && Escaped(part) <= c.bytes() && strings.Count(part, "\n") <= c.limits.Lines
}

var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
})

// blocksOf returns the blocks of a piece of a text, which begins at an offset. A piece
// that nests them deeper than real documents do is one block: goldmark would take
// quadratic time.
func blocksOf(piece string, offset int) []textBlock {
	if markdown.DeeplyNested(piece) {
		return []textBlock{{start: offset, end: offset + len(piece)}}
	}
	root := blockParser().Parse(text.NewReader([]byte(piece)))
	return childBlocks(piece, offset, root, len(piece))
}

// childBlocks returns the blocks in a node that ends at a place of the piece.
func childBlocks(piece string, offset int, node ast.Node, end int) []textBlock {
	var nodes []ast.Node
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if child.Type() == ast.TypeBlock {
			nodes = append(nodes, child)
		}
	}
	blocks := make([]textBlock, len(nodes))
	for i, n := range slices.Backward(nodes) {
		start := strings.LastIndexByte(piece[:n.Pos()], '\n') + 1
		last := start + len(strings.TrimRight(piece[start:end], " \t\r\n"))
		if line := strings.IndexByte(piece[last:end], '\n'); line >= 0 {
			last += line + 1
		} else {
			last = end
		}
		blocks[i] = textBlock{n.Kind(), offset + start, offset + last, childBlocks(piece, offset, n, last)}
		end = start
	}
	return blocks
}

const unicodeEscape = len(`\u0000`)

// Escaped returns the bytes of a text as a JSON string, without its quotes.
func Escaped(text string) int {
	n := 0
	for at := 0; at < len(text); {
		cost, width := escapedRune(text[at:])
		n, at = n+cost, at+width
	}
	return n
}

// escapedRune returns the bytes of a text's first character in JSON, and in itself.
func escapedRune(text string) (cost, width int) {
	switch b := text[0]; {
	case b == '"', b == '\\', b == '\n', b == '\r', b == '\t', b == '\b', b == '\f':
		return 2, 1
	case b < ' ':
		return unicodeEscape, 1
	case b < utf8.RuneSelf:
		return 1, 1
	}
	r, width := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && width == 1 || r == '\u2028' || r == '\u2029' {
		return unicodeEscape, width
	}
	return width, width
}
