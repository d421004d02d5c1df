package content

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// schemes are the URL schemes of links that a reader may follow.
var schemes = set("http https mailto tel")

var (
	// dropped undoes what browsers do not take for a part of an address.
	dropped = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/")
	// entity matches what a reader of Markdown takes for a character, also in an address.
	entity = pattern.Lazy(`&(#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`)
	// unsafe matches what would end an address in Markdown, or a cell of a table.
	unsafe = pattern.Lazy("[ \"'()<>\\[\\]^`{|}]")
)

// address returns an address as Markdown has it in a link, absolute when there is a
// base. It reports false for anything that is more than an address, such as a script,
// in any spelling.
func address(raw string, base *url.URL) (string, bool) {
	raw = dropped.Replace(strings.TrimSpace(raw))
	u, err := url.Parse(raw)
	if err != nil || raw == "" || u.Scheme != "" && !schemes[u.Scheme] {
		return "", false
	}
	if base != nil {
		raw = base.ResolveReference(u).String()
	}
	raw = unsafe().ReplaceAllStringFunc(raw, func(s string) string { return fmt.Sprintf("%%%02X", s[0]) })
	return entity().ReplaceAllString(strings.ToValidUTF8(raw, "%EF%BF%BD"), "&amp;$1;"), true
}

// refer returns the address and the title of a referenced object. The address of one that
// is not known is like `wagtail:page/4`.
func (c *cleaner) refer(kind, id string) (to, title string, ok bool) {
	if kind == "" || id == "" {
		return "", "", false
	}
	to = "wagtail:" + kind + "/" + id
	number, _ := strconv.Atoi(id)
	if number <= 0 || c.resolve == nil || kind != KindPage && kind != KindImage && kind != KindDocument {
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

// link writes a link, or only its text when it leads nowhere.
func (c *cleaner) link(out, n *html.Node, p placement) {
	to, ok := address(attribute(n, "href"), c.base)
	title := ""
	if known, name, is := c.refer(attribute(n, "linktype"), attribute(n, "id")); is {
		to, title, ok = known, name, true
	}
	if !ok || p.link {
		c.children(out, n, p)
		return
	}
	p.inline, p.link = true, true
	link := element("a", "href", to)
	showID(link, attribute(n, "linktype"), attribute(n, "id"))
	c.children(link, n, p)
	if !shows(link) {
		if strings.HasPrefix(to, "#") {
			return // a mark to jump to
		}
		name := cmp.Or(attribute(n, "aria-label"), attribute(n, "title"), title, strings.TrimPrefix(to, "wagtail:"))
		c.text(link, name, p)
	}
	out.AppendChild(link)
}

// image writes a picture, or its description when it has no address.
func (c *cleaner) image(out, n *html.Node, p placement) {
	alt := attribute(n, "alt")
	to, ok := address(attribute(n, "src"), c.base)
	if n.Data == "embed" {
		var title string
		to, title, ok = c.refer(KindImage, attribute(n, "id"))
		alt = cmp.Or(alt, title)
	}
	if !ok {
		c.text(out, alt, p)
		return
	}
	showID(appended(out, "img", "src", to, "alt", alt), attribute(n, "embedtype"), attribute(n, "id"))
}

// showID adds the id of an image or a document to a link as its title, as Markdown has it after the
// address: the tools that read them need the id, and the address does not have it.
func showID(link *html.Node, kind, id string) {
	if (kind == KindImage || kind == KindDocument) && id != "" && !strings.HasPrefix(link.Attr[0].Val, "wagtail:") {
		link.Attr = append(link.Attr, html.Attribute{Key: "title", Val: ` "` + kind + " " + id + `"`})
	}
}

// player writes a link to what a player plays.
func (c *cleaner) player(out, n *html.Node, p placement) {
	link := element("a", "href", cmp.Or(attribute(n, "url"), attribute(n, "src")))
	link.AppendChild(text(attribute(n, "title")))
	c.text(out, " ", p)
	c.link(out, link, p)
	c.text(out, " ", p)
}
