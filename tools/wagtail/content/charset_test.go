package content_test

import (
	"strings"
	"testing"

	"issues-index/tools/wagtail/content"
)

func TestPagesOfEveryEncoding(t *testing.T) {
	ascii := "<title>" + strings.Repeat("a", 2000) + "</title>"
	for name, c := range map[string]struct{ page, contentType, want string }{
		"UTF-8, and said so":            {"<p>Café 日本</p>", "text/html; charset=utf-8", "<p>Café 日本</p>"},
		"UTF-8, and not said":           {ascii + "<p>Café 日本</p>", "text/html", ascii + "<p>Café 日本</p>"},
		"the header's":                  {"<p>Caf\xe9</p>", "text/html; charset=ISO-8859-1", "<p>Café</p>"},
		"the page's own":                {"<meta charset=\"shift_jis\"><p>\x93\xfa\x96\x7b</p>", "text/html", "<meta charset=\"shift_jis\"><p>日本</p>"},
		"none that is said":             {"<p>Caf\xe9</p>", "text/html", "<p>Café</p>"},
		"another than is said":          {"<meta charset=\"iso-8859-1\"><p>Café</p>", "text/html", "<meta charset=\"iso-8859-1\"><p>Café</p>"},
		"one that nobody knows":         {"<p>Caf\xe9</p>", "text/html; charset=x-klingon", "<p>Café</p>"},
		"UTF-16 with its mark":          {"\xff\xfe<\x00p\x00>\x00\xe9\x00", "text/html", "<p>é"},
		"UTF-8 with bytes that are not": {"<p>Caf\xe9</p>", "text/html; charset=utf-8", "<p>Caf\uFFFD</p>"},
	} {
		if got := content.Decode([]byte(c.page), c.contentType); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
