package search

import "testing"

func TestNearWords(t *testing.T) {
	v := &Vocabulary{}
	v.Add("token", "sanitize", "parser", "rain", "tokens")
	for word, want := range map[string]string{
		"tokne": "token", "toke": "", "sanitise": "sanitize", "prser": "parser", "pasrer": "parser", "rian": "rain",
		"snatize": "sanitize", "zebra": "", "ran": "rain", "sanit": "",
	} {
		if got := v.Near(word); got != want {
			t.Errorf("%s: %q, not %q", word, got, want)
		}
	}
}
