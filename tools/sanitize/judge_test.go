package sanitize_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"

	"issues-index/tools/sanitize"
)

// An allowlist is a policy as both sanitisers can be given it. A value is the expression
// that values match, address for addresses, or "" for any value.
type allowlist struct {
	sanitize.Policy
	elements   map[string]map[string]string
	everywhere map[string]string
}

const address = "address"

// allowlists are like the policies of the program, and harder ones.
var allowlists = map[string]*allowlist{
	"texts alone":     newAllowlist("", sanitize.Policy{WithContent: sanitize.Unseen(), Spaced: true}, nil, nil),
	"texts, whatever": newAllowlist("", sanitize.Policy{}, nil, nil),
	"a rendered text": newAllowlist("p br hr h2 b i pre ul li table tr td",
		sanitize.Policy{WithContent: sanitize.Unseen(), Unfollowed: true, Incomplete: set("a input")},
		map[string]map[string]string{
			"a":       {"href": address},
			"details": {"open": "^$"},
			"h1":      {"id": `^h-[\p{L}]{1,20}$`},
			"input":   {"type": "^checkbox$", "checked": "^$"},
			"ol":      {"start": "^[0-9]{1,9}$"},
			"td":      {"align": "^(left|right)$", "colspan": "^[1-9]$"},
		}, nil),
	"a page to convert": newAllowlist("p b a div table tr td li ol img input iframe noscript noembed noframes object "+
		"svg math template textarea title select option", sanitize.Policy{}, nil,
		map[string]string{"href": "", "src": "", "title": "", "type": "", "id": "^[a-z]{1,9}$", "class": "^lang-[a-z]+$"}),
	"anything inert": newAllowlist("p b div svg math title textarea style script table td xmp plaintext template select "+
		"option form",
		sanitize.Policy{Spaced: true, WithContent: set("object details"), Incomplete: set("img")},
		map[string]map[string]string{
			"a":          {"href": address},
			"blockquote": {"cite": address},
			"img":        {"src": address, "alt": ""},
			"q":          {"cite": address},
		},
		map[string]string{"title": "", "id": "^[a-z]+$"}),
}

func set(words string) map[string]bool {
	s := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// newAllowlist makes an allowlist of elements without attributes of their own, and others.
func newAllowlist(names string, p sanitize.Policy, elements map[string]map[string]string,
	everywhere map[string]string) *allowlist {
	value := func(expression string) sanitize.Value {
		switch expression {
		case "":
			return sanitize.Any
		case address:
			return sanitize.Address
		}
		return sanitize.Matching(expression)
	}
	attributes := func(expressions map[string]string) sanitize.Attributes {
		values := sanitize.Attributes{}
		for name, expression := range expressions {
			values[name] = value(expression)
		}
		return values
	}
	p.Elements, p.Everywhere = map[string]sanitize.Attributes{}, attributes(everywhere)
	for name := range set(names) {
		p.Elements[name] = nil
	}
	for name, own := range elements {
		p.Elements[name] = attributes(own)
	}
	return &allowlist{Policy: p, elements: elements, everywhere: everywhere}
}

// judge is bluemonday with the same allowlist. It lets stand what we write about links to
// other hosts where it would not write that itself.
func (a *allowlist) judge(relStands bool) *bluemonday.Policy {
	p := bluemonday.NewPolicy().AddSpaceWhenStrippingTag(a.Spaced)
	allow := func(name, expression string) interface {
		OnElements(...string) *bluemonday.Policy
		Globally() *bluemonday.Policy
	} {
		attrs := p.AllowAttrs(name)
		switch expression {
		case "":
		case address:
			p.AllowURLSchemes("http", "https", "mailto")
			p.AllowRelativeURLs(true)
		default:
			attrs = attrs.Matching(regexp.MustCompile(expression))
		}
		return attrs
	}
	for name := range a.Elements {
		p.AllowElements(name)
		if !a.Incomplete[name] {
			p.AllowNoAttrs().OnElements(name)
		}
		for attribute, expression := range a.elements[name] {
			allow(attribute, expression).OnElements(name)
		}
	}
	for attribute, expression := range a.everywhere {
		allow(attribute, expression).Globally()
	}
	for name := range sanitize.Unseen() {
		p.AllowElementsContent(name)
	}
	for name := range a.WithContent {
		p.SkipElementsContent(name)
	}
	if a.Unfollowed {
		p.RequireNoFollowOnFullyQualifiedLinks(true)
		p.RequireNoReferrerOnFullyQualifiedLinks(true)
		if relStands {
			p.AllowAttrs("rel").Matching(regexp.MustCompile("^nofollow noreferrer$")).OnElements("a")
		}
	}
	return p
}

// agreed returns HTML without the two things in which we and bluemonday differ on purpose: we
// write no marks in raw elements, and we take more addresses for those of other hosts.
func agreed(clean string) string {
	var b strings.Builder
	raw := false
	for tokens := html.NewTokenizer(strings.NewReader(clean)); tokens.Next() != html.ErrorToken; {
		source := string(tokens.Raw())
		token := tokens.Token()
		if token.Type == html.TextToken && raw {
			source = "[raw]"
		}
		raw = (token.Type == html.StartTagToken || token.Type == html.SelfClosingTagToken) &&
			slices.Contains([]string{"iframe", "noembed", "noframes", "noscript", "plaintext", "xmp"}, token.Data)
		b.WriteString(strings.ReplaceAll(source, ` rel="nofollow noreferrer"`, ""))
	}
	return b.String()
}

// errs reports whether bluemonday makes one of its two mistakes with HTML. It loses the rest of
// a text after the end of an element that takes its content with it and had not begun, once
// another one begins. And it writes some paths as hosts.
func (a *allowlist) errs(source string) bool {
	within := 0
	for tokens := html.NewTokenizer(strings.NewReader(source)); tokens.Next() != html.ErrorToken; {
		token := tokens.Token()
		_, allowed := a.Elements[token.Data]
		switch {
		case allowed || !a.WithContent[token.Data]:
		case token.Type == html.StartTagToken:
			within++
		case token.Type == html.EndTagToken:
			within--
		}
		if within < 0 || slices.ContainsFunc(token.Attr, func(at html.Attribute) bool { return moves(at.Val) }) {
			return true
		}
	}
	return false
}

// moves reports whether an address is another one once it was written.
func moves(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return false
	}
	again, err := url.Parse(u.String())
	return err != nil || again.Host != u.Host || again.String() != u.String()
}
