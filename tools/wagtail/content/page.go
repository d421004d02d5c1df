package content

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

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

// Decode returns a page as UTF-8. Its encoding is the one in the Content-Type header,
// else the one that the page itself declares, unless it is UTF-8 already. Invalid bytes
// become U+FFFD.
func Decode(page []byte, contentType string) string {
	encoding, _, certain := charset.DetermineEncoding(page, contentType)
	if certain || !utf8.Valid(page) {
		if decoded, err := encoding.NewDecoder().Bytes(page); err == nil {
			page = decoded
		}
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(page), "\uFEFF"), "\uFFFD")
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
	if title := find(root, func(n *html.Node) bool { return n.Data == "title" && n.Namespace == "" }); title != nil {
		a.Title = words.OneLine(content(title))
	}
	drawn := drawnByScripts(root)
	dropUnseen(root)
	top := mainPart(root)
	a.PasswordRequired = asksForPassword(top, a.Title)
	if top.Data == "body" {
		dropFrame(top)
	}
	if h1 := find(top, named("h1")); h1 != nil {
		a.Title = first(words.OneLine(printable(content(h1))), a.Title)
	}
	a.Markdown = write(moved(top, "div"), nil, base)
	const little = 300 // characters: a loading notice and a line of copyright
	a.Scripted = drawn && utf8.RuneCountInString(a.Markdown) <= little
	return a
}

func named(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == name }
}

// mainPart returns the element that holds the content of a page.
func mainPart(root *html.Node) *html.Node {
	isMain := func(n *html.Node) bool { return strings.EqualFold(attribute(n, "role"), "main") }
	for _, is := range []func(*html.Node) bool{named("main"), isMain} {
		if n := find(root, is); n != nil && shows(n) {
			return n
		}
	}
	article := find(root, named("article"))
	another := func(n *html.Node) bool { return n.Data == "article" && n != article }
	if article != nil && shows(article) && find(root, another) == nil {
		return article
	}
	return find(root, named("body")) // the parser always makes one
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

var passwordTitle = pattern.Lazy(`(?i)password (is )?required|enter (the|your|a) password`)

// asksForPassword reports whether a page is the form for a password that Wagtail, or the
// site's project, shows in place of a protected page.
func asksForPassword(top *html.Node, title string) bool {
	field := find(top, func(n *html.Node) bool {
		return n.Data == "input" && strings.EqualFold(attribute(n, "type"), "password")
	})
	if field == nil {
		return false
	}
	back := find(top, func(n *html.Node) bool {
		return n.Data == "input" && (attribute(n, "name") == "return_url" || attribute(n, "name") == "next")
	})
	const little = 600 // bytes of text beside the form
	shown := collapse(content(top))
	return back != nil || len(shown) < little || passwordTitle().MatchString(title) || passwordTitle().MatchString(shown[:little])
}

var (
	// needsScripts matches the request of a page to turn scripts on.
	needsScripts = pattern.Lazy(`(?i)\b(java ?script|scripting|js)\b`)
	// mountPoint matches the id of the element that the scripts of common frameworks fill.
	mountPoint = pattern.Lazy(`(?i)^(__next|__nuxt|___gatsby|svelte|app|root|app-root|react-root|main-app|application)$`)
)

// drawnByScripts reports whether a page has scripts, and either an empty element for them
// to fill or a notice for readers without scripts.
func drawnByScripts(root *html.Node) bool {
	return find(root, named("script")) != nil && find(root, func(n *html.Node) bool {
		return n.Data == "noscript" && needsScripts().MatchString(content(n)) ||
			mountPoint().MatchString(attribute(n, "id")) && strings.TrimSpace(content(n)) == "" && find(n, func(*html.Node) bool { return true }) == nil
	}) != nil
}
