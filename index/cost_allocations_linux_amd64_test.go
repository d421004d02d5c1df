package index_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
)

// allocations are how many a call makes at least, once it has been made before. Now and then a
// pool was emptied, or something happens in the background: that only adds some.
func (s *served) allocations(t *testing.T, c costed) int {
	t.Helper()
	const warm, rounds = 5, 25
	var each []int
	for n := range warm + rounds {
		s.call(t, "issues_stats", `{"groupBy":"type"}`, "") // takes in what the last change has left to follow
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.tool, c.round(100+n))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answer, err := json.Marshal(s.server.HandleMessage(t.Context(), json.RawMessage(message)))
		runtime.ReadMemStats(&after)
		if err != nil || strings.Contains(string(answer), `"isError":true`) != (c.refusal != "") {
			t.Fatalf("%s: %v %s", c.name, err, answer)
		}
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
	for _, name := range []string{"list", "list of 100", "get", "get, unknown id", "update"} {
		c := costedCalls[slices.IndexFunc(costedCalls, func(c costed) bool { return c.name == name })]
		n := s.allocations(t, c)
		if os.Getenv("UPDATE_GOLDEN") == "" {
			tolerance := 2 // percent; the least of 25 calls differed by 0.1 between runs, on one processor or two
			if name == "update" {
				tolerance = 8 // on a busy machine the watcher takes the file's events during the call: 4 to 6
			}
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
