package content

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// maxContainers is how many lists and quotes are shown inside each other. What is
// deeper stands in the last of them.
const maxContainers = 8

// cellBreak is the element of our own that ends a line inside a cell.
const cellBreak = "cellbreak"

// blocks are elements that begin on a line of their own.
var blocks = set("address", "article", "aside", "blockquote", "caption", "dd", "details", "div", "dl", "dt", "fieldset",
	"figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "li", "main",
	"menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul")

// A cleaner makes of any tree one that has a form in Markdown: blocks hold blocks
// or text, text holds text, and addresses are checked.
type cleaner struct {
	resolve Resolver
	base    *url.URL            // of relative addresses; nil leaves them so
	blocky  map[*html.Node]bool // has a block in it
}

// A setting is where in the new tree the cleaner is.
type setting struct {
	inline     bool // blocks have no place here
	link, cell bool // inside one
	containers int
}

// clean returns the tree under a node as one that has a form in Markdown.
func clean(root *html.Node, resolve Resolver, base *url.URL) *html.Node {
	c := cleaner{resolve: resolve, base: base, blocky: make(map[*html.Node]bool)}
	c.mark(root)
	out := element("div")
	c.children(out, root, setting{})
	prune(out)
	settle(out)
	return out
}

// mark notes which elements have a block in them.
func (c *cleaner) mark(n *html.Node) bool {
	found := false
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if c.mark(child) || blocks[child.Data] && child.Type == html.ElementNode {
			found = true
		}
	}
	if found {
		c.blocky[n] = true
	}
	return found
}

func (c *cleaner) children(out, n *html.Node, s setting) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch child.Type {
		case html.TextNode:
			out.AppendChild(text(child.Data))
		case html.ElementNode:
			if _, hidden := attribute(child, "hidden"); !hidden {
				c.element(out, child, s)
			}
		}
	}
}

func (c *cleaner) element(out, n *html.Node, s setting) {
	switch n.Data {
	case "a":
		c.link(out, n, s)
	case "img", "embed":
		c.image(out, n, s)
	case "b", "strong":
		c.format("strong", out, n, s)
	case "i", "em":
		c.format("em", out, n, s)
	case "del", "s", "strike":
		c.format("del", out, n, s)
	case "code", "kbd", "samp", "tt", "var":
		c.code(out, n, s)
	case "sup":
		out.AppendChild(text("^"))
		c.children(out, n, s)
	case "q":
		out.AppendChild(text("“"))
		c.children(out, n, s)
		out.AppendChild(text("”"))
	case "br":
		c.lineBreak(out, s)
	case guessed:
		c.guess(out, n, s)
	case "input":
	default:
		if blocks[n.Data] {
			c.block(out, n, s)
		} else {
			c.children(out, n, s)
		}
	}
}

// format writes text that is marked. Marks do not reach over blocks.
func (c *cleaner) format(name string, out, n *html.Node, s setting) {
	if c.blocky[n] && !s.inline {
		c.children(out, n, s)
		return
	}
	marked := element(name)
	out.AppendChild(marked)
	s.inline = true
	c.children(marked, n, s)
}

func (c *cleaner) code(out, n *html.Node, s setting) {
	source := printable(content(n))
	if strings.TrimSpace(source) == "" {
		out.AppendChild(text(source))
		return
	}
	if s.cell {
		source = strings.ReplaceAll(source, "|", `\|`)
	}
	code := element("code")
	code.AppendChild(text(source))
	out.AppendChild(code)
}

func (c *cleaner) block(out, n *html.Node, s setting) {
	if s.inline {
		c.apart(out, s)
		if n.Data == "pre" {
			c.code(out, n, s)
		} else {
			c.children(out, n, s)
		}
		c.apart(out, s)
		return
	}
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		s.inline = true
		c.append(out, n.Data, n, s)
	case "p":
		c.append(out, "p", n, s)
	case "ul", "ol", "menu":
		c.list(out, n, s)
	case "blockquote":
		if s.containers++; s.containers > maxContainers {
			c.append(out, "div", n, s)
			return
		}
		c.append(out, "blockquote", n, s)
	case "pre":
		c.preformatted(out, n)
	case "table":
		c.table(out, n, s)
	case "hr":
		out.AppendChild(element("hr"))
	case "dt":
		p := element("p")
		out.AppendChild(p)
		c.format("strong", p, n, s)
	default:
		c.append(out, "div", n, s)
	}
}

func (c *cleaner) append(out *html.Node, name string, n *html.Node, s setting) {
	block := element(name)
	out.AppendChild(block)
	c.children(block, n, s)
}

// list writes a list, with whatever is no item in an item of its own.
func (c *cleaner) list(out, n *html.Node, s setting) {
	if s.containers++; s.containers > maxContainers {
		c.append(out, "div", n, s)
		return
	}
	name := "ul"
	if n.Data == "ol" {
		name = "ol"
	}
	list := element(name)
	if start, ok := attribute(n, "start"); ok && name == "ol" {
		if number, err := strconv.ParseUint(start, 10, 27); err == nil {
			list.Attr = append(list.Attr, html.Attribute{Key: "start", Val: strconv.FormatUint(number, 10)})
		}
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) == "" {
			continue
		}
		item := element("li")
		list.AppendChild(item)
		if child.Type == html.ElementNode && child.Data == "li" {
			if _, hidden := attribute(child, "hidden"); !hidden {
				c.children(item, child, s)
			}
			continue
		}
		single := element("div")
		single.AppendChild(copied(child))
		c.children(item, single, s)
	}
	out.AppendChild(list)
}

var language = pattern.Lazy(`(?:^|\s)lang(?:uage)?-([A-Za-z0-9+#._-]{1,30})(?:\s|$)`)

func (c *cleaner) preformatted(out, n *html.Node) {
	source := strings.TrimPrefix(printable(content(n)), "\n")
	if strings.TrimSpace(source) == "" {
		return
	}
	pre := element("pre")
	for at := n; at != nil && at.Type == html.ElementNode; at = at.FirstChild {
		if class, ok := attribute(at, "class"); ok {
			if found := language().FindStringSubmatch(class); found != nil {
				pre.Attr = []html.Attribute{{Key: "class", Val: "language-" + found[1]}}
				break
			}
		}
	}
	pre.AppendChild(text(source))
	out.AppendChild(pre)
}

// lineBreak ends a line, where there are lines.
func (c *cleaner) lineBreak(out *html.Node, s setting) {
	switch {
	case s.cell && !s.link:
		out.AppendChild(element(cellBreak))
	case s.inline:
		out.AppendChild(text(" "))
	default:
		out.AppendChild(element("br"))
	}
}

// apart keeps the text of a block that is none from what stands beside it.
func (c *cleaner) apart(out *html.Node, s setting) {
	if s.cell && !s.link {
		if out.LastChild != nil && out.LastChild.Data != cellBreak {
			out.AppendChild(element(cellBreak))
		}
		return
	}
	out.AppendChild(text(" "))
}
