package answer

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestLightIsTheLongestBeginning holds that one look at a text finds what weighing
// its beginnings one by one would.
func TestLightIsTheLongestBeginning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a word ", "zqxj", "0123", "7", "é", "検索", "🚀", "\xff", "\n", "Ab9k", "e\u0301", " ",
		}), 0, 40).Draw(t, "text"), "") + rapid.SampledFrom([]string{"", "\xc9"}).Draw(t, "half a character")
		most := rapid.IntRange(1, 60).Draw(t, "most")
		want := 0
		for at := 0; at < len(text); {
			_, width := utf8.DecodeRuneInString(text[at:])
			if at += width; Weigh(text[:at]) > most {
				break
			}
			want = at
		}
		if got := light(text, most); got != want {
			t.Fatalf("%q up to %d tokens: %d bytes, want %d", text, most, got, want)
		}
	})
}
