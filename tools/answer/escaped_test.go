package answer

import (
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/orderedjson"
)

func TestEscapedIsWhatATextTakesAsJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(raw []byte) string { return string(raw) }),
			rapid.StringOf(rapid.RuneFrom([]rune("a<&\"\\\n\r\t\b\f\x00\x1f\x7f\u2028\u2029\ufffdé字🚀")))).Draw(rt, "text")
		written := orderedjson.Text(text)
		if Escaped(text) != len(written)-len(`""`) {
			t.Errorf("%q: %d bytes, but it is %s", text, Escaped(text), written)
		}
	})
}
