package content

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/dom"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"golang.org/x/net/html"
)

// maxContainers is the deepest nesting of lists and quotes that is shown. Deeper ones
// are shown as part of the last.
const maxContainers = 8

// A cleaner copies a tree into one that has a form in Markdown: text has no blocks in it, and
// addresses are checked. It only writes elements and attributes of its own: nothing else can get
// into an answer.
type cleaner struct {
	resolve Resolver
	base    *url.URL // of relative addresses; nil leaves them relative
	word    bool     // the text so far ends in a word
	address bool     // that word is an address of the web
}

// A placement is where in the new tree the cleaner writes.
type placement struct {
	inline     bool // in a heading, a link or a cell, where blocks are only apart
	link       bool
	containers int
	formats    []string // around the text, from the outermost: strong, em, del
}

// clean returns the tree under a node as one that has a form in Markdown.
func clean(root *html.Node, resolve Resolver, base *url.URL) *html.Node {
	c := cleaner{resolve: resolve, base: base}
	out := element("div")
	c.children(out, root, placement{})
	return out
}

func (c *cleaner) children(out, n *html.Node, p placement) {
	for child := range n.ChildNodes() {
		c.node(out, child, p)
	}
}

func (c *cleaner) node(out, n *html.Node, p placement) {
	name := n.Data
	if n.Type == html.TextNode {
		c.text(out, name, p)
		return
	}
	format, isFormat := formats[strings.TrimPrefix(name, "x-")]
	switch {
	case format == "code":
		c.code(out, n, p)
	case isFormat:
		if !slices.Contains(p.formats, format) {
			p.formats = append(slices.Clip(p.formats), format)
		}
		c.children(out, n, p)
	case name == "a":
		c.link(out, n, p)
	case name == "img", attribute(n, "embedtype") == KindImage:
		c.image(out, n, p)
	case name == "audio", name == "embed", name == "iframe", name == "source", name == "video":
		c.player(out, n, p)
		c.children(out, n, p)
	case name == "sup":
		c.text(out, "^", p)
		c.children(out, n, p)
	case name == "br":
		appended(out, name)
	case blocks[name]:
		c.block(out, n, p)
	default:
		c.children(out, n, p)
	}
}

// printable drops invisible characters that have a meaning to the converter or to a
// terminal: control characters, and the converter's own marks.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == marker.MarkerCodeBlockNewline, unicode.IsControl(r) && r != '\n' && r != '\t':
			return -1
		}
		return r
	}, text)
}

// text writes text with its formatting, which does not extend over blocks.
func (c *cleaner) text(out *html.Node, data string, p placement) {
	data = printable(data)
	if strings.TrimSpace(data) == "" {
		p.formats = nil
	}
	formatted(out, p).AppendChild(text(data))
	last := data[strings.LastIndexAny(data, " \n\t")+1:]
	continues := len(last) == len(data)
	c.word = last != "" || continues && c.word
	c.address = strings.Contains(last, "://") || strings.Contains(last, "www.") || continues && c.address
}

// formatted appends the elements of a text's formatting and returns the innermost. Two texts never
// follow each other: the converter joins them in time that grows with the square of their number.
func formatted(out *html.Node, p placement) *html.Node {
	if out.LastChild != nil && out.LastChild.Type == html.TextNode {
		out = appended(out, "span")
	}
	for _, name := range p.formats {
		out = appended(out, name)
	}
	return out
}

// code writes a span of code. It stands apart from an address before it: readers that link
// addresses would take the backtick for a part of it.
func (c *cleaner) code(out, n *html.Node, p placement) {
	source := printable(content(n))
	if strings.TrimSpace(source) == "" {
		c.text(out, source, p)
		return
	}
	if c.address || c.word && strings.Contains(source, "@") {
		c.text(out, " ", p)
	}
	c.word, c.address = true, false
	appended(formatted(out, p), "code").AppendChild(text(source))
}

func (c *cleaner) block(out, n *html.Node, p placement) {
	name := n.Data
	switch {
	case name == "pre" && p.inline:
		c.code(appended(out, "div"), n, p)
		return
	case name == "pre":
		if source := printable(content(n)); source != "" {
			class := cmp.Or(attribute(n, "class"), attribute(n.FirstChild, "class"))
			appended(out, name, "class", class).AppendChild(text(source))
		}
		return
	case p.inline:
		name = "div"
	case name == "table":
		c.table(out, n, p)
		return
	case name == "ul", name == "ol", name == "blockquote":
		if p.containers++; p.containers > maxContainers {
			name = "div"
		}
	case dom.NameIsHeading(name):
		p.inline = true
	case name != "p" && name != "li" && name != "hr":
		name = "div"
	}
	if n.Data == "dt" {
		p.formats = append(slices.Clip(p.formats), "strong")
	}
	c.children(appended(out, name, "start", attribute(n, "start")), n, p)
}
