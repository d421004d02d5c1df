package content

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/JohannesKaufmann/dom"
	"golang.org/x/net/html"

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// An Article is the main part of a page of the site.
type Article struct {
	Title    string // the first heading of the main part, else the page's title
	Markdown string

	// PasswordRequired is true for a page that asks for a password instead of
	// showing its content.
	PasswordRequired bool
	// Scripted is true for a page with next to no text until scripts draw it in a
	// browser.
	Scripted bool
}

var (
	declaredCharset = pattern.Lazy(`(?i)charset=["' ]*([a-z0-9_:.-]+)`)
	latin1Name      = pattern.Lazy(`(?i)^(|iso-?8859-1|latin-?1|windows-1252|us-ascii)$`)
)

// highLatin1 has the characters that browsers show for the bytes 0x80 to 0x9f of Latin-1.
var highLatin1 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// Decode returns a page as UTF-8. A page that is not UTF-8 is read as Latin-1, unless the
// Content-Type header, or else the page itself, declares another encoding: then its bytes
// outside ASCII become U+FFFD.
func Decode(page []byte, contentType string) string {
	source := strings.TrimPrefix(string(page), "\uFEFF")
	head := contentType + " " + source[:min(len(source), 1024)]
	declared := ""
	if found := declaredCharset().FindStringSubmatch(head); found != nil {
		declared = found[1]
	}
	if utf8.ValidString(source) || !latin1Name().MatchString(declared) {
		return strings.ToValidUTF8(source, "\uFFFD")
	}
	decoded := make([]rune, len(page))
	for i, b := range page {
		decoded[i] = rune(b)
		if at := int(b) - 0x80; at >= 0 && at < len(highLatin1) {
			decoded[i] = highLatin1[at]
		}
	}
	return string(decoded)
}

// Page returns the main part of a page of the site: its main element, else its only
// article, else its body without the frame around the content. base is the address of
// the page; links become absolute by it.
func Page(page []byte, base *url.URL) Article {
	source := strings.ToValidUTF8(string(page), "\uFFFD")
	root, err := html.Parse(strings.NewReader(sanitized(source)))
	if err != nil { // nested too deep for the parser
		root = element("html")
		appended(root, "body").AppendChild(text(plain(source)))
	}
	var a Article
	isTitle := func(n *html.Node) bool { return dom.NodeName(n) == "title" && n.Namespace == "" }
	if title := dom.FindFirstNode(root, isTitle); title != nil {
		a.Title = words.OneLine(content(title))
	}
	drawn := strings.Contains(strings.ToLower(source), "<script") && dom.ContainsNode(root, waitsForScripts)
	dropUnseen(root)
	top := mainPart(root)
	a.PasswordRequired = asksForPassword(top)
	if top.Data == "body" {
		dropFrame(top)
	}
	if h1 := dom.FindFirstNode(top, named("h1")); h1 != nil {
		a.Title = cmp.Or(words.OneLine(printable(content(h1))), a.Title)
	}
	a.Markdown = write(top, nil, base)
	const little = 300 // characters: a loading notice and a line of copyright
	a.Scripted = drawn && utf8.RuneCountInString(a.Markdown) <= little
	return a
}

// mainPart returns the element that holds the content of a page.
func mainPart(root *html.Node) *html.Node {
	isMain := func(n *html.Node) bool { return strings.EqualFold(attribute(n, "role"), "main") }
	for _, is := range []func(*html.Node) bool{named("main"), isMain} {
		if n := dom.FindFirstNode(root, is); n != nil && shows(n) {
			return n
		}
	}
	article := dom.FindFirstNode(root, named("article"))
	another := func(n *html.Node) bool { return dom.NodeName(n) == "article" && n != article }
	if article != nil && shows(article) && !dom.ContainsNode(root, another) {
		return article
	}
	return dom.FindFirstNode(root, named("body")) // the parser always makes one
}

var (
	frame = set("aside footer form header nav")
	roles = set("banner complementary contentinfo main navigation search")
)

// dropFrame removes what surrounds the content on every page of a site.
func dropFrame(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if frame[child.Data] || roles[strings.ToLower(attribute(child, "role"))] {
			n.RemoveChild(child)
		} else {
			dropFrame(child)
		}
		child = next
	}
}

// asksForPassword reports whether the main part of a page is the form for a password that Wagtail,
// or the site's project, shows in place of a protected page: one that leads back to a page, or has
// little text beside the form.
func asksForPassword(top *html.Node) bool {
	asks := func(n *html.Node) bool { return strings.EqualFold(attribute(n, "type"), "password") }
	back := func(n *html.Node) bool { return slices.Contains([]string{"return_url", "next"}, attribute(n, "name")) }
	const little = 600 // bytes
	return dom.ContainsNode(top, asks) && (dom.ContainsNode(top, back) || len(words.OneLine(content(top))) < little)
}

var (
	// needsScripts matches the request of a page to turn scripts on.
	needsScripts = pattern.Lazy(`(?i)\b(java ?script|scripting|js)\b`)
	// mountPoint matches the id of the element that the scripts of common frameworks fill.
	mountPoint = pattern.Lazy(`(?i)^(__next|__nuxt|___gatsby|svelte|app|root|app-root|react-root|main-app|application)$`)
)

// waitsForScripts reports whether an element is empty for scripts to fill, or a notice for
// readers without scripts.
func waitsForScripts(n *html.Node) bool {
	return dom.NodeName(n) == "noscript" && needsScripts().MatchString(content(n)) ||
		mountPoint().MatchString(attribute(n, "id")) && !shows(n)
}
