package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestIDsInMessages(t *testing.T) {
	r := newRepository(t)
	for message, want := range map[string]string{
		"Fixes ISS-000012":                             "iss-12!",
		"close: iss-12":                                "iss-12!",
		"Closes ISS-1, SPEC-2 and IDEA-3; ISS-4":       "idea-3! iss-1! iss-4 spec-2!",
		"resolved ISS-1,ISS-2 & ISS-3 see ISS-4":       "iss-1! iss-2! iss-3! iss-4",
		"see ISS-1, which fixes ISS-2":                 "iss-1 iss-2!",
		"ISS-1: make it work\n\nCloses: ISS-1":         "iss-1!",
		"it fixes:\nISS-1":                             "iss-1",
		"prefixes ISS-1, un-fix ISS-2, disclose ISS-3": "iss-1 iss-2 iss-3",
		"Fixing ISS-1.":                                "iss-1!",
		"Closes #12":                                   "",
		"Closes https://example.org/ISS-12":            "",
		"Closes other:ISS-12":                          "",
		"Merge branch 'iss-12-a-title'":                "iss-12",
	} {
		var got []string
		for id, closes := range idsIn(r.ws, message) {
			got = append(got, id+map[bool]string{true: "!"}[closes])
		}
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%q names %q, want %s", message, got, want)
		}
	}
}

// said makes a history of these messages, and returns the names of the commits.
func (r *testRepository) said(messages ...string) []string {
	for i, message := range messages {
		var parents []int
		if i > 0 {
			parents = []int{i - 1}
		}
		r.commits[r.commit(one(open1, paper("ISS-000001", "open", fmt.Sprint(i))), parents...)].message = message
	}
	return r.make()
}

func TestCommitsThatNameADocument(t *testing.T) {
	r := newRepository(t)
	r.said("begin", "ISS-1: do a part", "the rest\n\nFixes iss-000001.", "Other things, as ISS-2 wants")
	named, err := ReadMessages(t.Context(), r.ws, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range named.Naming("ISS-000001", 5) {
		got = append(got, fmt.Sprint(c.Subject, " ", c.Author, " ", c.Closes))
	}
	expect(t, got, "the rest Ann true", "ISS-1: do a part Ann false")
	if newest := named.Naming("ISS-000001", 1); len(newest) != 1 || newest[0].Subject != "the rest" {
		t.Errorf("%+v", newest)
	}
	if none := named.Naming("ISS-000003", 5); len(none) != 0 {
		t.Errorf("%+v", none)
	}
}

func TestARevertedCommitClosesNothing(t *testing.T) {
	r := newRepository(t)
	revert := func(of string) string { return "Revert \"it\"\n\nThis reverts commit " + of + "." }
	first := r.said("Closes ISS-1")[0]
	closed := func(want bool) {
		t.Helper()
		named, err := ReadMessages(t.Context(), r.ws, false)
		if err != nil {
			t.Fatal(err)
		}
		found := named.Naming("ISS-1", 10)
		if got := found[len(found)-1].Closes; got != want {
			t.Errorf("it closes: %v, want %v", got, want)
		}
	}
	closed(true)
	r.commits = nil
	second := r.said("Closes ISS-1", revert(first)+" Closes ISS-1")[1]
	closed(false)
	r.commits = nil
	r.said("Closes ISS-1", revert(first)+" Closes ISS-1", revert(second))
	closed(true)
}

func TestTheMainBranchIsRead(t *testing.T) {
	r := newRepository(t)
	r.said("Closes ISS-1", "Closes ISS-2")
	r.git("branch", "side")
	r.git("reset", "--quiet", "--hard", "HEAD~1")
	r.git("checkout", "--quiet", "side")
	names := func(want ...string) {
		t.Helper()
		named, err := ReadMessages(t.Context(), r.ws, true)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, slices.Sorted(maps.Keys(named)), want...)
	}
	names("iss-1")
	r.git("update-ref", "refs/remotes/origin/trunk", "side")
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	names("iss-1", "iss-2")
	r.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
	r.git("branch", "--move", "main", "trunk")
	names("iss-1", "iss-2") // of what is checked out
	r.git("branch", "main", "side")
	r.git("reset", "--quiet", "--hard", "HEAD~1") // which is behind it
	names("iss-1")
	r.git("reset", "--quiet", "--hard", "main")
	r.git("branch", "--delete", "--force", "main")
	r.git("update-ref", "refs/heads/main", strings.TrimSpace(r.git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit-tree", "-m", "Closes ISS-3", "HEAD^{tree}")))
	names() // of another project
	r.git("branch", "--delete", "--force", "main")
	r.git("branch", "master", "trunk")
	names("iss-1")
}

func FuzzIDsIn(f *testing.F) {
	r := newRepository(f)
	f.Add("Closes ISS-1, ISS-2 and \x00ISS-3")
	f.Add("fixes:\t\xffISS-0")
	f.Fuzz(func(t *testing.T, message string) {
		all := idsIn(r.ws, message)
		for id := range all {
			if id == "" {
				t.Error("an id without a letter")
			}
		}
		for id, closes := range idsIn(r.ws, message+"\n"+message) {
			if was, known := all[id]; !known && message != "" && !strings.HasSuffix(message, ":") || closes != was {
				t.Errorf("%q is found in two of it: %v", id, closes)
			}
		}
	})
}

func BenchmarkMessages(b *testing.B) {
	r := newRepository(b)
	var messages []string
	for i := range mostMessages {
		messages = append(messages, fmt.Sprintf("Change number %d\n\n%s\n\nCloses ISS-%d", i, strings.Repeat("A line that says why it was done. ", 8), i))
	}
	r.said(messages...)
	for b.Loop() {
		if _, err := ReadMessages(b.Context(), r.ws, false); err != nil {
			b.Fatal(err)
		}
	}
}
