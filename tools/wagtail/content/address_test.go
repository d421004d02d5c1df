package content

import (
	"net/url"
	"testing"
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
		"%zz": "%zz", "mailto:a@b.example": "mailto:a@b.example",
	} {
		if got, _ := address(raw, base); got != want {
			t.Errorf("%q is %q on a site, not %q", raw, got, want)
		}
	}
}
