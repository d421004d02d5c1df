package index

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"issues-index/store/storetest"
)

// A stepping is a context that calls step whenever somebody asks whether it has ended, as the walk
// does before each of its levels.
type stepping struct {
	context.Context
	step func()
}

func (s stepping) Err() error {
	s.step()
	return nil
}

// A document that another program moves to and fro between two folders is in every list once,
// whatever step the look at the files is at when it moves.
func TestAMovingDocumentIsInEveryList(t *testing.T) {
	t.Parallel()
	const documents = 5
	places := [2]string{".wrangler/issues/area/deep/DOC-0002.md", ".wrangler/issues/DOC-0002.md"}
	for _, mode := range []Mode{ModeWatch, ModeVerify} {
		for _, moves := range storetest.FewOf([]int{1, 2, 3}, 1) {
			t.Run(fmt.Sprintf("%v, %d moves", mode, moves), func(t *testing.T) {
				t.Parallel()
				w := newTree(t, documents)
				ix, _ := w.open(Options{Mode: mode})
				w.checkWords(ix)
				if mode == ModeWatch {
					w.watching(ix) // or the test is skipped
				}
				at := 0
				for first, all := 1, false; !all; first++ {
					w.write(places[at], w.text("DOC-0002")) // so that there is something to look at
					if mode == ModeWatch {
						w.must(ix.currentWatcher().Barrier())
					}
					var mu sync.Mutex
					n, ended := 0, false
					move := func() {
						mu.Lock()
						defer mu.Unlock()
						if n++; !ended && n >= first && n < first+moves {
							if err := os.Rename(w.abs(places[at]), w.abs(places[1-at])); err != nil {
								t.Error(err)
							}
							at = 1 - at
						}
					}
					ctx := Observed(stepping{t.Context(), move}, func(string) { move() })
					w.must(ix.lock(ctx))
					err := ix.applyPending(ctx)
					ix.unlock()
					w.must(err)
					mu.Lock()
					ended = true // a goroutine of the last statement may ask once more
					all = n < first
					mu.Unlock()
					var listed int
					w.must(ix.db.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM document`).Scan(&listed))
					if listed != documents {
						t.Fatalf("%d of %d documents are listed when one moves at step %d of %d", listed, documents, first, n)
					}
				}
				w.check(ix)
			})
		}
	}
}
