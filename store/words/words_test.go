package words

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"}, {"shorter", 5, "shor…"}, {"two words", 5, "two…"}, {"äöüß", 4, "äöüß"}, {"äöüßé", 4, "äöü…"}, {"ab", 1, "…"},
	} {
		if got := Cut(c.text, c.limit); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
	if got := CutBytes("äöü", 5); got != "ä…" {
		t.Errorf("CutBytes cut to %q", got)
	}
}

func TestCutsKeepTheLimitAndWholeCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, limit := rapid.String().Draw(t, "text"), rapid.IntRange(1, 20).Draw(t, "limit")
		if got := Cut(text, limit); utf8.RuneCountInString(got) > limit || !utf8.ValidString(got) {
			t.Errorf("Cut gave %q", got)
		}
		got := CutBytes(text, limit)
		if len(got) > limit || !utf8.ValidString(got) {
			t.Errorf("CutBytes gave %q", got)
		}
		if kept, short := strings.CutSuffix(got, ellipsis); short && !strings.HasPrefix(text, kept) {
			t.Errorf("%q is not the beginning of %q", kept, text)
		}
	})
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 issues": Count(0, "issue"), "1 issue": Count(1, "issue"), "2 issues": Count(2, "issue"),
		"1 query": Count(1, "query", "queries"), "3 queries": Count(3, "query", "queries"),
		"a and 2 more": "a" + AndMore(2), "a": "a" + AndMore(0), "b": "b" + AndMore(-1),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := OneLine(" a\n\tb  c "); got != "a b c" {
		t.Errorf("%q", got)
	}
}

func TestListHasEachItemOnce(t *testing.T) {
	for text, want := range map[string][]string{
		"": {}, " , ,": {}, "a": {"a"}, "a, b ,a,": {"a", "b"}, "two words,検索": {"two words", "検索"},
	} {
		if got := List(text); got == nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
