package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// unexplained is how long a command may be silent that was not asked to index. The
// first one in a large workspace takes some seconds.
const unexplained = 500 * time.Millisecond

// progress says on a terminal what a person waits for, once that has taken so long;
// nil elsewhere.
func (p *program) progress(after time.Duration) func(done, total int) {
	if !isTerminal(p.errOut) {
		return nil
	}
	return (&waiting{out: p.errOut, after: after, now: time.Now}).tell
}

// A waiting draws a bar for each piece of work that a person waits for.
type waiting struct {
	out   io.Writer
	after time.Duration
	now   func() time.Time

	since time.Time // when the work began; zero between two pieces
	bar   *progressbar.ProgressBar
}

// tell is told how much of the work is done. A bar that cannot be drawn is no reason
// to stop working.
func (w *waiting) tell(done, total int) {
	if w.since.IsZero() {
		w.since = w.now()
	}
	if w.bar == nil && w.now().Sub(w.since) >= w.after && done < total {
		w.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(w.out),
			progressbar.OptionSetDescription("Indexing documents"),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(50*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	if w.bar != nil {
		_ = w.bar.Set(done)
	}
	if done == total {
		w.since, w.bar = time.Time{}, nil
	}
}
