package merge

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"issues-index/store/layout"
	"issues-index/store/storetest"
)

// TestHostileTextsAreMerged ends, and in memory that the texts' size bounds: a difference
// that took quadratic time would not end with -long.
func TestHostileTextsAreMerged(t *testing.T) {
	lines := 5000
	if storetest.Long() {
		lines = 100_000
	}
	random := func(seed int64, kinds int, format string) string {
		r := rand.New(rand.NewSource(seed))
		var text strings.Builder
		for range lines {
			fmt.Fprintf(&text, format, r.Intn(kinds))
		}
		return text.String()
	}
	same := func(n int) string { return strings.Repeat("a\n", n) }
	keys := func(from, value int) string { // as many as frontmatter can have
		var text strings.Builder
		for i := range 4000 {
			fmt.Fprintf(&text, "k%d: %d\n", from+i, value)
		}
		return "---\n" + text.String() + "---\n"
	}
	labels := func(from int) string {
		var text strings.Builder
		for i := range min(lines/5, 4000) {
			fmt.Fprintf(&text, "%d, ", from+i)
		}
		return "---\nlabels: [" + text.String() + "]\n---\n"
	}
	checked := random(1, lines, "- [ ] some words that stay, %d\n")
	for name, c := range storetest.Few(map[string][3]string{
		"equal lines":       {same(lines), same(lines/2) + "x\n" + same(lines/2), same(lines*3/4) + "y\n" + same(lines/8)},
		"empty lines":       {strings.Repeat("\n", 100*lines), "x\n" + strings.Repeat("\n", 90*lines), strings.Repeat("\n", 100*lines) + "y"},
		"two kinds":         {random(1, 2, "%d\n"), random(2, 2, "%d\n"), random(3, 2, "%d\n")},
		"a thousand kinds":  {random(1, 1000, "%d\n"), random(2, 1000, "%d\n"), random(3, 1000, "%d\n")},
		"all kinds":         {random(1, lines, "%d\n"), random(2, lines, "%d\n"), random(3, lines, "%d\n")},
		"patterns":          {strings.Repeat("a\nb\n", lines), strings.Repeat("b\na\na\n", lines), strings.Repeat("a\na\nb\nb\n", lines)},
		"one long line":     {strings.Repeat("a", 100*lines), strings.Repeat("a", 100*lines) + "b", strings.Repeat("a", 100*lines) + "c"},
		"boxes":             {checked, random(2, lines, "- [x] some words that stay, %d\n"), random(3, lines, "- [ ] some words that stay, %d\n")},
		"boxes all changed": {checked, strings.ReplaceAll(checked, "some", "same"), strings.ReplaceAll(checked, "[ ]", "[x]")},
		"keys":              {keys(0, 1), keys(2000, 1), keys(1000, 2)},
		"labels":            {labels(0), labels(2000), labels(1000)},
		"deep lists":        {strings.Repeat("- ", lines), strings.Repeat("- ", lines) + "[ ] a", strings.Repeat("- ", lines) + "[x] a"},
	}, 6) {
		t.Run(name, func(t *testing.T) {
			m := documents(t, layout.Default(), []byte(c[0]), []byte(c[1]), []byte(c[2]), Labels{})
			if len(m.Data) == 0 || (m.Conflicts > 0) != strings.Contains(string(m.Data), "<<<<<<< ours\n") {
				t.Errorf("%d conflicts in %d bytes", m.Conflicts, len(m.Data))
			}
		})
	}
}
