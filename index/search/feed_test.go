package search

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{"Hello, WORLD [\\]^_`{@}", "hello, world [\\]^_`{@}"},
		{"Größe", "größe"},
		{"ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"},
		{"\u212aelvin ſ \u00b5", "kelvin s μ"},
		{"検索 ＡＢＣ", "検索 ａｂｃ"},
		{"a\xffb\xe6\xa4", "a\ufffdb\ufffd\ufffd"},
		{" \t\r\n\u00a0", " \t\r\n\u00a0"},
	} {
		if got := Fold(tc.text); got != tc.want {
			t.Errorf("Fold(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestFoldTakesEveryCaseOfEveryRuneForTheSame(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if 0xD800 <= r && r < 0xE000 {
			continue
		}
		folded, _ := look(r)
		for _, other := range []rune{unicode.ToLower(r), unicode.ToUpper(r), unicode.ToTitle(r), folded} {
			if got, _ := look(other); got != folded {
				t.Errorf("%U folds to %U, its form %U to %U", r, folded, other, got)
			}
		}
	}
}

func TestFoldIsRuneByRune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(text(), rapid.String()).Draw(t, "text")
		var want strings.Builder
		for _, r := range s {
			want.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
		if got := Fold(s); got != want.String() {
			t.Fatalf("Fold(%q) = %q, want %q", s, got, want.String())
		}
	})
}

func TestFeed(t *testing.T) {
	letters := strings.Repeat("abcdefgh", 20)
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"separators alone", " -->\n\x00…", ""},
		{"words are folded and separated by one space", "  Fix: the Cache!\n", "fix the cache"},
		{"an underscore separates", "snake_case", "snake case"},
		{"digits and letters stay together", "utf8 v1.2", "utf8 v1 2"},
		{"marks belong to the word", "e\u0301te\u0301", "e\u0301te\u0301"},
		{"letters beyond ASCII", "Größe (ЖУК)", "größe жук"},
		{"ASCII that goes on beyond ASCII is one token", "xcafé", "xcafé"},
		{"typographic quotes separate", "don’t", "don t"},
		{"a script without spaces is cut into pairs, and the last rune", "検索機能", "検索 索機 機能 能"},
		{"one rune alone", "検", "検"},
		{"a change of script is a boundary", "foo検索bar", "foo 検索 索 bar"},
		{"the long vowel mark is kana", "サーバー", "サー ーバ バー ー"},
		{"kana with a combining mark", "か\u3099き", "か\u3099 \u3099き き"},
		{"Hangul", "한국어 글", "한국 국어 어 글"},
		{"Thai", "ไทย", "ไท ทย ย"},
		{"ideographic punctuation separates", "検索。機能", "検索 索 機能 能"},
		{"emoji are no tokens", "go❤\ufe0fgo👩\u200d💻", "go go"},
		{"bytes that are not UTF-8 separate", "a\xffb\xe6", "a b"},
		{"64 letters are one token", letters[:64] + " x", letters[:64] + " x"},
		{"65 letters are two windows", letters[:65] + " x", letters[:64] + " " + letters[32:65] + " x"},
		{"96 letters are two windows", letters[:96], letters[:64] + " " + letters[32:96]},
		{"97 letters are three windows", letters[:97], letters[:64] + " " + letters[32:96] + " " + letters[64:97]},
		{"windows count runes", strings.Repeat("Ж", 65), strings.Repeat("ж", 64) + " " + strings.Repeat("ж", 33)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := string(Feed(nil, tc.text)); got != tc.want {
				t.Errorf("Feed(%q)\n got %q\nwant %q", tc.text, got, tc.want)
			}
		})
	}

	t.Run("what is there already is kept apart by a space", func(t *testing.T) {
		got := Feed(Feed(nil, "One two"), "Three")
		if string(got) != "one two three" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a buffer that is large enough is all the memory it takes", func(t *testing.T) {
		text := strings.Repeat("Fix the Cache — größe 検索機能 "+letters, 20)
		buf := Feed(nil, text)
		buf = Feed(buf[:0:cap(buf)], text)
		if allocs := testing.AllocsPerRun(10, func() { buf = Feed(buf[:0], text) }); allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}

// slowFeed says what Feed does, with nothing done for speed.
func slowFeed(s string) string {
	var tokens []string
	var run []rune
	current := separator
	flush := func() {
		switch current {
		case unspaced:
			for i := range run {
				tokens = append(tokens, string(run[i:min(i+2, len(run))]))
			}
		case letter:
			from := 0
			for ; from+maxToken < len(run); from += windowStep {
				tokens = append(tokens, string(run[from:from+maxToken]))
			}
			tokens = append(tokens, string(run[from:]))
		}
		run = run[:0]
	}
	for _, r := range Fold(s) {
		if class := classOf(r); class != current {
			flush()
			current = class
		}
		run = append(run, r)
	}
	flush()
	return strings.Join(tokens, " ")
}

func TestFeedCutsTheFoldedText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(text(), rapid.String()).Draw(t, "text")
		if got, want := string(Feed(nil, s)), slowFeed(s); got != want {
			t.Fatalf("Feed(%q)\n got %q\nwant %q", s, got, want)
		}
	})
}

func FuzzFeed(f *testing.F) {
	for _, s := range slices.Concat(pieces, runs) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(Feed(nil, s)), slowFeed(s); got != want {
			t.Errorf("Feed(%q)\n got %q\nwant %q", s, got, want)
		}
	})
}
