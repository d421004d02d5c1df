package terminal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Notes returns a logger of notes for a person who runs one command.
func Notes(out io.Writer, level slog.Level) *slog.Logger { return slog.New(noteHandler{out, level}) }

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
	_, err := fmt.Fprintf(n.out, "note: %s\n", OneLine(line))
	return err
}

// WithAttrs and WithGroup do nothing: no package here uses them.
func (n noteHandler) WithAttrs([]slog.Attr) slog.Handler { return n }
func (n noteHandler) WithGroup(string) slog.Handler      { return n }

// Progress returns a function that draws a progress bar of the work on a terminal once that
// has taken so long; nil elsewhere.
func Progress(out io.Writer, work string, after time.Duration) func(done, total int) {
	if !Is(out) {
		return nil
	}
	return (&progressReporter{out: out, work: work, after: after, now: time.Now}).update
}

// A progressReporter draws a line for each piece of work.
type progressReporter struct {
	out   io.Writer
	work  string // what is done
	after time.Duration
	now   func() time.Time

	since, drawn time.Time // the start of the work, zero between two pieces; the last line
}

// update draws how much of the work is done, some times a second.
func (w *progressReporter) update(done, total int) {
	now := w.now()
	if w.since.IsZero() {
		w.since = now
	}
	switch {
	case done == total:
		if !w.drawn.IsZero() {
			fmt.Fprint(w.out, "\r\x1b[K")
		}
		w.since, w.drawn = time.Time{}, time.Time{}
	case now.Sub(w.since) >= w.after && now.Sub(w.drawn) >= 50*time.Millisecond:
		const width = 30
		bar := strings.Repeat("█", width*done/max(total, 1))
		fmt.Fprintf(w.out, "\r%s %3d%% |%-*s| (%d/%d)\x1b[K", w.work, 100*done/max(total, 1), width, bar, done, total)
		w.drawn = now
	}
}

// A waitingLine says on a terminal what a command waits for.
type waitingLine struct {
	out io.Writer

	mu    sync.Mutex
	shown bool
	ended bool
}

// Waiting shows a line on a terminal once the work has taken so long. The function that it returns
// takes the line away.
func Waiting(out io.Writer, what string, after time.Duration) (end func()) {
	if !Is(out) {
		return func() {}
	}
	line := &waitingLine{out: out}
	timer := time.AfterFunc(after, func() { line.show(what) })
	return func() {
		timer.Stop()
		line.end()
	}
}

func (l *waitingLine) show(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.shown = true
	fmt.Fprint(l.out, what)
}

// end takes the line away. Nothing is shown after it.
func (l *waitingLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.shown {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.shown = false
	}
}
