package search

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestVocabulary(t *testing.T) {
	t.Run("the zero value is empty", func(t *testing.T) {
		var v Vocabulary
		if v.Len() != 0 || v.Has("a") || v.Has("") {
			t.Error("it holds something")
		}
		if terms, more := v.holding("a", affix{}, 10); terms != nil || more {
			t.Errorf("found %q", terms)
		}
	})
	t.Run("a token counts once", func(t *testing.T) {
		var v Vocabulary
		v.Add("foo", "bar", "foo", "")
		v.Add(v.Missing("bar baz  qux")...)
		if v.Len() != 4 {
			t.Errorf("Len() = %d, want 4", v.Len())
		}
		for _, term := range []string{"foo", "bar", "baz", "qux"} {
			if !v.Has(term) {
				t.Errorf("%q is missing", term)
			}
		}
		for _, term := range []string{"", "fo", "oo", "foo\nbar", "zzz"} {
			if v.Has(term) {
				t.Errorf("it has %q", term)
			}
		}
	})
	t.Run("what is missing is named once", func(t *testing.T) {
		var v Vocabulary
		if got := v.Missing("foo bar foo"); !slices.Equal(got, []string{"foo", "bar"}) {
			t.Errorf("of an empty vocabulary %q is missing", got)
		}
		v.Add("bar")
		if got := v.Missing("foo bar baz  foo"); !slices.Equal(got, []string{"foo", "baz"}) {
			t.Errorf("%q is missing", got)
		}
		if got := v.Missing(""); got != nil {
			t.Errorf("of nothing %q is missing", got)
		}
	})
	t.Run("to ask takes no memory", func(t *testing.T) {
		var v Vocabulary
		long := strings.Repeat("x", maxToken)
		v.Add("foo", long)
		feed := strings.Repeat("foo "+long+" ", 50)
		if allocs := testing.AllocsPerRun(10, func() { v.Missing(feed); v.Has(long) }); allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
	t.Run("a token that holds the needle twice is found once", func(t *testing.T) {
		var v Vocabulary
		v.Add("aaa", "baab", "aa")
		if terms, _ := v.holding("a", affix{}, 10); !slices.Equal(terms, []string{"aaa", "baab", "aa"}) {
			t.Errorf("found %q", terms)
		}
	})
	t.Run("the limit says when there is more", func(t *testing.T) {
		var v Vocabulary
		v.Add("a1", "a2", "a3")
		if terms, more := v.holding("a", affix{}, 3); len(terms) != 3 || more {
			t.Errorf("at the limit: %q, more %v", terms, more)
		}
		if terms, more := v.holding("a", affix{}, 2); len(terms) != 2 || !more {
			t.Errorf("over the limit: %q, more %v", terms, more)
		}
	})
	t.Run("a hundred thousand tokens take four megabytes", func(t *testing.T) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		v := new(Vocabulary)
		for i := range 100_000 {
			v.Add(fmt.Sprintf("word%d", i))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if size := after.HeapAlloc - before.HeapAlloc; size > 3<<20 {
			t.Errorf("%d bytes", size)
		}
		if v.Len() != 100_000 || !v.Has("word99999") || v.Has("word100000") {
			t.Error("it lost or made up a token")
		}
	})
}

func TestVocabularyFindsWhatAScanFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("ab検é")), 1, 6, -1)
		terms := rapid.SliceOfDistinct(word, rapid.ID[string]).Draw(t, "terms")
		needle := word.Draw(t, "needle")
		where := affix{atStart: rapid.Bool().Draw(t, "start"), atEnd: rapid.Bool().Draw(t, "end")}
		var v Vocabulary
		v.Add(terms...)

		var want []string
		for _, term := range terms {
			if strings.Contains(term, needle) && (!where.atStart || strings.HasPrefix(term, needle)) &&
				(!where.atEnd || strings.HasSuffix(term, needle)) && (where != affix{true, true} || term == needle) {
				want = append(want, term)
			}
		}
		if got, more := v.holding(needle, where, len(terms)+1); more || !slices.Equal(got, want) {
			t.Fatalf("%q %v: got %q, want %q", needle, where, got, want)
		}
	})
}

func TestVocabularyIsReadWhileItGrows(t *testing.T) {
	var v Vocabulary
	v.Add("start")
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for v.Len() < 5000 {
				if !v.Has("start") {
					t.Error("a token is gone")
				}
				if terms, _ := v.holding("star", affix{}, 1); len(terms) != 1 {
					t.Error("a token is not found")
				}
			}
		})
	}
	for i := range 5000 {
		v.Add(fmt.Sprint(i))
	}
	readers.Wait()
}
