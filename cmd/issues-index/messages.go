package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A noteHandler writes log records for a person who runs one command: a sentence without
// time and level.
type noteHandler struct {
	out   io.Writer
	level slog.Level
}

func (n noteHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= n.level }

func (n noteHandler) Handle(_ context.Context, r slog.Record) error {
	var details []string
	r.Attrs(func(a slog.Attr) bool {
		details = append(details, a.Key+" "+strings.ReplaceAll(a.Value.String(), "\n", "; "))
		return true
	})
	line := r.Message
	if len(details) > 0 {
		line += " (" + strings.Join(details, ", ") + ")"
	}
	_, err := fmt.Fprintf(n.out, "note: %s\n", oneLine(line))
	return err
}

// WithAttrs and WithGroup do nothing: no package here uses them.
func (n noteHandler) WithAttrs([]slog.Attr) slog.Handler { return n }
func (n noteHandler) WithGroup(string) slog.Handler      { return n }

// progressDelay is how long a command that has to index first may be silent. The first one
// in a large workspace takes some seconds.
const progressDelay = 500 * time.Millisecond

// progress returns a function that draws a progress bar of the work on a terminal once that
// has taken so long; nil elsewhere.
func (p *program) progress(work string, after time.Duration) func(done, total int) {
	if !isTerminal(p.errOut) {
		return nil
	}
	return (&progressReporter{out: p.errOut, work: work, after: after, now: time.Now}).update
}

// A progressReporter draws a bar for each piece of work.
type progressReporter struct {
	out   io.Writer
	work  string // what is done
	after time.Duration
	now   func() time.Time

	since time.Time // start of the work; zero between two pieces
	bar   *progressbar.ProgressBar
}

// update draws how much of the work is done. It ignores errors of drawing.
func (w *progressReporter) update(done, total int) {
	if w.since.IsZero() {
		w.since = w.now()
	}
	if w.bar == nil && w.now().Sub(w.since) >= w.after && done < total {
		w.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(w.out),
			progressbar.OptionSetDescription(w.work),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(50*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	if w.bar != nil {
		w.bar.ChangeMax(total)
		_ = w.bar.Set(done)
	}
	if done == total {
		w.since, w.bar = time.Time{}, nil
	}
}
