package content

import (
	"strings"

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
	w.write(clean(f.tree, nil, nil))
	w.end()
	return w.lines
}

// A lineWriter writes a clean tree as lines.
type lineWriter struct {
	lines []TextLine
	text  strings.Builder
	links []TextLink
}

// ends are the elements that end a line.
var ends = set("p div h1 h2 h3 h4 h5 h6 li ul ol blockquote pre tr table hr br " + cellBreak)

func (w *lineWriter) write(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		w.words(n.Data)
		return
	case ends[n.Data]:
		w.end()
	case n.Data == "td", n.Data == "th":
		w.space()
	case n.Data == "a":
		w.link(attribute(n, "href"))
	case n.Data == "img":
		w.link(attribute(n, "src"))
		w.words(attribute(n, "alt"))
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.write(child)
	}
	if ends[n.Data] {
		w.end()
	}
}

// words writes text with single blanks.
func (w *lineWriter) words(data string) {
	data = printable(data)
	for i, word := range strings.Fields(data) {
		if i > 0 || isBlank(rune(data[0])) {
			w.space()
		}
		w.text.WriteString(word)
	}
	if data != "" && isBlank(rune(data[len(data)-1])) {
		w.space()
	}
}

func (w *lineWriter) space() {
	if text := w.text.String(); text != "" && !strings.HasSuffix(text, " ") {
		w.text.WriteByte(' ')
	}
}

func (w *lineWriter) link(to string) {
	if to != "" {
		w.links = append(w.links, TextLink{To: to, At: w.text.Len()})
	}
}

// end ends a line, unless it is empty.
func (w *lineWriter) end() {
	text := strings.TrimRight(w.text.String(), " ")
	if text != "" || len(w.links) > 0 {
		w.lines = append(w.lines, TextLine{Text: text, Links: w.links})
	}
	w.text.Reset()
	w.links = nil
}
