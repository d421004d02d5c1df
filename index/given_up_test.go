package index_test

import (
	"context"
	"testing"

	"issues-index/index"
	"issues-index/store/storetest"
)

// A request that is given up runs no further statement, whatever it has begun: what ends a
// transaction aside.
func TestRequestsGivenUpRunNoFurtherStatement(t *testing.T) {
	t.Parallel()
	s := serveDocuments(t, 100)
	for name, ask := range storetest.Few(s.methods(), 12) {
		all := 0
		if err := ask(index.Observed(t.Context(), func(string) { all++ })); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, at := range storetest.FewOf([]int{1, all / 2, all - 1}, 1) {
			ctx, cancel := context.WithCancel(t.Context())
			run, late := 0, 0
			err := ask(index.Observed(ctx, func(string) {
				if run++; run == at {
					cancel()
				} else if run > at {
					late++
				}
			}))
			cancel()
			if err := s.CatchUp(t.Context()); err != nil { // until what was begun has ended
				t.Fatal(err)
			}
			const ending = 30 // statements of one change of the index that was begun: others wait for it, too
			if late > ending {
				t.Errorf("%s, given up at statement %d of %d: %d more, and %v", name, at, all, late, err)
			}
		}
	}
}
