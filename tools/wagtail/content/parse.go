package content

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"issues-index/store/pattern"
)

// silent are elements whose content no reader sees as text.
var silent = set("applet canvas datalist iframe math noembed noframes noscript object script select style svg template textarea title")

// kept are the elements with a meaning here, besides the silent ones. Others would only
// cost: the parser repeats formatting that is left open in each following paragraph, once
// for each combination of attributes.
var kept = set("a address article aside audio b blockquote body br caption code dd del details div dl dt em embed fieldset figcaption figure footer " +
	"form h1 h2 h3 h4 h5 h6 header hgroup hr html i img input kbd li main menu nav ol p pre q s samp section source strike strong summary " +
	"sup table tbody td tfoot th thead tr tt ul var video")

// separated are elements that are not kept, whose text stands apart from its neighbors.
var separated = set("button label legend option")

// attributes are the attributes that are kept, by element.
var attributes = map[string]map[string]bool{
	"a":       set("aria-label href id linktype title"),
	"audio":   set("src title"),
	"code":    set("class"),
	"div":     set("id"),
	"embed":   set("alt embedtype id src title url"),
	"iframe":  set("src title"),
	"img":     set("alt src title"),
	"input":   set("name type"),
	"main":    set("id"),
	"ol":      set("start"),
	"pre":     set("class"),
	"section": set("id"),
	"source":  set("src title"),
	"td":      set("colspan rowspan"),
	"th":      set("colspan rowspan"),
	"video":   set("src title"),
}

// set makes a set of words.
func set(words string) map[string]bool {
	s := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// sanitized returns HTML with only the elements and attributes that have a meaning here.
func sanitized(source string) string {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(source))
	for z.Next() != html.ErrorToken {
		t := z.Token()
		switch {
		case t.Type == html.TextToken:
			out.WriteString(html.EscapeString(t.Data))
		case t.Type == html.CommentToken, t.Type == html.DoctypeToken:
		case separated[t.Data]:
			out.WriteByte(' ')
		case !kept[t.Data] && !silent[t.Data]:
		case t.Type == html.EndTagToken:
			out.WriteString("</" + t.Data + ">")
		default:
			tag := html.Token{Type: html.StartTagToken, Data: t.Data}
			for _, a := range t.Attr {
				if attributes[t.Data][a.Key] || a.Key == "role" && roles[strings.ToLower(a.Val)] {
					tag.Attr = append(tag.Attr, html.Attribute{Key: a.Key, Val: a.Val})
				}
				if a.Key == "hidden" {
					tag.Attr = append(tag.Attr, html.Attribute{Key: a.Key})
				}
			}
			out.WriteString(tag.String())
		}
	}
	return out.String()
}

// parse returns the tree of a piece of HTML. If it is nested too deep for the parser,
// that is its text.
func parse(source string) *html.Node {
	root := element("div")
	nodes, err := html.ParseFragment(strings.NewReader(sanitized(source)), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		nodes = []*html.Node{text(plain(source))}
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	dropUnseen(root)
	return root
}

// dropUnseen removes what a reader of the site does not see.
func dropUnseen(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		isHidden := slices.ContainsFunc(child.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
		if isHidden || silent[child.Data] && child.Type == html.ElementNode && child.Data != "iframe" {
			n.RemoveChild(child)
		} else {
			dropUnseen(child)
		}
		child = next
	}
	if n.Data == "iframe" && n.FirstChild != nil {
		n.RemoveChild(n.FirstChild) // its text for browsers without frames
	}
}

// plain returns the text of HTML without its elements.
func plain(source string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(source))
	for z.Next() != html.ErrorToken {
		switch t := z.Token(); {
		case t.Type == html.TextToken:
			b.WriteString(t.Data)
		case t.Type == html.StartTagToken && silent[t.Data]:
			z.Next() // its text
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// appendText appends a text: HTML as such, anything else as paragraphs and lines.
func appendText(out *html.Node, s string) {
	if isHTML(s) {
		out.AppendChild(parse(s))
	} else {
		appendPlain(out, s)
	}
}

var (
	paragraphEnd = pattern.Lazy(`\n[ \t\r]*\n\s*`)
	webAddress   = pattern.Lazy(`^\s*https?://\S+\s*$`)
)

// appendPlain appends text that is not HTML, whatever it looks like.
func appendPlain(out *html.Node, s string) {
	for _, paragraph := range paragraphEnd().Split(strings.TrimSpace(s), -1) {
		p := appended(out, "p")
		for i, l := range strings.Split(paragraph, "\n") {
			if i > 0 {
				appended(p, "br")
			}
			p.AppendChild(line(l))
		}
	}
}

// line returns a line of text, as a link when it is a URL.
func line(s string) *html.Node {
	if !webAddress().MatchString(s) {
		return text(s)
	}
	a := element("a", "href", strings.TrimSpace(s))
	a.AppendChild(text(strings.TrimSpace(s)))
	return a
}

// maxMarkdown is the most bytes of Markdown that are read as such: some input takes the
// reader time that grows with its square.
const maxMarkdown = 64 << 10

var markdownReader = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough), goldmark.WithRendererOptions(renderer.WithUnsafe()))
})

// appendMarkdown appends Markdown by way of its HTML, so that it is sanitized like any
// other text.
func appendMarkdown(out *html.Node, s string) {
	var shown bytes.Buffer
	if len(s) > maxMarkdown || markdownReader().Convert([]byte(s), &shown) != nil {
		appendPlain(out, s)
		return
	}
	out.AppendChild(parse(shown.String()))
}

// element returns an element with attributes, given as names and values in turn.
func element(name string, attributes ...string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
	for i := 0; i < len(attributes); i += 2 {
		setAttribute(n, attributes[i], attributes[i+1])
	}
	return n
}

// appended appends a new element and returns it.
func appended(out *html.Node, name string, attributes ...string) *html.Node {
	n := element(name, attributes...)
	out.AppendChild(n)
	return n
}

// moved returns a new element with the children of another, which has none then.
func moved(from *html.Node, name string) *html.Node {
	n := element(name)
	for child := from.FirstChild; child != nil; child = from.FirstChild {
		from.RemoveChild(child)
		n.AppendChild(child)
	}
	return n
}

func text(data string) *html.Node { return &html.Node{Type: html.TextNode, Data: data} }

func setAttribute(n *html.Node, name, value string) {
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

// attribute returns the value of an attribute, "" when there is none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// content returns the text under a node, without changing its blanks.
func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.Data == "br":
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// shows reports whether a reader sees anything of a node.
func shows(n *html.Node) bool {
	switch {
	case n.Type == html.TextNode:
		return strings.TrimSpace(printable(n.Data)) != ""
	case n.Data == "img":
		return true
	}
	for child := range n.ChildNodes() {
		if shows(child) {
			return true
		}
	}
	return false
}

// find returns the first element under a node for which is reports true, nil for none.
func find(root *html.Node, is func(*html.Node) bool) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && is(n) {
			return n
		}
	}
	return nil
}
