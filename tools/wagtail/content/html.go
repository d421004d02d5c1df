package content

import (
	"strings"
	"sync"

	"github.com/JohannesKaufmann/dom"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"issues-index/store/pattern"
	"issues-index/tools/sanitize"
)

// silent are elements whose content no reader sees as text.
var silent = set("applet canvas datalist iframe math noembed noframes noscript object select svg template " +
	"textarea title")

// formats are the elements of formatted text, with the ones that they are written as.
var formats = map[string]string{
	"b": "strong", "strong": "strong", "i": "em", "em": "em", "del": "del", "s": "del", "strike": "del",
	"code": "code", "kbd": "code", "samp": "code", "tt": "code", "var": "code",
}

// blocks are elements that begin on a line of their own.
var blocks = set("address article aside blockquote button caption dd details div dl dt fieldset figcaption figure " +
	"footer form h1 h2 h3 h4 h5 h6 header hgroup hr label legend li main menu nav ol option p pre section summary " +
	"table tbody td tfoot th thead tr ul")

// others are the other elements with a meaning here.
var others = set("a audio b body br code del em embed html i img input kbd s samp source strike strong sup tt var " +
	"video")

// policy allows the elements and attributes that have a meaning here. It also lets silent elements
// through, which [dropUnseen] drops: only a parser knows where they end.
var policy = sync.OnceValue(func() *sanitize.Policy {
	word := sanitize.Matching(`^[A-Za-z0-9_-]{1,64}$`)
	span := sanitize.Matching(`^(1?[0-9]|20)$`)
	p := &sanitize.Policy{
		Elements: make(map[string]sanitize.Attributes),
		Everywhere: sanitize.Attributes{
			"class":     sanitize.Matching(`^lang(uage)?-[A-Za-z0-9+#._-]{1,30}$`),
			"colspan":   span,
			"embedtype": word,
			"id":        word,
			"linktype":  word,
			"name":      word,
			"rowspan":   span,
			"start":     sanitize.Matching(`^[0-9]{1,8}$`),
		},
	}
	for name := range set("alt aria-label hidden href role src title type url") {
		p.Everywhere[name] = sanitize.Any // they become Markdown; address judges where links lead
	}
	for _, names := range []map[string]bool{silent, blocks, others} {
		for name := range names {
			p.Elements[name] = nil
		}
	}
	return p
})

// renamed gives formatted text elements of our own, such as x-b. The parser repeats formatting
// that is left open in each following paragraph, which makes gigabytes of a small page; it does
// not do so with elements that it does not know. A policy's output has each tag in one form.
var renamed = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for name := range formats {
		pairs = append(pairs, "</"+name+">", "</x-"+name+">", "<"+name+"/>", "")
		pairs = append(pairs, "<"+name+">", "<x-"+name+">", "<"+name+" ", "<x-"+name+" ")
	}
	return strings.NewReplacer(pairs...)
})

func sanitized(source string) string { return renamed().Replace(policy().String(source)) }

// set makes a set of words.
func set(words string) map[string]bool {
	s := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// parse returns the tree of sanitized HTML. If it is nested too deep for the parser, that is its
// text.
func parse(source string) *html.Node {
	root := element("div")
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil {
		nodes = []*html.Node{text(plain(source))}
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	dropUnseen(root)
	return root
}

// plain returns the text of HTML without its elements.
func plain(source string) string {
	texts := sanitize.Policy{WithContent: sanitize.Unseen(), Spaced: true}
	return html.UnescapeString(texts.String(source))
}

// dropUnseen removes what a reader of the site does not see. A frame stays, without its text for
// browsers that have no frames.
func dropUnseen(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		_, isHidden := dom.GetAttribute(child, "hidden")
		if isHidden || n.Data == "iframe" || silent[child.Data] && child.Type == html.ElementNode && child.Data != "iframe" {
			n.RemoveChild(child)
		} else {
			dropUnseen(child)
		}
		child = next
	}
}

var firstTag = pattern.Lazy(`^\s*<([a-zA-Z][a-zA-Z0-9]*)[\s/>]`)

// isHTML tells HTML from plain text that may mention HTML: HTML begins with an element
// and ends with one.
func isHTML(s string) bool {
	if strings.Contains(s, "data-block-key=") {
		return true
	}
	found := firstTag().FindStringSubmatch(s)
	return len(found) > 0 && strings.HasSuffix(strings.TrimRight(s[len(found[0]):], "\t\n\f\r "), ">") &&
		atom.Lookup([]byte(strings.ToLower(found[1]))) != 0
}

// textHTML returns a text as sanitized HTML, which leaves no element open. A single paragraph goes
// without its element.
func textHTML(s string) string {
	if !isHTML(s) {
		return plainHTML(s)
	}
	var b strings.Builder
	for n := range parse(sanitized(s)).ChildNodes() {
		_ = html.Render(&b, n) // a builder has no errors
	}
	shown := b.String()
	if strings.Count(shown, "<p") == 1 && strings.HasPrefix(shown, "<p>") && strings.HasSuffix(shown, "</p>") {
		return strings.TrimSuffix(strings.TrimPrefix(shown, "<p>"), "</p>")
	}
	return shown
}

var (
	paragraphEnd = pattern.Lazy(`\n[ \t\r]*\n\s*`)
	webAddress   = pattern.Lazy(`(?m)^[ \t]*(https?://\S+)[ \t\r]*$`)
)

// plainHTML returns text that is not HTML, whatever it looks like, as paragraphs and lines. A line
// that is an address is a link.
func plainHTML(s string) string {
	s = html.EscapeString(strings.TrimSpace(s))
	s = webAddress().ReplaceAllString(s, `<a href="$1">$1</a>`)
	if paragraphs := paragraphEnd().ReplaceAllString(s, "</p><p>"); paragraphs != s {
		s = "<p>" + paragraphs + "</p>"
	}
	return strings.ReplaceAll(s, "\n", "<br>")
}

// maxMarkdown is the most bytes of Markdown that are read as such: some input takes the
// reader time that grows with its square.
const maxMarkdown = 64 << 10

var markdownReader = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithUnsafe()),
	)
})

// markdownHTML returns Markdown as HTML, which is sanitized like any other.
func markdownHTML(s string) string {
	var shown strings.Builder
	if len(s) > maxMarkdown || markdownReader().Convert([]byte(s), &shown) != nil {
		return plainHTML(s)
	}
	return textHTML(shown.String())
}

// element returns an element with attributes, given as names and values in turn.
func element(name string, attributes ...string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name}
	for i := 0; i < len(attributes); i += 2 {
		n.Attr = append(n.Attr, html.Attribute{Key: attributes[i], Val: attributes[i+1]})
	}
	return n
}

// appended appends a new element and returns it.
func appended(out *html.Node, name string, attributes ...string) *html.Node {
	n := element(name, attributes...)
	out.AppendChild(n)
	return n
}

func text(data string) *html.Node { return &html.Node{Type: html.TextNode, Data: data} }

// attribute returns the value of an attribute, "" when there is none.
func attribute(n *html.Node, name string) string { return dom.GetAttributeOr(n, name, "") }

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
	return strings.TrimSpace(printable(content(n))) != "" || dom.ContainsNode(n, named("img"))
}

// named reports whether a node is an element of a name.
func named(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return dom.NodeName(n) == name }
}
