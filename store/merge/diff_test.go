package merge

import (
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/layout"
)

var long = flag.Bool("long", false, "merge hostile texts of full size, and more texts as git does (a minute)")

func TestChangesTurnOneTextIntoTheOther(t *testing.T) {
	text := func(name string) *rapid.Generator[[]rune] {
		return rapid.OneOf(
			rapid.SliceOfN(rapid.Int32Range(0, 3), 0, 300),
			rapid.SliceOfN(rapid.Int32Range(0, 500), 0, 500),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		a := text("a").Draw(t, "a")
		b := text("b").Draw(t, "b")
		if rapid.Bool().Draw(t, "related") { // parts of a change their places
			cut := rapid.IntRange(0, len(a)).Draw(t, "cut")
			b = slices.Concat(a[cut:], b, a[:cut])
		}
		var built []rune
		at := 0
		for i, h := range changes(a, b) {
			if i > 0 && h.a0 <= at || h.a0 < at || h.a0 == h.a1 && h.b0 == h.b1 {
				t.Fatalf("change %d, %+v, begins where the one before ends, at %d", i, h, at)
			}
			built = append(append(built, a[at:h.a0]...), b[h.b0:h.b1]...)
			at = h.a1
		}
		if built = append(built, a[at:]...); !slices.Equal(built, b) {
			t.Fatalf("%v became %v, not %v", a, built, b)
		}
	})
}

func TestALongRewriteIsComparedPartByPart(t *testing.T) {
	var a, b, kept []rune
	for i := range rune(2000) {
		a = append(a, i)
		switch i % 3 {
		case 0:
			b = append(b, 10000+i)
		case 1:
			b = append(b, i)
			kept = append(kept, i)
		}
	}
	for name, c := range map[string]struct {
		a, b []rune
		want int // equal lines
	}{
		"every third line removed and another replaced":    {a, b, len(kept)},
		"the halves change places":                         {a, slices.Concat(a[1000:], a[:1000]), 1000},
		"a long part moves past a short one":               {a, slices.Concat(a[300:], a[:300]), 1700},
		"a part moves among lines that are not unique":     {repeated(a, 500), slices.Concat(repeated(a[1000:], 500), repeated(a[:1000], 500)), 1000},
		"one line many times, and some of them taken away": {make([]rune, 5000), make([]rune, 3000), 3000},
	} {
		t.Run(name, func(t *testing.T) {
			equal := len(c.a)
			for _, h := range changes(c.a, c.b) {
				equal -= h.a1 - h.a0
			}
			if equal < c.want {
				t.Errorf("%d of %d lines are found equal, want %d", equal, len(c.a), c.want)
			}
		})
	}
}

// repeated are lines of which there are no more than n different ones.
func repeated(lines []rune, n rune) []rune {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i] %= n
	}
	return lines
}

// TestHostileTextsAreMerged ends, and in memory that the texts' size bounds: a difference
// that took quadratic time would not end with -long.
func TestHostileTextsAreMerged(t *testing.T) {
	lines := 5000
	if *long {
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
	for name, c := range map[string][3]string{
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
	} {
		t.Run(name, func(t *testing.T) {
			m := Documents(layout.Default(), []byte(c[0]), []byte(c[1]), []byte(c[2]), Labels{})
			if len(m.Data) == 0 || (m.Conflicts > 0) != strings.Contains(string(m.Data), "<<<<<<< ours\n") {
				t.Errorf("%d conflicts in %d bytes", m.Conflicts, len(m.Data))
			}
		})
	}
}
