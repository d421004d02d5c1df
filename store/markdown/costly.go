package markdown

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Some hostile texts take goldmark, or the layout of their tables, time that grows with
// the square of their length: a megabyte of `[a](` took minutes. Just below these limits
// the worst take a few hundred milliseconds. The largest of some thousand real documents
// has 90 KB, and a paragraph with 400 marks.
const (
	// MaxRendered is the longest text that is laid out, in bytes.
	MaxRendered = 256 << 10
	// maxInlineSteps bounds the sum, over all paragraphs, of the square of the number of
	// marks, since goldmark looks for the partner of each mark among the others, and of a
	// quarter of the bytes in which it looks for the end of each address or label.
	maxInlineSteps = 10_000_000
	// maxDefined bounds what link definitions add to a text, in bytes: each use of one
	// repeats its address and its title.
	maxDefined = 1 << 20
	// maxCells bounds the cells of all tables. Goldmark fills rows up, so that a wide head
	// and many short rows become many cells.
	maxCells = 50_000
	// maxCellLines bounds the lines in these cells when every column is as narrow as it
	// can be: all cells of a row are as high as the highest.
	maxCellLines = 2_000_000
	// narrowestCell is the fewest characters of a line in a cell.
	narrowestCell = 4
)

// inlineMarks are the characters that goldmark pairs.
const inlineMarks = "[]*_~<`"

// CostlyToRender says why a text takes too long to lay out or render, "" when it does not.
func CostlyToRender(source string) string {
	switch {
	case len(source) > MaxRendered:
		return "it is longer than 256 KiB"
	case DeeplyNested(source):
		return "its quotes or lists are nested too deeply"
	}
	pc, data := parser.NewContext(), []byte(source)
	doc := tableParser().Parse(text.NewReader(data), parser.WithContext(pc))
	switch size, _ := pc.Get(tableSizeKey).(tableSize); {
	case size.isTooLarge():
		return "its tables have too many cells or lines"
	case len(costlyBlocks(doc, data)) > 0:
		return "a paragraph has too many links or other marks"
	}
	return ""
}

// tableParser parses without link definitions and inline marks, which takes linear time.
// Definitions count as paragraphs.
var tableParser = sync.OnceValue(func() parser.Parser { return newParser(boundedTables()) })

// RenderContext is the context in which a text is parsed to be rendered. Once its links have
// repeated too much of what defines them, the others stay as they are written.
func RenderContext(options ...parser.ContextOption) parser.Context {
	return &boundedContext{parser.NewContext(options...), maxDefined}
}

type boundedContext struct {
	parser.Context
	left int // bytes
}

func (c *boundedContext) Reference(label string) (parser.Reference, bool) {
	r, ok := c.Context.Reference(label)
	if ok {
		c.left -= len(r.Destination()) + len(r.Title())
	}
	return r, ok && c.left >= 0
}

// A tableSize adds up what may be tables of a text.
type tableSize struct{ cells, lines int }

func (s tableSize) isTooLarge() bool { return s.cells > maxCells || s.lines > maxCellLines }

var tableSizeKey = parser.NewContextKey()

// boundedTables makes tables of paragraphs until they are too large.
func boundedTables() parser.Option {
	return parser.WithParagraphTransformers(util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200))
}

type tables struct{ parser.ParagraphTransformer }

func (t tables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	paragraph := node.Lines().Value(reader.Source())
	columns := 1 // of the table that the paragraph may be
	for line := range bytes.Lines(paragraph) {
		columns = max(columns, 1+bytes.Count(line, []byte("|")))
	}
	if columns == 1 {
		return
	}
	size, _ := pc.Get(tableSizeKey).(tableSize)
	size.cells += columns * node.Lines().Len()
	size.lines += columns * (len(paragraph) / narrowestCell)
	pc.Set(tableSizeKey, size)
	if !size.isTooLarge() {
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// costlyBlocks are the blocks that would take too long after those before them.
func costlyBlocks(doc ast.Node, source []byte) (costly []ast.Node) {
	left := maxInlineSteps
	eachBlock(doc, func(n ast.Node) {
		if n.IsRaw() {
			return
		}
		if steps := inlineSteps(n.Lines().Value(source)); steps <= left {
			left -= steps
		} else {
			costly = append(costly, n)
		}
	})
	return costly
}

// blankCostly puts dots in place of the costly blocks. The others stay the blocks that they are.
func blankCostly(source []byte) {
	if inlineSteps(source) <= maxInlineSteps {
		return
	}
	for _, n := range costlyBlocks(parseSource(tableParser(), source), source) {
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			text := bytes.TrimRight(source[line.Start:line.Stop], "\r\n")
			copy(text, bytes.Repeat([]byte("."), len(text)))
		}
	}
}

// inlineSteps is what goldmark does for the marks in one block.
func inlineSteps(text []byte) int {
	marks := 0
	for _, b := range text {
		if strings.IndexByte(inlineMarks, b) >= 0 {
			marks++
		}
	}
	addresses := bytes.Count(text, []byte("](")) + bytes.Count(text, []byte("]["))
	return marks*marks + addresses*len(text)/4
}
