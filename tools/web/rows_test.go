package web

import "testing"

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{
		"ann": "AN", "Ann Berg": "AB", "@codex": "CO", "x": "X", "éa": "ÉA", "ann@example.com": "AE", "Ann Maria Berg": "AM",
		"claude-code/6vfmpf": "C6", "codex/k2": "CK", "/": "", "?": "", "": "",
	} {
		if got := newPerson(name).Initials; got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}
