package content

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// schemes are the URL schemes of links that a reader may follow.
var schemes = set("http https mailto tel")

// lineBreaks removes what browsers drop anywhere in an address.
var lineBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// anyEntity matches what a reader of Markdown takes for a character, also in an address.
const anyEntity = `&(#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`

var (
	entity     = pattern.Lazy(anyEntity)
	entityHere = pattern.Lazy(`^` + anyEntity)
)

// address returns an address as Markdown has it in a link, absolute when there is a
// base. It reports false for anything that is more than an address, such as a script,
// in any spelling.
func address(raw string, base *url.URL) (string, bool) {
	raw = lineBreaks.Replace(strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' }))
	if raw == "" || strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	head := raw
	if end := strings.IndexAny(raw, "/?#"); end >= 0 {
		head = raw[:end]
	}
	if scheme, _, found := strings.Cut(head, ":"); found && !schemes[strings.ToLower(scheme)] {
		return "", false
	}
	if base != nil {
		if to, err := base.Parse(strings.ReplaceAll(raw, `\`, "/")); err == nil && schemes[to.Scheme] {
			raw = to.String()
		}
	}
	return entity().ReplaceAllString(escapeAddress(raw), "&amp;$1;"), true
}

// escapeAddress percent-encodes the characters that would end an address in Markdown, or
// a cell of a table.
func escapeAddress(raw string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(raw) {
		if c := raw[i]; strings.IndexByte(" \"'()<>[\\]^`{|}", c) >= 0 {
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		} else {
			b.WriteByte(c)
		}
	}
	return strings.ToValidUTF8(b.String(), "%EF%BF%BD")
}

// idPattern matches the ids and kinds of references.
var idPattern = pattern.Lazy(`^[A-Za-z0-9_-]{1,64}$`)

// refer returns the address and the title of a referenced object. The address of one that
// is not known is like `wagtail:page/4`.
func (c *cleaner) refer(kind, id string) (to, title string, ok bool) {
	if !idPattern().MatchString(kind) || !idPattern().MatchString(id) {
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
	showID(link, attribute(n, "linktype"), n)
	c.children(link, n, p)
	c.number(out, n, to)
	if !shows(link) {
		if strings.HasPrefix(to, "#") {
			return // a mark to jump to
		}
		link.AppendChild(text(first(attribute(n, "aria-label"), attribute(n, "title"), title, strings.TrimPrefix(to, "wagtail:"))))
	}
	out.AppendChild(link)
}

// image writes a picture, or its description when it has no address.
func (c *cleaner) image(out, n *html.Node) {
	alt := attribute(n, "alt")
	to, ok := address(attribute(n, "src"), c.base)
	if n.Data == "embed" {
		var title string
		to, title, ok = c.refer(KindImage, attribute(n, "id"))
		alt = first(alt, title)
		c.number(out, n, to)
	}
	if !ok {
		out.AppendChild(text(alt))
		return
	}
	showID(appended(out, "img", "src", to, "alt", alt), attribute(n, "embedtype"), n)
}

// showID adds the id of an image or a document to a link as its title: the tools that
// read them need it, and the address does not have it.
func showID(link *html.Node, kind string, from *html.Node) {
	id, to := attribute(from, "id"), link.Attr[0].Val
	if (kind == KindImage || kind == KindDocument) && idPattern().MatchString(id) && !strings.HasPrefix(to, "wagtail:") {
		setAttribute(link, "title", kind+" "+id)
	}
}

// guess writes a number that may be an id, and the object with that id.
func (c *cleaner) guess(out, n *html.Node, p placement) {
	kind, id := attribute(n, "kind"), attribute(n, "id")
	out.AppendChild(text(id))
	number, err := strconv.Atoi(id)
	if err != nil || c.resolve == nil || p.link {
		return
	}
	if _, found := c.resolve(Ref{Kind: kind, ID: number, Guess: true}); found {
		out.AppendChild(text(" (perhaps "))
		c.node(out, reference(kind, id), p)
		out.AppendChild(text(")"))
	}
}

// number writes the id of a reference whose address does not have it.
func (c *cleaner) number(out, n *html.Node, to string) {
	if id := attribute(n, numbered); id != "" && !strings.HasPrefix(to, "wagtail:") {
		out.AppendChild(text(id + " "))
	}
}

// player writes a link to what a player plays.
func (c *cleaner) player(out, n *html.Node, p placement) {
	title := attribute(n, "title")
	to, ok := address(first(attribute(n, "url"), attribute(n, "src")), c.base)
	if !ok || p.link {
		out.AppendChild(text(title))
		return
	}
	out.AppendChild(text(" "))
	appended(out, "a", "href", to).AppendChild(text(first(title, to)))
	out.AppendChild(text(" "))
}

// first returns the first text that is not blank, "" when all are.
func first(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
