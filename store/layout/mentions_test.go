package layout_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/layout"
)

func TestMentions(t *testing.T) {
	own := *layout.Default()
	own.IDs = map[string]layout.IDPattern{
		"issue":         {Prefix: "task-", Digits: 1, Separator: "."},
		"specification": {Prefix: "T", Digits: 2},
		"idea":          {Prefix: "task-x-", Digits: 1},
	}
	for _, c := range []struct {
		name, text string
		layout     *layout.Layout
		want       string
	}{
		{"any letter case and zeros", "iss-12 ISS-000012 Spec-7", nil, "iss-12 ISS-000012 Spec-7"},
		{"punctuation around", "(ISS-1), ISS-2. ISS-3's «ISS-4» 参照ISS-5です", nil, "ISS-1 ISS-2 ISS-3 ISS-4 ISS-5"},
		{"a file's name", "docs/ISS-000012-fix-it.md pre-ISS-13", nil, "ISS-000012 ISS-13"},
		{"parts of words", "MyISS-12 ISS-12a ISS-1_2 xISS-1 ISS-1234567890 ISS-", nil, ""},
		{"hashes", "ISS-k3f9q iss-K3F9Q-title ISS-hello ISS-k3f9qa", nil, "ISS-k3f9q iss-K3F9Q"},
		{"another repository's", "other:ISS-1 o:PROJ-2 Refs: ISS-3", nil, "ISS-3"},
		{"other trackers'", "PROJ-12 B2B-7.1 UTF-8. X-1 Proj-12 ABCDEFGHIJK-1", nil, "PROJ-12 B2B-7.1 UTF-8"},
		{"web addresses", "https://x.org/ISS-1 http://x.org/?q=ISS-2 <http://x.org>ISS-3 http://x.org ISS-4", nil, "ISS-3 ISS-4"},
		{"ids of children", "ISS-1.2 ISS-3.", nil, "ISS-1 ISS-3"},
		{"ids of this layout", "task-1 Task-1.2.3 T12 T1.2 ISS-4 task-x-5 task-y-6", &own, "task-1 Task-1.2.3 T12 T1 ISS-4 task-x-5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := c.layout
			if l == nil {
				l = layout.Default()
			}
			var got []string
			for start, end := range l.Mentions(c.text) {
				got = append(got, c.text[start:end])
			}
			if !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("%q, want %s", got, c.want)
			}
		})
	}
}

// Ids that all have a hyphen are found by their hyphens, and others word by word.
func TestMentionsAreTheSameHoweverTheyAreFound(t *testing.T) {
	t.Parallel()
	byHyphens, byWords := *layout.Default(), *layout.Default()
	byWords.IDs = maps.Clone(byHyphens.IDs)
	byWords.IDs["none"] = layout.IDPattern{Prefix: "Q", Digits: 1} // which no text here has
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"ISS", "iss", "PROJ", "A", "-", "--", "12", "0", "k3f9q", " ", "\n", ".", "_", ":", "x", "https://", "é", "検",
		})).Draw(t, "parts"), "")
		find := func(l layout.Layout) (found []string) {
			for start, end := range l.Mentions(text) {
				found = append(found, fmt.Sprint(start, text[start:end]))
			}
			return found
		}
		if got, want := find(byHyphens), find(byWords); !slices.Equal(got, want) {
			t.Errorf("%q: found %q by hyphens, %q by words", text, got, want)
		}
	})
}
