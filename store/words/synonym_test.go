package words

import (
	"slices"
	"testing"
)

// The values of the fields, as package store has them.
var (
	statuses   = []string{"open", "in_progress", "closed", "cancelled"}
	priorities = []string{"low", "medium", "high", "critical"}
	types      = []string{"issue", "specification", "idea"}
)

// A word that is taken without asking means one thing: it is not also a suggestion, and
// within one field it has one value.
func TestWordsThatAreTakenMeanOneThing(t *testing.T) {
	for word := range sameAs() {
		if word != Fold(word) {
			t.Errorf("%q is not folded, so nothing finds it", word)
		}
		if meantFor()[word] != nil {
			t.Errorf("%q is taken and suggested", word)
		}
		fields := 0
		for _, allowed := range [][]string{statuses, priorities, types} {
			if value := Only(allowed...).Understood(word); value != "" {
				fields++
				if got := slices.DeleteFunc(slices.Clone(sameAs()[word]), func(v string) bool { return !slices.Contains(allowed, v) }); len(got) > 1 {
					t.Errorf("%q means %q", word, got)
				}
			}
		}
		if fields > 1 {
			t.Errorf("%q is a value of several fields", word)
		}
	}
}

func TestUnderstood(t *testing.T) {
	for _, c := range []struct{ word, understood, suggested string }{
		{"done", "closed", "closed"},
		{"Won't Fix", "cancelled", "cancelled"},
		{"TODO", "open", "open"},
		{"rejected", "", "cancelled"},
		{"p1", "", ""},
		{"", "", ""},
	} {
		if got := Only(statuses...).Understood(c.word); got != c.understood {
			t.Errorf("%q is taken for %q, want %q", c.word, got, c.understood)
		}
		if got := Only(statuses...).Synonym(c.word); got != c.suggested {
			t.Errorf("%q suggests %q, want %q", c.word, got, c.suggested)
		}
	}
}
