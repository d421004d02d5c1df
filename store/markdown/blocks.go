package markdown

import (
	"bytes"
	"strings"
	"sync"

	meta "github.com/yuin/goldmark-meta"

	"issues-index/store/frontmatter"
	"issues-index/store/pattern"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Some hostile texts take goldmark quadratic time. These limits keep every text
// linear; no real document comes near them.
const (
	// maxHeading is the length in bytes up to which a heading's markup is
	// parsed. A longer one (a whole paragraph underlined) is cut there.
	maxHeading = 1 << 10
	// maxNesting bounds quotes and lists inside each other on one line.
	maxNesting = 32
	// maxIndent is the column from which on no line opens a quote or list.
	maxIndent = 200
	// maxReferences is the number of lines up to which a paragraph is searched
	// for link definitions.
	maxReferences = 200
)

// blockParser finds the blocks; it leaves the text inside them alone, which is
// most of the work and not needed. metaParser takes frontmatter at the head for
// what it is. inlineParser reads one heading's text, in which `1.` or `-` begins
// no list.
var (
	blockParser = sync.OnceValue(func() parser.Parser { return newParser(boundedDefinitions()) })
	metaParser  = sync.OnceValue(func() parser.Parser {
		return newParser(boundedDefinitions(), parser.WithBlockParsers(util.Prioritized(meta.NewParser(), 0)))
	})
	inlineParser = sync.OnceValue(func() parser.Parser {
		return parser.NewParser(
			parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		)
	})
)

// newParser is a parser of all blocks that reads nothing in them unless the options say so.
func newParser(options ...parser.Option) parser.Parser {
	return parser.NewParser(append(options, parser.WithBlockParsers(parser.DefaultBlockParsers()...))...)
}

// blocks parses the blocks of a text and leaves what is in them alone. Their positions are
// those of source, which is the text from offset on. Frontmatter that stands at the head of
// the text, since it could not be read, is no block.
func blocks(body string) (doc ast.Node, source []byte, offset int) {
	if fm, found, _ := frontmatter.Split(body); found && fm.End > 0 && metaAgrees(body, fm) {
		source = flatten([]byte(body))
		if doc = parseMeta(source); doc != nil {
			return doc, source, 0
		}
	}
	source, offset = readable(body)
	return parseSource(blockParser(), source), source, offset
}

// readable is the text from offset on, behind frontmatter that could not be read and a byte
// order mark, without what takes long.
func readable(body string) (source []byte, offset int) {
	if fm, found, _ := frontmatter.Split(body); found {
		offset = fm.End
	}
	if strings.HasPrefix(body[offset:], frontmatter.BOM) {
		offset += len(frontmatter.BOM)
	}
	return flatten([]byte(body[offset:])), offset
}

func parseSource(p parser.Parser, source []byte) ast.Node { return p.Parse(text.NewReader(source)) }

// eachBlock calls visit for a block and for those in it, in their order.
func eachBlock(n ast.Node, visit func(ast.Node)) {
	visit(n)
	for child := n.FirstChild(); child != nil && child.Type() != ast.TypeInline; child = child.NextSibling() {
		eachBlock(child, visit)
	}
}

// metaAgrees reports whether goldmark-meta sees the frontmatter end where it
// does: it misses the block behind a byte order mark, knows no `...`, and takes
// any line of dashes for the end, also one inside a value.
func metaAgrees(body string, fm frontmatter.Block) bool {
	return !strings.HasPrefix(body, frontmatter.BOM) && !fm.Dots && len(fm.YAML) <= frontmatter.MaxFrontmatterSize &&
		!dashes().MatchString(fm.YAML)
}

// dashes finds a line of nothing else.
var dashes = pattern.Lazy(`(?m)^\s*-+\s*$`)

// parseMeta is nil when the YAML library below goldmark-meta, which is another
// than ours, fails in a way that it does not report.
func parseMeta(source []byte) (doc ast.Node) {
	defer func() {
		if recover() != nil {
			doc = nil
		}
	}()
	return parseSource(metaParser(), source)
}

// boundedDefinitions takes link definitions out of paragraphs.
func boundedDefinitions() parser.Option {
	definitions := linkDefinitions{parser.LinkReferenceParagraphTransformer}
	return parser.WithParagraphTransformers(util.Prioritized(definitions, 100))
}

// linkDefinitions passes over the paragraphs that would take long.
type linkDefinitions struct{ parser.ParagraphTransformer }

func (t linkDefinitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxReferences {
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// flatten overwrites the marks of a text that would nest quotes and lists deeper
// than maxNesting or further right than maxIndent, each by a letter. What they would
// open holds no heading of the outline.
func flatten(source []byte) []byte {
	for line := range bytes.Lines(source) {
		if i := deepMark(line); i >= 0 {
			line[i] = 'x'
		}
	}
	return source
}

// deepMark is where a line has the mark of a quote or list item that is nested
// deeper than maxNesting or stands further right than maxIndent, -1 when it has none.
func deepMark(line []byte) int {
	nesting := 0
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		n := containerMark(line[i:])
		if n == 0 {
			break
		}
		if nesting++; nesting > maxNesting || i > maxIndent {
			return i
		}
		i += n
	}
	return -1
}

// DeeplyNested reports whether a Markdown text nests quotes or lists deeper than real
// documents do, which takes goldmark quadratic time. A line of marks alone, such as
// `- - -`, is a rule.
func DeeplyNested(text string) bool {
	for line := range strings.Lines(text) {
		if strings.Trim(line, " \t\r\n-") == "" || strings.Trim(line, " \t\r\n*") == "" {
			continue
		}
		if deepMark([]byte(line)) >= 0 {
			return true
		}
	}
	return false
}

// containerMark is the length of the mark of a quote or list item that s begins
// with, 0 when it begins with none.
func containerMark(s []byte) int {
	n := 1
	switch c := s[0]; {
	case c == '>':
		return 1
	case '0' <= c && c <= '9':
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	case c != '-' && c != '*' && c != '+':
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}
