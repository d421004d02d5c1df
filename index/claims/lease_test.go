package claims

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"issues-index/store"
	"issues-index/store/layout"
)

func TestHolderName(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"claude code", "k3f9q2"}, "claude-code/k3f9q2"},
		{[]string{"Claude  Code", " K3F9Q2 ", "Code_Reviewer"}, "claude-code/k3f9q2/code_reviewer"},
		{[]string{"claude-code/k3f9q2"}, "claude-code/k3f9q2"},
		{[]string{"Anna Smith@laptop.local"}, "anna-smith@laptop.local"},
		{[]string{`DOMAIN\anna`}, "domain-anna"},
		{[]string{"", " / ", "x"}, "x"},
		{[]string{"a\nstatus: open"}, "a-status-open"},
		{[]string{"検索"}, "検索"},
	} {
		if got := HolderName(c.parts...); got != c.want {
			t.Errorf("%q: %q, want %q", c.parts, got, c.want)
		}
	}
}

// Whatever a client calls itself, its name has one spelling, in one line of a bounded
// length.
func TestHolderNamesAreCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "parts")
		name := HolderName(parts...)
		if again := HolderName(name); again != name {
			t.Errorf("%q becomes %q", name, again)
		}
		if upper := HolderName(strings.ToUpper(name)); HolderName(strings.ToLower(strings.ToUpper(name))) != upper {
			t.Errorf("%q and %q", name, upper)
		}
		for part := range strings.SplitSeq(name, "/") {
			if len(part) > maxHolder || !utf8.ValidString(part) || strings.ContainsAny(part, "\n\r\t :#\"'") {
				t.Errorf("%q", part)
			}
		}
	})
}

// A lease is live, then lapsed, then free, each at one moment.
func TestPhasesOfALease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := time.Duration(rapid.Int64Range(int64(MinLength), int64(MaxLength)).Draw(t, "length"))
		start := time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "start"))
		after := time.Duration(rapid.Int64Range(0, 2*int64(MaxLength)).Draw(t, "after"))
		l := Lease{Granted: start, Renewed: start, Expires: start.Add(length), Length: length}
		now := start.Add(after)
		if l.Live(now) != (after < length) || l.Free(now) != (after >= length+length/4) || l.Live(now) && l.Free(now) || l.due(now) != (after >= length/3) {
			t.Errorf("%v after a lease of %v", after, length)
		}
		early := start.Add(-time.Duration(rapid.Int64Range(0, 100*int64(MaxLength)).Draw(t, "early")))
		if possible := !l.Expires.After(early.Add(farAheadBy)); l.Live(early) != possible || l.Free(early) == possible {
			t.Errorf("%v early, a lease of %v", start.Sub(early), length)
		}
	})
}

func TestWhatALeaseCovers(t *testing.T) {
	leases := &Leases{ws: &store.Workspace{Layout: layout.Default()}}
	held := Lease{Path: "a.md", ID: "ISS-000001", Holder: "anna"}
	doc := Subject{ID: "ISS-000001", Path: "moved.md", Status: "in_progress", Assignee: "anna"}
	if !leases.Covers(held, doc) {
		t.Error("not the document that was claimed, at another path")
	}
	for name, change := range map[string]func(l *Lease, doc *Subject){
		"another id":       func(_ *Lease, doc *Subject) { doc.ID = "ISS-000002" },
		"another status":   func(_ *Lease, doc *Subject) { doc.Status = "open" },
		"no status":        func(_ *Lease, doc *Subject) { doc.Status = "" },
		"another assignee": func(_ *Lease, doc *Subject) { doc.Assignee = "Anna" },
		"ended":            func(l *Lease, _ *Subject) { l.EndedBy = "ben" },
	} {
		l, other := held, doc
		if change(&l, &other); leases.Covers(l, other) {
			t.Errorf("%s: it is covered", name)
		}
	}
}
