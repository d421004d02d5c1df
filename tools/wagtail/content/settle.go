package content

import (
	"strings"

	"golang.org/x/net/html"
)

// inlines are the elements of a clean tree that stand in a line and hold text.
var inlines = set("a", "del", "em", "strong")

// prune removes marks around nothing.
func prune(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		prune(child)
		if inlines[child.Data] && child.Type == html.ElementNode && !hasContent(child) {
			if child.FirstChild != nil {
				n.InsertBefore(text(" "), child)
			}
			n.RemoveChild(child)
		}
		child = next
	}
}

// hasContent reports whether a pruned element has something in it.
func hasContent(n *html.Node) bool {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.TextNode && child.Data != cellBreak || strings.TrimSpace(printable(child.Data)) != "" && child.Type == html.TextNode {
			return true
		}
	}
	return false
}

// settle writes the text of a clean tree as Markdown has it.
func settle(n *html.Node) {
	s := settler{start: true}
	s.children(n, spot{})
}

// A settler goes through a tree as its text is read.
type settler struct {
	start bool // at the start of a line
}

func (s *settler) children(n *html.Node, at spot) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.TextNode {
			s.text(child, at)
			continue
		}
		switch child.Data {
		case "pre":
			s.start = true
		case "br", cellBreak:
			s.start = true
		case "code", "img":
			s.start = false
		case "a":
			inner := at
			inner.link = true
			s.children(child, inner)
			s.start = false
		case "em", "strong", "del":
			s.children(child, at)
		default:
			inner := at
			inner.cell = inner.cell || child.Data == "td" || child.Data == "th"
			s.start = true
			s.children(child, inner)
			s.start = true
		}
	}
}

// text joins a text with those behind it, and escapes it.
func (s *settler) text(n *html.Node, at spot) {
	var b strings.Builder
	b.WriteString(n.Data)
	for n.NextSibling != nil && n.NextSibling.Type == html.TextNode {
		b.WriteString(n.NextSibling.Data)
		n.Parent.RemoveChild(n.NextSibling)
	}
	data := collapse(printable(b.String()))
	if s.start {
		data = strings.TrimLeft(data, " ")
	}
	at.start = s.start
	at.end = n.NextSibling == nil && !inlines[n.Parent.Data]
	n.Data = escape(data, at)
	if data != "" {
		s.start = false
	}
}

// collapse makes one space of all white space, as a browser does.
func collapse(s string) string {
	words := strings.FieldsFunc(s, isBlank)
	if len(words) == 0 {
		if s == "" {
			return ""
		}
		return " "
	}
	out := strings.Join(words, " ")
	if isBlank(rune(s[0])) {
		out = " " + out
	}
	if isBlank(rune(s[len(s)-1])) {
		out += " "
	}
	return out
}

func isBlank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }
