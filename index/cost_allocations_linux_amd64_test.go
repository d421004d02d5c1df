package index_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
)

// allocations are how many some calls, one after the other, make at least, once they have been
// made before. Now and then a pool was emptied, or something happens in the background: that
// only adds some.
func (s *served) allocations(t *testing.T, calls []costed) int {
	t.Helper()
	const warm, rounds = 5, 25
	var each []int
	for n := range warm + rounds {
		s.call(t, "issues_stats", `{"groupBy":"type"}`, "") // takes in what the last change has left to follow
		var arguments []string
		for _, c := range calls {
			arguments = append(arguments, c.round(100+n))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i, c := range calls {
			s.ask(t.Context(), t, c.tool, arguments[i], c.refusal)
		}
		runtime.ReadMemStats(&after)
		if n >= warm {
			each = append(each, int(after.Mallocs-before.Mallocs))
		}
	}
	return slices.Min(each)
}

// TestAllocationsOfACall holds how many allocations the calls make that agents make most, in
// a plain workspace. It is not parallel to others: those of the whole process are counted.
func TestAllocationsOfACall(t *testing.T) {
	if index.Raced || testing.CoverMode() != "" {
		t.Skip("the race detector and the counters of coverage change what is allocated")
	}
	s := serveDocuments(t, 100)
	s.watched(t)
	const golden = "allocations.golden"
	usual := usualCounts(t, golden)
	var b strings.Builder
	for _, names := range [][]string{
		{"list"}, {"list of 100"}, {"get"}, {"get, unknown id"},
		// The events of the file fall into the update or into the read after it.
		{"update", "stats by status"},
	} {
		var calls []costed
		for _, name := range names {
			calls = append(calls, costedCalls[slices.IndexFunc(costedCalls, func(c costed) bool { return c.name == name })])
		}
		n, name := s.allocations(t, calls), strings.Join(names, " and ")
		if os.Getenv("UPDATE_GOLDEN") == "" {
			const tolerance = 2 // percent; the least of 25 rounds differed by 0.6 between runs on a busy machine
			switch want := usual[name]; {
			case 100*n > (100+tolerance)*want:
				t.Errorf("%s became dearer: %d allocations, %d in %s (UPDATE_GOLDEN=1 rewrites it)", name, n, want, golden)
			case 100*n < (100-tolerance)*want:
				t.Errorf("%s became cheaper: %d allocations, %d in %s; write it again with UPDATE_GOLDEN=1", name, n, want, golden)
			default:
				n = want
			}
		}
		fmt.Fprintf(&b, "%5d %s\n", n, name)
	}
	if !t.Failed() {
		compareGolden(t, golden, b.String())
	}
}
