package search

import (
	"strings"

	"pgregory.net/rapid"
)

// The tests draw texts from few and short pieces, so that needles are found,
// and found at awkward places, often.
var pieces = []string{
	"a", "b", "ab", "Ab", "foo", "Foo", "FOO", "bar", "foobar", "or", "the", "x1", "2", "007",
	" ", "  ", "\n", "\t", "\u00a0", "\u3000", "-", "--", "->", "_", "/", ".", ":", "\"", "'", "*", "^", "(", ")", "+",
	"é", "É", "e\u0301", "\u0301", "ß", "ẞ", "ſ", "σ", "ς", "Σ", "İ", "ı", "Ж", "ж", "K", "µ", "ǅ",
	"検", "索", "検索", "検索機能", "か", "か\u3099", "ー", "サーバー", "々", "한", "한국어", "ไทย", "葛\U000E0100", "𠮷", "ﾊﾟ",
	"🙂", "👩\u200d💻", "❤\ufe0f", "1\ufe0f\u20e3", "—", "…", "\u2028", "\x00", "\ufffd", "\xff", "\xe6\xa4",
}

// runs are long unbroken tokens.
var runs = []string{
	strings.Repeat("q", 64), strings.Repeat("q", 65), strings.Repeat("Ж", 64),
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk" + "YPhfDwAChwGA60e6kgAAAABJRU5ErkJggg" + "QmFzZTY0SXNVc2VkSGVyZVRvTWFrZUFMb25nUnVu",
}

func text() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		piece := rapid.SampledFrom(pieces)
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			piece = rapid.SampledFrom(append(runs, pieces...))
		}
		return strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "pieces"), "")
	})
}
