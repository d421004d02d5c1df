package index

import (
	"testing"
	"time"

	"issues-index/store/storetest"
)

// A pair of servers: scanner compares all files before each read, and does
// something else in the middle: when it has read what has changed, and has not
// applied it. It asks its clock then. The other is told of changes, and never
// looks twice: whatever the scanner spoils stays spoilt.
type pair struct {
	*tree
	scanner, other *Index
	between        func()
}

func newPair(t *testing.T) *pair {
	p := &pair{tree: newTree(t, 10)}
	asked := 0
	p.scanner, _ = p.open(Options{Mode: ModeVerify, Now: func() time.Time {
		if p.between == nil {
			return time.Now()
		}
		if asked++; asked == 2 { // 1 is the scan's own time
			between := p.between
			p.between, asked = nil, 0
			between()
		}
		return time.Now()
	}})
	p.check(p.scanner)
	p.other, _ = p.open(Options{})
	p.watching(p.other)
	return p
}

// scan has the scanner compare all files after a change that it finds, and in the middle of it
// the other take in another one. Until then the other is kept from the first, which it would
// else take in before the scanner looks when that waits for a processor.
func (p *pair) scan(found, change func()) {
	p.Helper()
	ran := false
	p.other.sync <- struct{}{}
	found()
	p.between = func() {
		ran = true
		<-p.other.sync
		change()
		p.check(p.other)
	}
	_, err := p.scanner.Find(p.Context(), Query{Limit: 1})
	p.must(err)
	if !ran {
		<-p.other.sync // which closing it waits for
		p.Fatal("the scan found nothing to apply: the test proves nothing")
	}
	p.check(p.other)
	p.check(p.scanner)
}

func TestScanThatChangesOvertake(t *testing.T) {
	t.Parallel()
	const document = ".wrangler/issues/DOC-0000.md"
	for name, test := range storetest.Few(map[string]struct{ found, meanwhile func(w *tree) }{
		"does not take a row back to what the file was": {
			func(w *tree) { w.write(document, w.text("DOC-0000")) },
			func(w *tree) { w.write(document, w.text("DOC-0000")) },
		},
		"does not either when size and time are the same": {
			func(w *tree) { w.write(document, w.text("DOC-0000")) },
			func(w *tree) {
				at := (&hand{tree: w}).timeOf(document)
				w.write(document, w.text("DOC-0000"))
				(&hand{tree: w}).setTime(document, at)
			},
		},
		"does not remove a document that came back": {
			func(w *tree) { w.remove(document) },
			func(w *tree) { w.write(document, w.text("DOC-0000")) },
		},
		"does not remove a document that came": {
			func(w *tree) { w.write(document, w.text("DOC-0000")) },
			func(w *tree) { w.write(".wrangler/issues/new.md", w.text("NEW-0001")) },
		},
		"does not bring back a document that was deleted": {
			func(w *tree) { w.write(document, w.text("DOC-0000")) },
			func(w *tree) { w.remove(document) },
		},
		"does not bring in a document that was there for a moment": {
			func(w *tree) { w.write(".wrangler/issues/new.md", w.text("NEW-0001")) },
			func(w *tree) { w.remove(".wrangler/issues/new.md") },
		},
		"does not keep a moved document in two places": {
			func(w *tree) { w.write(document, w.text("DOC-0000")) },
			func(w *tree) { w.rename(document, ".wrangler/issues/archived/DOC-0000.md") },
		},
		"does not undo a move back": {
			func(w *tree) { w.rename(document, ".wrangler/issues/archived/DOC-0000.md") },
			func(w *tree) { w.rename(".wrangler/issues/archived/DOC-0000.md", document) },
		},
		"does not mistake one file for the other that took its place": {
			func(w *tree) {
				w.write(document, w.text("DOC-0000"))
				w.write(".wrangler/issues/DOC-0005.md", w.text("DOC-0005"))
			},
			func(w *tree) {
				w.rename(document, "kept")
				w.rename(".wrangler/issues/DOC-0005.md", document)
				w.rename("kept", ".wrangler/issues/DOC-0005.md")
			},
		},
		"does not fill a folder that is gone": {
			func(w *tree) {
				w.mkdir(".wrangler/ideas/new")
				w.write(".wrangler/ideas/new/one.md", w.text("ONE-0001"))
				w.write(".wrangler/ideas/new/two.md", w.text("TWO-0001"))
			},
			func(w *tree) { w.rename(".wrangler/ideas/new", "away") },
		},
		"does not empty a folder that came back": {
			func(w *tree) { w.rename(".wrangler/ideas", "away") },
			func(w *tree) { w.rename("away", ".wrangler/ideas") },
		},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			p.scan(func() { test.found(p.tree) }, func() { test.meanwhile(p.tree) })
			sound(t, p.other)
		})
	}

	t.Run("does nothing wrong whatever they are", func(t *testing.T) {
		t.Parallel()
		p := newPair(t)
		h := newHand(p.tree, seeded(t))
		p.check(p.other)
		for range often(8) {
			// One change that is sure to be found, and any other.
			p.scan(func() {
				h.write(h.document(), h.text(h.id()))
				kinds[h.IntN(len(kinds))].change(h)
			}, func() { kinds[h.IntN(len(kinds))].change(h) })
			h.thin(h.texts(), 40)
		}
		sound(t, p.other)
	})
}
