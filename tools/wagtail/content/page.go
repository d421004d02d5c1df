package content

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// An Article is the main part of a page of the site.
type Article struct {
	Title    string // the first heading of the main part, else the page's title
	Markdown string

	// PasswordRequired is true for a page that asks for a password in place of
	// its content.
	PasswordRequired bool
	// Scripted is true for a page that says next to nothing until scripts have
	// drawn it in a browser.
	Scripted bool
}

// Page returns the main part of a page of the site: its main element, else its
// only article, else its body without what frames it. Links are made absolute by
// the address that the page was read from.
func Page(page []byte, base *url.URL) (Article, error) {
	source, title := filtered(strings.ToValidUTF8(string(page), "�"))
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return Article{}, fmt.Errorf("read the page's HTML: %w", err)
	}
	top := main(root)
	a := Article{Title: title, PasswordRequired: asksForPassword(top, title)}
	if top.Data == "body" {
		unframe(top)
	}
	if h1 := find(top, func(n *html.Node) bool { return n.Data == "h1" }); h1 != nil {
		if heading := strings.TrimSpace(collapse(printable(content(h1)))); heading != "" {
			a.Title = heading
		}
	}
	tree := element("div")
	for child := top.FirstChild; child != nil; child = top.FirstChild {
		top.RemoveChild(child)
		tree.AppendChild(child)
	}
	a.Markdown = write(tree, nil, base)
	a.Scripted = drawnByScript(string(page), a.Markdown)
	return a, nil
}

// main returns the element that holds what the page is about.
func main(root *html.Node) *html.Node {
	for _, is := range []func(*html.Node) bool{
		func(n *html.Node) bool { return n.Data == "main" },
		func(n *html.Node) bool { role, _ := attribute(n, "role"); return strings.EqualFold(role, "main") },
	} {
		if n := find(root, is); n != nil && shows(n) {
			return n
		}
	}
	isArticle := func(n *html.Node) bool { return n.Data == "article" }
	if n := find(root, isArticle); n != nil && shows(n) && find(root, func(o *html.Node) bool { return o != n && isArticle(o) }) == nil {
		return n
	}
	if body := find(root, func(n *html.Node) bool { return n.Data == "body" }); body != nil {
		return body
	}
	return root
}

// unframe removes what stands around the content on every page of a site.
func unframe(n *html.Node) {
	frame := set("aside", "footer", "form", "header", "nav")
	roles := set("banner", "contentinfo", "navigation", "search", "complementary")
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		role, _ := attribute(child, "role")
		if frame[child.Data] || roles[strings.ToLower(role)] {
			n.RemoveChild(child)
		} else {
			unframe(child)
		}
		child = next
	}
}

var passwordTitle = pattern.Lazy(`(?i)password (is )?required|enter (the|your|a) password`)

// asksForPassword reports whether a page is one that Wagtail, or the project in its
// place, shows instead of a page that is protected: a form with a field for a
// password, and little else.
func asksForPassword(top *html.Node, title string) bool {
	field := find(top, func(n *html.Node) bool {
		kind, _ := attribute(n, "type")
		return n.Data == "input" && strings.EqualFold(kind, "password")
	})
	if field == nil {
		return false
	}
	back := find(top, func(n *html.Node) bool {
		name, _ := attribute(n, "name")
		return n.Data == "input" && (name == "return_url" || name == "next")
	})
	const little = 600 // bytes of text beside the form
	shown := collapse(content(top))
	return back != nil || passwordTitle().MatchString(title) || passwordTitle().MatchString(shown[:min(len(shown), little)]) || len(shown) < little
}

// find returns the first element that is as asked for.
func find(n *html.Node, is func(*html.Node) bool) *html.Node {
	if n.Type == html.ElementNode && is(n) {
		return n
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if found := find(child, is); found != nil {
			return found
		}
	}
	return nil
}
