package markdown

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// referenceParser reads a text. It knows wiki links.
var referenceParser = sync.OnceValue(func() parser.Parser {
	return newParser(
		boundedDefinitions(), boundedTables(),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(util.Prioritized(wikiLinkParser{}, 150)), // before links
	)
})

// maxWikiLink is the length in bytes up to which [[ begins a wiki link: that of a label of
// Markdown.
const maxWikiLink = 999

// A wikiLinkParser finds [[page]], [[page#heading]] and [[page|alias]], also behind an
// exclamation mark, and makes an [ast.String] of the page, which no other parser makes.
type wikiLinkParser struct{}

func (wikiLinkParser) Trigger() []byte { return []byte{'[', '!'} }

// Parse takes nothing that Markdown has another meaning for: [[1]](address) is a link with
// brackets around its text, and [[ -f file ]] a test of a shell.
func (wikiLinkParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	begin := len(line) - len(bytes.TrimPrefix(line, []byte("!")))
	inner, found := bytes.CutPrefix(line[begin:], []byte("[["))
	if !found {
		return nil
	}
	inner = inner[:min(len(inner), maxWikiLink)]
	end := bytes.IndexAny(inner, "[]\n")
	if end < 1 || !bytes.HasPrefix(inner[end:], []byte("]]")) || inner[0] == ' ' {
		return nil
	}
	rest := line[begin+2+end+2:]
	if bytes.HasPrefix(rest, []byte("(")) || bytes.HasPrefix(rest, []byte("[")) && !bytes.HasPrefix(rest, []byte("[[")) {
		return nil
	}
	page := inner[:end]
	if i := bytes.IndexAny(page, "|#"); i >= 0 {
		page = page[:i]
	}
	page = bytes.TrimRight(page, ` \`) // a table has its bars behind a backslash
	if len(page) == 0 || bytes.Contains(page, []byte("://")) {
		return nil
	}
	block.Advance(begin + 2 + end + 2)
	return ast.NewString(page)
}
