package words

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"limit", "limit", 0}, {"limti", "limit", 2},
		{"lables", "labels", 2}, {"status", "state", 2}, {"kitten", "sitting", 3},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, not %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDistanceIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-c]{0,6}`)
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		switch ab := Distance(a, b); {
		case (ab == 0) != (a == b):
			t.Fatalf("%d between %q and %q", ab, a, b)
		case ab != Distance(b, a):
			t.Fatalf("%d there, %d back", ab, Distance(b, a))
		case ab > Distance(a, c)+Distance(c, b):
			t.Fatalf("the way by %q is shorter", c)
		}
	})
}

func TestNearestDoesNotReplaceWhatShallBeAddedTo(t *testing.T) {
	fields := []string{"labels", "addLabels", "assignee", "address", "addr"}
	for word, want := range map[string]string{
		"addLabel": "addLabels", "append_labels": "addLabels", "add-assignee": "",
		"removeLabels": "", "labels+": "", "+labels": "", "labels-": "",
		"label": "labels", "addrss": "address", "addresss": "address", "add": "addr",
	} {
		if got := Nearest(word, fields); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestNearestOffersNoWordThatIsHalfAnother(t *testing.T) {
	for word, candidate := range map[string]string{"nope": "core", "docs": "jobs", "ab": "ac", "a": "b", "mine": "main"} {
		if got := Nearest(word, []string{candidate}); got != "" {
			t.Errorf("Nearest(%q) = %q", word, got)
		}
	}
}

func TestNearest(t *testing.T) {
	fields := []string{"status", "priority", "labels", "id", "issues_list"}
	for word, want := range map[string]string{
		"lables": "labels", "Status": "status", "priorty": "priority", "issues-list": "issues_list", "listIssues": "",
		"x": "", "xy": "", "entirely else": "", strings.Repeat("labels", 20): "",
	} {
		if got := Nearest(word, fields); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
