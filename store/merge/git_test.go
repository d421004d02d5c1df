package merge

import (
	"strings"
	"testing"

	"issues-index/store/layout"
)

func TestWithoutGitOnlyTheLinesOfTextsCannotBeMerged(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	base, ours, theirs := front("a: 1", "b: 1"), front("a: 2", "b: 1"), front("a: 1", "b: 2")
	got, err := Documents(t.Context(), layout.Default(), []byte(base), []byte(ours), []byte(theirs), Labels{})
	if err != nil || string(got.Data) != front("a: 2", "b: 2") {
		t.Errorf("%v, merged:\n%s", err, got.Data)
	}
	_, err = Documents(t.Context(), layout.Default(), []byte(base), []byte(ours+"c\n"), []byte(theirs+"d\n"), Labels{})
	if err == nil || !strings.Contains(err.Error(), "git is not installed") {
		t.Errorf("the error is %v", err)
	}
}

// Markers in a text are lines as all others: they are not taken for those of this merge.
func TestMarkersInATextAreLines(t *testing.T) {
	old := task("<<<<<<< a", "x", "=======", "y", ">>>>>>> b", "one", "two", "three")
	mergeCase{
		base:   front("id: x") + old,
		ours:   front("id: x", "a: 1") + strings.Replace(old, "x", "ours", 1),
		theirs: front("id: x", "b: 2") + strings.Replace(old, "three", "theirs", 1),
		want:   front("id: x", "a: 1", "b: 2") + strings.NewReplacer("\nx", "\nours", "three", "theirs").Replace(old),
	}.check(t)
}

func TestMarkersAreAsShortAsCanBe(t *testing.T) {
	long := strings.Repeat("=", 1<<20) + "\n"
	for text, want := range map[string]int{
		"": 7, "a\n": 7, long: 7, "======\n": 7, "=======a\n": 7, "a =======\n": 7,
		"=======\n": 8, "=======": 8, "<<<<<<< a\r\n": 8, "||||||| \n>>>>>>>>\n": 9,
	} {
		if got := freeMarkerSize("", text, long); got != want {
			t.Errorf("%.20q: markers of %d characters, want %d", text, got, want)
		}
	}
}
