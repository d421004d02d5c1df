package words

import "testing"

// What stands in an error and what stands in a line obey one rule: neither hides a word, turns the
// direction of text or controls a terminal.
func TestPlainAndLineAreHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"safe\u202egnp.exe":          "safegnp.exe",
		"a\u2066b\u2069 \u200fc":     "ab c",
		"\x1b[2Jred\x07\u009b31m":    "[2Jred31m",
		"one\ntwo\u2028three\u0085x": "one two three x",
		"caf\xe9":                    "caf\uFFFD",
		"i\U000e0041\U000e0042d":     "id",
		"می\u200cخواهم 👩\u200d💻":     "می\u200cخواهم 👩\u200d💻",
	} {
		if got := Plain(text); got != want {
			t.Errorf("Plain(%q) is %q, want %q", text, got, want)
		}
		if got := Line(text); got != want {
			t.Errorf("Line(%q) is %q, want %q", text, got, want)
		}
	}
	if got, want := Quote("two  spaces "), "'two  spaces '"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := Line(" two  spaces "), "two spaces"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
