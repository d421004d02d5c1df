package repair

import (
	"slices"
	"testing"

	"issues-index/index"
)

// A page lists what the index knows, in the words and the order of check.
func TestWhatTheIndexKnowsIsInTheOrderOfCheck(t *testing.T) {
	const issues = ".wrangler/issues/"
	w := newWorkspace(t, issues, map[string]string{
		issues + "ISS-000001-a.md": "---\nid: ISS-000001\nstatus: nonsense\nparent: ISS-000009\n---\n[a](nowhere.md)\n",
		issues + "ISS-000001-b.md": "---\nid: ISS-000001\nstatus: closed\n---\n- [ ] open\n",
		issues + "broken.md":       "---\nid: [\n---\n",
		".wrangler/views.yaml":     "hot:\n  where: priority =\n",
	})
	known, err := Known(t.Context(), w.ix)
	if err != nil {
		t.Fatal(err)
	}
	report := w.check()
	var want []index.DocumentProblem
	for _, f := range slices.Concat(report.Problems, report.Hints) {
		if f.Problem.Code != closedWithBoxes { // of which the index has a list
			want = append(want, f.DocumentProblem)
		}
	}
	var got []index.DocumentProblem
	for _, f := range known {
		got = append(got, f.DocumentProblem)
	}
	if !slices.Equal(got, want) || len(got) < 7 {
		t.Errorf("known are\n%v\nwant\n%v", got, want)
	}
}

func TestEachKindHasATitle(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds {
		if seen[k.Title()] {
			t.Errorf("two kinds are called %q", k.Title())
		}
		seen[k.Title()] = true
	}
	for code := range titles {
		if rank(code) == len(Kinds) {
			t.Errorf("no kind has the code %s", code)
		}
	}
}
