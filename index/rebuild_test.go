package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"issues-index/store/storetest"
)

func TestRebuild(t *testing.T) {
	t.Parallel()
	rounds := 1
	if storetest.Long() {
		rounds = 3
	}
	t.Run("says what it found, and touches no document", func(t *testing.T) {
		w := newTree(t, 20)
		w.write(".wrangler/issues/odd.md", "---\nstatus: someday\n---\n")
		ix, _ := w.open(Options{})
		before := w.print()
		var size int64
		for _, text := range w.texts() {
			size += int64(len(text))
		}
		s, err := ix.Rebuild(t.Context())
		w.must(err)
		problems, err := ix.ProblemDocuments(t.Context())
		w.must(err)
		if s.Documents != 21 || s.Bytes != size || s.Problems != problems || s.Problems == 0 || s.Seconds <= 0 {
			t.Errorf("summary %+v, %d documents with problems, %d bytes", s, problems, size)
		}
		w.check(ix)
		sound(t, ix)
		w.untouched(before)
	})

	t.Run("reports its progress up to the end", func(t *testing.T) {
		w := newTree(t, 100)
		ix, _ := w.open(Options{})
		last := 0
		_, err := ix.Rebuild(WithProgress(t.Context(), func(done, total int) {
			if total != 100 || done < last || done > total {
				t.Errorf("%d of %d after %d", done, total, last)
			}
			last = done
		}))
		w.must(err)
		if last != 100 {
			t.Errorf("it ended at %d", last)
		}
	})

	t.Run("another server answers all through it, changes included", func(t *testing.T) {
		w := newTree(t, 100)
		w.replacesOpenIndexes()
		ix, _ := w.open(Options{})
		reader, _ := w.open(Options{})
		verifier, _ := w.open(Options{Mode: ModeVerify})
		w.check(reader) // one that starts meanwhile would wait for its end
		w.check(verifier)
		for range rounds {
			n := 0
			_, err := ix.Rebuild(WithProgress(t.Context(), func(_, _ int) {
				w.write(fmt.Sprintf(".wrangler/issues/DOC-%04d.md", 5*n), w.text("DOC-0000")) // read already
				w.write(fmt.Sprintf(".wrangler/ideas/new-%d.md", n), w.text("NEW-0001"))
				n++
				w.checkWords(reader, fmt.Sprintf("zq%07d", w.words))
				w.checkWords(verifier, fmt.Sprintf("zq%07d", w.words))
			}))
			w.must(err)
			w.check(reader)
			w.check(verifier)
			w.check(ix)
		}
		sound(t, ix)
	})

	t.Run("gives up cursors with what they stood for, in every server", func(t *testing.T) {
		w := newTree(t, 20)
		w.replacesOpenIndexes()
		ix, _ := w.open(Options{})
		reader, _ := w.open(Options{})
		page, err := findPage(t.Context(), reader, Query{Limit: 5})
		w.must(err)
		old := reader.engine.build.generation
		_, err = ix.Rebuild(t.Context())
		w.must(err)
		for _, server := range []*Index{reader, ix} {
			var refused *CursorError
			if _, err := server.Find(t.Context(), Query{Cursor: page.Next}); !errors.As(err, &refused) || refused.Reason != CursorUnknown {
				t.Errorf("a cursor of before: %v", err)
			}
			if server.engine.build.generation == old {
				t.Error("the generation is the old one")
			}
			first, err := findPage(t.Context(), server, Query{Limit: 15})
			w.must(err)
			second, err := server.Find(t.Context(), Query{Cursor: first.Next})
			w.must(err)
			if len(first.Rows)+len(second.Rows) != 20 {
				t.Errorf("a cursor of after: %d and %d rows", len(first.Rows), len(second.Rows))
			}
		}
	})

	t.Run("several at once end well", func(t *testing.T) {
		w := newTree(t, 40)
		w.replacesOpenIndexes()
		var wg sync.WaitGroup
		for range 3 {
			ix, _ := w.open(Options{})
			wg.Go(func() {
				for range rounds {
					if _, err := ix.Rebuild(t.Context()); err != nil {
						t.Error(err)
					}
					if _, err := answersOf(t.Context(), ix, nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		ix, _ := w.open(Options{})
		w.check(ix)
		sound(t, ix)
	})
}

func TestRebuildThatIsBrokenOff(t *testing.T) {
	t.Parallel()
	rounds := 1
	if storetest.Long() {
		rounds = 3
	}
	t.Run("by its caller leaves the old index, and nothing else", func(t *testing.T) {
		w := newTree(t, 100)
		ix, _ := w.open(Options{})
		reader, _ := w.open(Options{})
		w.check(reader)
		for range rounds {
			ctx, cancel := context.WithCancel(t.Context())
			if _, err := ix.Rebuild(WithProgress(ctx, func(done, total int) { cancel() })); !errors.Is(err, context.Canceled) {
				t.Fatalf("it ended with %v", err)
			}
			w.check(reader)
			w.check(ix)
		}
		w.close(ix)
		w.close(reader)
		if names := w.cached(); !slices.Equal(names, closedFiles) {
			t.Errorf("left in the index's folder: %q", names)
		}
	})

	for _, halfway := range storetest.FewOf([]int{1, 2, 4}, 1) { // of four times that it reports its progress
		t.Run(fmt.Sprintf("by a kill after step %d leaves what the next start goes on with", halfway), func(t *testing.T) {
			w := newTree(t, 100)
			before := w.print()
			p := w.spawn(ModeWatch, nil)
			p.send(request{Do: "ask"})
			p.receive()
			p.rebuildUntil(halfway)
			if !slices.ContainsFunc(w.cached(), func(name string) bool { return strings.Contains(name, ".new-") }) {
				t.Fatalf("nothing is half done: %q", w.cached())
			}
			p.kill()
			ix, _ := w.open(Options{})
			w.check(ix)
			w.close(ix)
			if names := w.cached(); !slices.Equal(names, closedFiles) {
				t.Errorf("left in the index's folder: %q", names)
			}
			w.untouched(before)
		})
	}

	t.Run("by a kill leaves the other servers as they were", func(t *testing.T) {
		w := newTree(t, 100)
		ix, _ := w.open(Options{})
		w.check(ix)
		for round := range 2 {
			p := w.spawn(ModeWatch, nil)
			p.rebuildUntil(2 + 2*round)
			w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
			w.check(ix)
			if round > 0 {
				p.send(request{Do: "go on"}) // and put the new index in place, as far as it gets
			}
			p.kill()
			w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
			w.check(ix)
		}
		if _, err := ix.Rebuild(t.Context()); err != nil {
			t.Error("the next rebuild:", err)
		}
		w.check(ix)
		w.close(ix)
		again, _ := w.open(Options{})
		w.check(again)
		w.close(again)
		if names := w.cached(); !slices.Equal(names, closedFiles) {
			t.Errorf("left in the index's folder: %q", names)
		}
	})
}

// rebuildUntil has a process rebuild until it has reported its progress so often.
func (p *process) rebuildUntil(steps int) {
	p.Helper()
	p.send(request{Do: "rebuild"})
	for step := range steps {
		if step > 0 {
			p.send(request{Do: "go on"})
		}
		if r := p.receive(); r.Total == 0 {
			p.Fatalf("it was over after %d steps", step)
		}
	}
}
