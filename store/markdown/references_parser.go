package markdown

import (
	"bytes"
	"strings"
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

// A wikiLink is [[page]], [[page#heading]] or [[page|alias]], or the same behind an
// exclamation mark.
type wikiLink struct {
	ast.BaseInline
	page  string
	start int // of the page
}

var kindWikiLink = ast.NewNodeKind("WikiLink")

func (w *wikiLink) Kind() ast.NodeKind { return kindWikiLink }

func (w *wikiLink) Dump(source []byte, level int) { ast.DumpHelper(w, source, level, nil, nil) }

// maxWikiLink is the length in bytes up to which [[ begins a wiki link: that of a label of
// Markdown.
const maxWikiLink = 999

type wikiLinkParser struct{}

func (wikiLinkParser) Trigger() []byte { return []byte{'[', '!'} }

// Parse takes nothing that Markdown has another meaning for: [[1]](address) is a link with
// brackets around its text, and [[ -f file ]] a test of a shell.
func (wikiLinkParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
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
	page := string(inner[:end])
	if i := strings.IndexAny(page, "|#"); i >= 0 {
		page = page[:i]
	}
	page = strings.TrimRight(page, ` \`) // a table has its bars behind a backslash
	if page == "" || strings.Contains(page, "://") {
		return nil
	}
	block.Advance(begin + 2 + end + 2)
	return &wikiLink{page: page, start: segment.Start + begin + 2}
}
