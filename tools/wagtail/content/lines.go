package content

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// A TextLine is a line of a field as a reader of the site sees it, without Markdown.
type TextLine struct {
	Text  string
	Links []TextLink
}

// A TextLink is a link of a line.
type TextLink struct {
	To string // an address, or `wagtail:page/4` for a reference by id
	At int    // where it begins in the line's text, in bytes
}

// Lines returns the field as lines of text with their links and images, in order.
func (f RichText) Lines() []TextLine {
	var w lineWriter
	w.write(clean(parse(f.source), nil, nil))
	return w.lines
}

// A lineWriter writes a clean tree as lines.
type lineWriter struct {
	lines []TextLine
	text  []byte // of the line that is being written, and its links
	links []TextLink
}

func (w *lineWriter) write(n *html.Node) {
	switch name := n.Data; {
	case n.Type == html.TextNode:
		w.words(name)
	case name == "a":
		w.links = append(w.links, TextLink{attribute(n, "href"), len(w.text)})
	case name == "img":
		w.links = append(w.links, TextLink{attribute(n, "src"), len(w.text)})
		w.words(attribute(n, "alt"))
	case name == "td", name == "th":
		w.words(" ")
	case name == "br", blocks[name]:
		w.end()
		defer w.end()
	}
	for child := range n.ChildNodes() {
		w.write(child)
	}
}

// words writes text with single blanks.
func (w *lineWriter) words(data string) {
	for _, r := range printable(data) {
		if r == '\n' || r == '\t' {
			r = ' '
		}
		if r != ' ' || len(w.text) > 0 && w.text[len(w.text)-1] != ' ' {
			w.text = utf8.AppendRune(w.text, r)
		}
	}
}

// end ends a line, unless it is empty.
func (w *lineWriter) end() {
	text := strings.TrimRight(string(w.text), " ")
	if text != "" || len(w.links) > 0 {
		w.lines = append(w.lines, TextLine{Text: text, Links: w.links})
	}
	w.text, w.links = nil, nil
}
