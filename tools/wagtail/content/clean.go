package content

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// maxContainers is the deepest nesting of lists and quotes that is shown. Deeper ones
// are shown as part of the last.
const maxContainers = 8

// Elements of our own, which no HTML has after it was sanitized.
const (
	cellBreak = "cellbreak" // ends a line inside a cell of a table
	guess     = "guess"     // a number that may be the id of something
)

// blocks are elements that begin on a line of their own.
var blocks = set("address article aside blockquote caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header " +
	"hgroup hr li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul")

// A cleaner copies a tree into one that has a form in Markdown: blocks contain blocks or
// text, text contains text, and addresses are checked. It only writes elements and
// attributes of its own: nothing else can get into an answer.
type cleaner struct {
	resolve Resolver
	base    *url.URL            // of relative addresses; nil leaves them relative
	blocky  map[*html.Node]bool // the elements that have a block in them
}

// A placement is where in the new tree the cleaner writes.
type placement struct {
	inline     bool // where blocks cannot be
	link, cell bool // inside one
	containers int
}

// clean returns the tree under a node as one that has a form in Markdown.
func clean(root *html.Node, resolve Resolver, base *url.URL) *html.Node {
	c := cleaner{resolve: resolve, base: base, blocky: make(map[*html.Node]bool)}
	c.mark(root)
	out := element("div")
	c.children(out, root, placement{})
	return out
}

// mark notes which elements have a block in them.
func (c *cleaner) mark(n *html.Node) bool {
	found := false
	for child := range n.ChildNodes() {
		if c.mark(child) || blocks[child.Data] && child.Type == html.ElementNode {
			found = true
		}
	}
	if found {
		c.blocky[n] = true
	}
	return found
}

func (c *cleaner) children(out, n *html.Node, p placement) {
	for child := range n.ChildNodes() {
		c.node(out, child, p)
	}
}

func (c *cleaner) node(out, n *html.Node, p placement) {
	if n.Type == html.TextNode {
		out.AppendChild(text(n.Data))
		return
	}
	switch n.Data {
	case "a":
		c.link(out, n, p)
	case "img":
		c.image(out, n)
	case "embed":
		if attribute(n, "embedtype") == KindImage {
			c.image(out, n)
		} else {
			c.player(out, n, p)
		}
	case "audio", "iframe", "source", "video":
		c.player(out, n, p)
		c.children(out, n, p)
	case "b", "strong":
		c.format("strong", out, n, p)
	case "i", "em":
		c.format("em", out, n, p)
	case "del", "s", "strike":
		c.format("del", out, n, p)
	case "code", "kbd", "samp", "tt", "var":
		c.code(out, n, p)
	case "sup":
		out.AppendChild(text("^"))
		c.children(out, n, p)
	case "q":
		out.AppendChild(text("“"))
		c.children(out, n, p)
		out.AppendChild(text("”"))
	case "br":
		c.lineBreak(out, p)
	case guess:
		c.guess(out, n, p)
	default:
		if blocks[n.Data] {
			c.block(out, n, p)
		} else {
			c.children(out, n, p)
		}
	}
}

// format writes formatted text. Formatting does not extend over blocks.
func (c *cleaner) format(name string, out, n *html.Node, p placement) {
	if c.blocky[n] && !p.inline {
		c.children(out, n, p)
		return
	}
	formatted := element(name)
	p.inline = true
	c.children(formatted, n, p)
	switch {
	case shows(formatted):
		out.AppendChild(formatted)
	case formatted.FirstChild != nil:
		out.AppendChild(text(" "))
	}
}

func (c *cleaner) code(out, n *html.Node, p placement) {
	source := printable(content(n))
	if strings.TrimSpace(source) == "" {
		out.AppendChild(text(source))
		return
	}
	if p.cell {
		source = strings.ReplaceAll(source, "|", `\|`)
	}
	appended(out, "code").AppendChild(text(source))
}

func (c *cleaner) block(out, n *html.Node, p placement) {
	if p.inline {
		c.separate(out, p)
		if n.Data == "pre" {
			c.code(out, n, p)
		} else {
			c.children(out, n, p)
		}
		c.separate(out, p)
		return
	}
	switch name := n.Data; name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		p.inline = true
		c.children(appended(out, name), n, p)
	case "p":
		c.children(appended(out, name), n, p)
	case "ul", "ol", "menu":
		c.list(out, n, p)
	case "blockquote":
		if p.containers++; p.containers > maxContainers {
			name = "div"
		}
		c.children(appended(out, name), n, p)
	case "pre":
		c.preformatted(out, n)
	case "table":
		c.table(out, n, p)
	case "hr":
		appended(out, name)
	case "dt":
		c.format("strong", appended(out, "p"), n, p)
	default:
		c.children(appended(out, "div"), n, p)
	}
}

// list writes a list. Anything in it that is no item becomes one.
func (c *cleaner) list(out, n *html.Node, p placement) {
	if p.containers++; p.containers > maxContainers {
		c.children(appended(out, "div"), n, p)
		return
	}
	name := "ul"
	if n.Data == "ol" {
		name = "ol"
	}
	list := appended(out, name)
	if number, err := strconv.ParseUint(attribute(n, "start"), 10, 27); err == nil && name == "ol" {
		setAttribute(list, "start", strconv.FormatUint(number, 10))
	}
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) == "":
		case child.Data == "li":
			c.children(appended(list, "li"), child, p)
		default:
			c.node(appended(list, "li"), child, p)
		}
	}
}

var language = pattern.Lazy(`(?:^|\s)lang(?:uage)?-([A-Za-z0-9+#._-]{1,30})(?:\s|$)`)

func (c *cleaner) preformatted(out, n *html.Node) {
	source := strings.TrimPrefix(printable(content(n)), "\n")
	if strings.TrimSpace(source) == "" {
		return
	}
	pre := appended(out, "pre")
	for at := n; at != nil && at.Type == html.ElementNode; at = at.FirstChild {
		if found := language().FindStringSubmatch(attribute(at, "class")); found != nil {
			setAttribute(pre, "class", "language-"+found[1])
			break
		}
	}
	pre.AppendChild(text(source))
}

// lineBreak ends a line, where there are lines.
func (c *cleaner) lineBreak(out *html.Node, p placement) {
	switch {
	case p.cell && !p.link:
		appended(out, cellBreak)
	case p.inline:
		out.AppendChild(text(" "))
	default:
		appended(out, "br")
	}
}

// separate keeps the text of a block that becomes inline apart from its neighbors.
func (c *cleaner) separate(out *html.Node, p placement) {
	if !p.cell || p.link {
		out.AppendChild(text(" "))
	} else if out.LastChild != nil && out.LastChild.Data != cellBreak {
		appended(out, cellBreak)
	}
}
