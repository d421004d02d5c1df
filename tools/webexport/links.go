package webexport

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// textClass is the class of the element of a page that has the text of a document.
const textClass = "text"

// relink makes the links of a page lead to files. from is the name of the page's own.
func (e *export) relink(from string, page []byte) []byte {
	var out bytes.Buffer
	inText := false
	tokens := html.NewTokenizer(bytes.NewReader(page))
	for tokens.Next() != html.ErrorToken {
		raw := bytes.Clone(tokens.Raw()) // Token takes it apart in place
		token := tokens.Token()
		if token.Data == "div" { // no text keeps one of its own
			inText = token.Type == html.StartTagToken && hasClass(token, textClass)
		}
		if e.relinkToken(from, &token, inText) {
			raw = []byte(token.String())
		}
		out.Write(raw)
	}
	return out.Bytes()
}

func hasClass(t html.Token, class string) bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "class" && a.Val == class })
}

// relinkToken changes the links of one tag, and reports whether it has any to pages.
func (e *export) relinkToken(from string, t *html.Token, inText bool) bool {
	if t.Type != html.StartTagToken && t.Type != html.SelfClosingTagToken {
		return false
	}
	changed := false
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool {
		if a.Key != "href" && a.Key != "src" || strings.HasPrefix(a.Val, "#") {
			return false
		}
		u, err := url.Parse(a.Val)
		if err == nil && (u.Scheme != "" || u.Host != "") {
			return false
		}
		if err != nil || !strings.HasPrefix(u.Path, "/") || inText && e.names[u.RequestURI()] == "" {
			changed = true
			return true
		}
		return false
	})
	for i, a := range t.Attr {
		u, err := url.Parse(a.Val)
		if a.Key != "href" && a.Key != "src" || err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" {
			continue
		}
		to := url.URL{Path: relative(from, e.name(u.RequestURI())), Fragment: u.Fragment, RawFragment: u.RawFragment}
		t.Attr[i].Val = to.String()
		changed = true
	}
	return changed
}

func isDocument(p string) bool { return p == "/d" || strings.HasPrefix(p, "/d/") }

// relative is a file as seen from another one. Both are at most one folder deep.
func relative(from, to string) string {
	if path.Dir(from) == path.Dir(to) {
		return path.Base(to)
	}
	return strings.Repeat("../", strings.Count(from, "/")) + to
}
