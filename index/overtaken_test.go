package index

import (
	"testing"
	"time"
)

// A rebuild by one server overtakes a read by another that has looked at the old
// index and goes on with the new one. The clock, which both ask on their way,
// tells the test where they are.
func TestReadThatARebuildOvertakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mode   Mode
		before func(w *tree, reader *Index) // the rebuild has read all files, the reader may read
		during func(w *tree)                // what the overtaken read applies
		clock  int                          // when it asks the clock for the time of a change
	}{
		"a scan does not vouch for an index it has not compared": {
			mode: ModeVerify,
			before: func(w *tree, reader *Index) {
				w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
				w.checkWords(reader)
			},
			during: func(w *tree) { w.write(".wrangler/ideas/DOC-0004.md", w.text("DOC-0004")) },
			clock:  2, // 1 is the scan's own
		},
		"no word is taken for known that the new index lacks": {
			mode: ModeWatch,
			before: func(w *tree, reader *Index) {
				w.words = 500
				w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
				w.checkWords(reader)
			},
			during: func(w *tree) {
				w.words = 500
				w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000")+"And more.\n")
			},
			clock: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTree(t, 10)
			w.replacesOpenIndexes()
			inChange, swapped, overtaken := make(chan struct{}), make(chan struct{}), make(chan struct{})
			asked := -1 // how often the reader asked, -1 while nobody counts
			reader, _ := w.open(Options{Mode: test.mode, Now: func() time.Time {
				if asked >= 0 {
					if asked++; asked == test.clock {
						close(inChange)
						<-swapped
					}
				}
				return time.Now()
			}})
			w.check(reader)
			rebuilding := false
			rebuilder, _ := w.open(Options{Mode: ModeVerify, Now: func() time.Time {
				if rebuilding { // the new index is in place, and not compared yet
					rebuilding = false
					close(swapped)
					<-overtaken
				}
				return time.Now()
			}})
			w.check(rebuilder)

			_, err := rebuilder.Rebuild(WithProgress(t.Context(), func(done, total int) {
				if done < total {
					return
				}
				test.before(w, reader)
				test.during(w)
				asked = 0
				go func() {
					defer close(overtaken)
					w.check(reader)
				}()
				<-inChange
				rebuilding = true
			}))
			w.must(err)
			w.check(rebuilder)
			w.check(reader)
		})
	}
}
