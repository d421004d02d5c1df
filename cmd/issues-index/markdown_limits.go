package main

import (
	"bytes"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"issues-index/store"
)

// Some hostile texts take goldmark, or the layout of their tables, time that grows
// with the square of their length: a megabyte of `[a](` took minutes. Just below
// these limits the worst take a few hundred milliseconds. The largest of some
// thousand real documents has 90 KB, and a paragraph with 400 marks.
const (
	maxLaidOut = 1 << 20 // bytes
	// maxSigns bounds what may have a meaning in Markdown: signs, line ends, and the
	// blanks that a line begins with. A text of 128 KB cannot have more.
	maxSigns = 128 << 10
	// maxCells is how many cells the tables of a text have. Goldmark fills rows up,
	// so that a wide head and many short rows become many cells.
	maxCells = 50_000
	// maxCellLines is how many lines these cells have at most when every column is as
	// narrow as it can be: a line of one cell is a line of all.
	maxCellLines = 2_000_000
	// maxMarkPairs is the sum, over all paragraphs, of the number of marks in it
	// squared: goldmark looks for the partner of each among the others.
	maxMarkPairs = 30_000_000
)

// inlineMarks are the characters that goldmark pairs.
const inlineMarks = "[]*_~<`"

// blockSigns are the characters, besides these, that may begin or end a block.
const blockSigns = "\n\t>-+#|=.)!&"

// tooHardToLayOut says why a Markdown text is not laid out, "" when it is.
func tooHardToLayOut(source string) string {
	if len(source) > maxLaidOut {
		return "it is longer than " + humanize.IBytes(maxLaidOut)
	}
	if countSigns(source) > maxSigns {
		return "it has too many signs of Markdown, or too many lines"
	}
	if store.DeeplyNested(source) {
		return "its quotes or lists are nested too deeply"
	}
	tables := &countedTables{ParagraphTransformer: extension.NewTableParagraphTransformer()}
	// Link definitions take long, too, and so are counted as the paragraphs that they
	// stand in.
	blocks := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(tables, 200)),
	).Parse(text.NewReader([]byte(source)))
	if tables.tooLarge() {
		return "its tables have too many cells or lines"
	}
	if markPairs(blocks, []byte(source)) > maxMarkPairs {
		return "a paragraph has too many links or other marks"
	}
	return ""
}

// countSigns counts what may have a meaning in Markdown.
func countSigns(source string) (signs int) {
	for line := range strings.Lines(source) {
		text := strings.TrimLeft(line, " ")
		signs += len(line) - len(text)
		for i := range len(text) {
			if strings.IndexByte(inlineMarks+blockSigns, text[i]) >= 0 {
				signs++
			}
		}
	}
	return signs
}

// markPairs adds up the squares of the numbers of marks in the blocks of text.
func markPairs(n ast.Node, source []byte) (pairs int) {
	if n.Type() == ast.TypeInline || n.IsRaw() {
		return 0
	}
	marks := 0
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		for _, c := range line.Value(source) {
			if strings.IndexByte(inlineMarks, c) >= 0 {
				marks++
			}
		}
	}
	pairs = marks * marks
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		pairs += markPairs(child, source)
	}
	return pairs
}

// countedTables makes tables of paragraphs until they are too large.
type countedTables struct {
	parser.ParagraphTransformer
	cells, cellLines int
}

func (t *countedTables) tooLarge() bool { return t.cells > maxCells || t.cellLines > maxCellLines }

func (t *countedTables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	bars, size := 0, 0
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		bars = max(bars, bytes.Count(line.Value(reader.Source()), []byte("|")))
		size += line.Len()
	}
	if bars == 0 {
		return
	}
	t.cells += (bars + 1) * node.Lines().Len()
	t.cellLines += (bars + 1) * (size / narrowestColumn)
	if !t.tooLarge() {
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
}
