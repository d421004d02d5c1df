package history

import (
	"testing"

	"issues-index/store/git"
)

// Of files that went away and came to be, those of the same bytes are one, whatever their order.
func TestStepsPairTheLikestFilesFirst(t *testing.T) {
	was := map[string]string{}
	for _, s := range stepsOf(git.Commit{Changes: []git.PathChange{
		{Path: "a/ISS-1-x.md", Old: "1"}, {Path: "a/ISS-1-y.md", Old: "2"}, {Path: "a/ISS-1-z.md", Old: "3"},
		{Path: "b/ISS-1-v.md", New: "4"}, {Path: "b/ISS-1-x.md", New: "2"}, {Path: "b/ISS-1-z.md", New: "5"},
	}}) {
		was[s.after.path] = s.before.path
	}
	for is, want := range map[string]string{"b/ISS-1-v.md": "a/ISS-1-x.md", "b/ISS-1-x.md": "a/ISS-1-y.md", "b/ISS-1-z.md": "a/ISS-1-z.md"} {
		if was[is] != want {
			t.Errorf("%s was %s, want %s", is, was[is], want)
		}
	}
}
