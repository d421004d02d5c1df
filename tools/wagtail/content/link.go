package content

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// word is what an id or a kind of Wagtail's may look like in an address.
var word = pattern.Lazy(`^[A-Za-z0-9_-]{1,64}$`)

// refer returns the address of what content refers to by its id, and its title:
// `wagtail:page/4` when it is not known.
func (c *cleaner) refer(kind, id string) (to, title string, ok bool) {
	if !word().MatchString(kind) || !word().MatchString(id) {
		return "", "", false
	}
	to = "wagtail:" + kind + "/" + id
	number, err := strconv.Atoi(id)
	if err != nil || number <= 0 || c.resolve == nil || kind != KindPage && kind != KindImage && kind != KindDocument {
		return to, "", true
	}
	target, found := c.resolve(Ref{Kind: kind, ID: number})
	if !found {
		return to, "", true
	}
	if known, ok := address(target.URL, c.base); ok {
		to = known
	}
	return to, target.Title, true
}

// link writes a link, and its text alone when it leads nowhere.
func (c *cleaner) link(out, n *html.Node, s setting) {
	if s.link {
		c.children(out, n, s)
		return
	}
	href, _ := attribute(n, "href")
	to, ok := address(href, c.base)
	title := ""
	if kind, internal := attribute(n, "linktype"); internal {
		id, _ := attribute(n, "id")
		if known, name, is := c.refer(kind, id); is {
			to, title, ok = known, name, true
		}
	}
	if !ok {
		c.children(out, n, s)
		return
	}
	s.inline, s.link = true, true
	link := anchor(to)
	showID(link, n, to)
	c.children(link, n, s)
	c.number(out, n, to)
	if !shows(link) {
		if strings.HasPrefix(to, "#") {
			return // a mark to jump to
		}
		label, _ := attribute(n, "aria-label")
		if label == "" {
			label, _ = attribute(n, "title")
		}
		link.AppendChild(text(first(label, title, strings.TrimPrefix(to, "wagtail:"))))
	}
	out.AppendChild(link)
}

// image writes a picture, or a link to what a player plays.
func (c *cleaner) image(out, n *html.Node, s setting) {
	alt, _ := attribute(n, "alt")
	if kind, _ := attribute(n, "embedtype"); n.Data == "embed" && kind != KindImage {
		c.player(out, n, s)
		return
	}
	src, _ := attribute(n, "src")
	to, ok := address(src, c.base)
	if n.Data == "embed" {
		id, _ := attribute(n, "id")
		var title string
		to, title, ok = c.refer(KindImage, id)
		alt = first(alt, title)
		c.number(out, n, to)
	}
	if !ok {
		out.AppendChild(text(alt))
		return
	}
	shown := picture(to, alt)
	showID(shown, n, to)
	out.AppendChild(shown)
}

// showID gives a link to an image or a document the id as its title. The tools that
// read them want it, and the address does not tell it.
func showID(shown, from *html.Node, to string) {
	id, _ := attribute(from, "id")
	kind, _ := attribute(from, "linktype")
	if from.Data == "embed" {
		kind, _ = attribute(from, "embedtype")
	}
	if (kind == KindImage || kind == KindDocument) && word().MatchString(id) && !strings.HasPrefix(to, "wagtail:") {
		shown.Attr = append(shown.Attr, html.Attribute{Key: "title", Val: kind + " " + id})
	}
}

// guess writes a number that may be the id of something, and what has that id.
func (c *cleaner) guess(out, n *html.Node, s setting) {
	kind, _ := attribute(n, "kind")
	id, _ := attribute(n, "id")
	out.AppendChild(text(id))
	number, err := strconv.Atoi(id)
	if err != nil || c.resolve == nil || s.link {
		return
	}
	if _, found := c.resolve(Ref{Kind: kind, ID: number, Guess: true}); !found {
		return
	}
	out.AppendChild(text(" (perhaps "))
	c.element(out, reference(kind, id), s)
	out.AppendChild(text(")"))
}

// number writes the id of a reference whose address does not tell it.
func (c *cleaner) number(out, n *html.Node, to string) {
	if id, ok := attribute(n, numbered); ok && !strings.HasPrefix(to, "wagtail:") {
		out.AppendChild(text(id + " "))
	}
}

func (c *cleaner) player(out, n *html.Node, s setting) {
	source, _ := attribute(n, "url")
	if source == "" {
		source, _ = attribute(n, "src")
	}
	title, _ := attribute(n, "title")
	to, ok := address(source, c.base)
	if !ok || s.link {
		out.AppendChild(text(title))
		return
	}
	link := anchor(to)
	link.AppendChild(text(first(title, to)))
	out.AppendChild(text(" "))
	out.AppendChild(link)
	out.AppendChild(text(" "))
}

func anchor(to string) *html.Node {
	n := element("a")
	n.Attr = []html.Attribute{{Key: "href", Val: to}}
	return n
}

func picture(src, alt string) *html.Node {
	n := element("img")
	n.Attr = []html.Attribute{{Key: "src", Val: src}, {Key: "alt", Val: alt}}
	return n
}

// shows reports whether a reader sees anything of a node.
func shows(n *html.Node) bool {
	if n.Type == html.TextNode {
		return strings.TrimSpace(printable(n.Data)) != ""
	}
	if n.Data == "img" {
		return true
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if shows(child) {
			return true
		}
	}
	return false
}

// first returns the first text that has something in it.
func first(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
