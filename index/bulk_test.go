package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"
)

// addMany writes so many documents to a folder that does not exist yet, which appears
// with all of them at once, as by a checkout.
func (w *tree) addMany(n int, dir string) {
	w.Helper()
	w.mkdir("stage")
	for i := range n {
		w.write(fmt.Sprintf("stage/MANY-%05d.md", i), w.text(fmt.Sprintf("MANY-%05d", i)))
	}
	w.rename("stage", dir)
}

// replacesOpenIndexes skips a test where no index is built again that another server has open.
func (w *tree) replacesOpenIndexes() {
	w.Helper()
	if !replacesOpenFiles {
		w.Skip("an index that another server has open is not replaced there")
	}
}

func (w *tree) builds(ix *Index) string {
	w.Helper()
	w.replacesOpenIndexes()
	w.checkWords(ix)
	return ix.engine.build.generation
}

func TestManyChangedFilesAreTakenInByANewBuild(t *testing.T) {
	t.Parallel()
	w := newTree(t, 20)
	w.write(".wrangler/issues/ISS-000777.md", w.text("ISS-000777"))
	ix, log := w.open(Options{})
	other, _ := w.open(Options{})
	w.check(ix)
	w.check(other)
	w.remove(".wrangler/issues/ISS-000777.md")
	first := w.builds(ix)

	w.addMany(bulk, ".wrangler/issues/many")
	if second := w.builds(ix); second == first {
		t.Error("the files that came were written row by row")
	} else if w.builds(other) != second {
		t.Error("each server builds an index of its own")
	}
	w.checkWords(ix, fmt.Sprintf("zq%07d", w.words))
	if p, err := ix.CreateConstraints(t.Context(), "issue", "issue", "new"); err != nil || p.Highest != 777 {
		t.Errorf("the highest number of ids is %d, %v, and was 777", p.Highest, err)
	}
	sound(t, ix)

	before := w.builds(ix)
	w.write(".wrangler/issues/many/MANY-00001.md", w.text("MANY-00001"))
	w.checkWords(ix, fmt.Sprintf("zq%07d", w.words))
	if w.builds(ix) != before {
		t.Error("one changed file made it build a new index")
	}
	w.remove(".wrangler/issues/many")
	if w.builds(other) == before {
		t.Error("the files that went were dropped row by row")
	}
	w.check(ix)
	sound(t, other)
	if l := log.all(); len(l) > 0 {
		t.Errorf("warnings: %q", l)
	}
	if names, err := os.ReadDir(w.abs(".wrangler/cache")); err == nil {
		for _, n := range names {
			if len(n.Name()) > len("issues-index.db.lock")+5 {
				t.Errorf("left behind: %s", n.Name())
			}
		}
	}
}

func TestManyChangedFilesEndNoPaging(t *testing.T) {
	t.Parallel()
	w := newTree(t, 20)
	c := &sharedClock{now: time.Now()}
	ix, _ := w.open(Options{Now: c.Now})
	page, err := findPage(t.Context(), ix, Query{Limit: 12})
	w.must(err)
	before := w.builds(ix)
	w.addMany(bulk, ".wrangler/issues/many")
	if w.builds(ix) != before {
		t.Error("the index was built again under an open cursor")
	}
	rest, err := ix.Find(t.Context(), Query{Cursor: page.Next})
	w.must(err)
	if len(page.Rows)+len(rest.Rows) != 20 {
		t.Errorf("pages of %d and %d rows", len(page.Rows), len(rest.Rows))
	}
	c.advance(cursorLife - cursorRenewal + cursorPromise)
	w.remove(".wrangler/issues/many")
	if w.builds(ix) == before {
		t.Error("the index was not built again under a cursor that nobody has used for long")
	}
}

// An expiring context runs out of time when a test says so.
type expiring struct {
	context.Context
	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }

func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func (e expiring) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), true }

func TestACallThatGivesUpLeavesTheIndexCatchingUp(t *testing.T) {
	t.Parallel()
	w := newTree(t, 20)
	reports, goOn := make(chan int), make(chan struct{})
	ix, _ := w.open(Options{Progress: func(done, total int) {
		if done == 0 || done == total {
			return
		}
		select {
		case reports <- total:
			<-goOn
		case <-goOn:
		}
	}})
	w.checkWords(ix) // too few files for a report that is not the last
	w.addMany(2*refreshBatch, ".wrangler/issues/many")

	over := make(chan struct{})
	answered := make(chan error)
	go func() {
		_, err := ix.Find(expiring{t.Context(), over}, Query{Limit: 1})
		answered <- err
	}()
	total := <-reports
	if total < 2*refreshBatch {
		t.Errorf("%d files are to be done", total)
	}
	close(over)
	wantBehind := func(err error) {
		t.Helper()
		var behind *BehindError
		if !errors.As(err, &behind) || behind.Total != total || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call that gave up says: %v", err)
		}
	}
	wantBehind(<-answered)
	_, err := ix.Find(expiring{t.Context(), over}, Query{Limit: 1}) // one that only waits
	wantBehind(err)
	close(goOn)
	w.checkWords(ix)
}
