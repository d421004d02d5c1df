package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSnippet(t *testing.T) {
	long := strings.Repeat("before it ", 30) + "the Needle\nstands here" + strings.Repeat(" after it", 30)
	for _, c := range []struct{ name, query, body, want string }{
		{"a short body is shown whole, on one line", "b", "a\n\n  b c", "a b c"},
		{"text before and after the match is left out", "needle", long, "…before it the Needle stands here after it…"},
		{"the first of several words counts", "stands needle", long, "…before it the Needle stands here after it…"},
		{"a phrase over a line break is found", `"needle stands"`, long, "…before it the Needle stands here after it…"},
		{"a phrase is found whatever separates its words", `"needle: stands" OR "needle stands here"`, strings.Replace(long, "\n", ": _", 1), "…before it the Needle: _stands here after…"},
		{"without a match in the body it is the beginning", "title:x", "one two", "one two"},
		{"an excluded word is not looked for", "-after needle", "after a needle", "after a needle"},
		{"nothing comes of nothing", "x", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Parse(c.query, nil).Snippet(c.body, 45); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestSnippetsKeepTheirLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.String().Draw(t, "body")
		query := rapid.String().Draw(t, "query")
		limit := rapid.IntRange(10, 60).Draw(t, "limit")
		got := Parse(query, nil).Snippet(body, limit)
		if n := utf8.RuneCountInString(got); n > limit {
			t.Errorf("%d characters, allowed are %d: %q", n, limit, got)
		}
		if strings.ContainsAny(got, "\n\r\t") {
			t.Errorf("more than one line: %q", got)
		}
	})
}
