package content

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"
)

func TestAddresses(t *testing.T) {
	base, err := url.Parse("https://site.example/a/")
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		"https://a.example/b?c=d&e=f#g": "https://a.example/b?c=d&e=f#g",
		"\x20/b c(d)\n":                 "/b%20c%28d%29",
		"b:c":                           "",
		"./b:c":                         "./b:c",
		"?q=a:b":                        "?q=a:b",
		"#a":                            "#a",
		"mailto:a@b.example":            "mailto:a@b.example",
		"TEL:+1":                        "TEL:+1",
		"ftp://a.example":               "",
		"wagtail:page/4":                "",
		"javascript:alert(1)":           "",
		"java\tscript:alert(1)":         "",
		"\x01javascript:alert(1)":       "",
		"java\x00script:alert(1)":       "",
		"javascript&colon;alert(1)":     "javascript&amp;colon;alert%281%29",
		"/a?b=&lt;&amp":                 "/a?b=&amp;lt;&amp",
		"/café":                         "/café",
		"/\xff":                         "/%EF%BF%BD",
		"":                              "",
	} {
		got, ok := address(raw, nil)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q (%v), not %q", raw, got, ok, want)
		}
	}
	for raw, want := range map[string]string{
		"b/c": "https://site.example/a/b/c", `\\evil.example/x`: "https://evil.example/x", "//cdn.example": "https://cdn.example",
		"mailto:a@b.example": "mailto:a@b.example",
	} {
		if got, _ := address(raw, base); got != want {
			t.Errorf("%q is %q on a site, not %q", raw, got, want)
		}
	}
}

// TestHTMLIsDistinguishedFromText holds that what begins and ends with an element is HTML,
// and nothing else, without a look at what is between.
func TestHTMLIsDistinguishedFromText(t *testing.T) {
	whole := regexp.MustCompile(`(?s)^\s*<([a-zA-Z][a-zA-Z0-9]*)[\s/>].*>\s*$`)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"<", "p", "b>", ">", " ", "\n", "/", "</p>", "<p>", "text", "3", "<br/>", "<x-y>", "\u00a0", "\v",
		}), 0, 6).Draw(t, "pieces"), "")
		found := whole.FindStringSubmatch(s)
		want := len(found) == 2 && atom.Lookup([]byte(strings.ToLower(found[1]))) != 0
		if isHTML(s) != want {
			t.Fatalf("%q: %t, want %t", s, !want, want)
		}
	})
}

// TestLinksOfOtherKinds holds that a link of a kind that Wagtail does not store, from
// a project's own editor, leads where its address does.
func TestLinksOfOtherKinds(t *testing.T) {
	for source, want := range map[string]string{
		`<p><a linktype="email" href="mailto:a@example.org">write</a></p>`:          `[write](mailto:a@example.org)`,
		`<p><a linktype="external" id="" href="https://example.org/x">x</a></p>`:    `[x](https://example.org/x)`,
		`<p><a linktype="page" id="4" href="https://example.org/x">a page</a></p>`:  `[a page](wagtail:page/4)`,
		`<p><a linktype="external" href="java&Tab;script:alert(1)">script</a></p>`:  `script`,
		`<p><a linktype="user" id="a b">somebody</a></p>`:                           `somebody`,
		`<p><a linktype="user" id="ann">somebody</a></p>`:                           `[somebody](wagtail:user/ann)`,
		`<p><a linktype="page" id="x y" href="data:text/html,x">a bad page</a></p>`: `a bad page`,
	} {
		if got := richText(source, nil); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}
