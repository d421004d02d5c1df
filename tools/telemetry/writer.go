package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"issues-index/store/cachedir"
)

// The writer's patience.
const (
	maxBatch   = 256         // calls of one transaction
	busyTries  = 10          // writes in a row that may have to wait, before it is said
	restTime   = time.Minute // before a file that fails is tried again
	pruneEvery = time.Hour
	checkEvery = time.Minute // the share of oversized answers
	warnEvery  = time.Hour
)

// A writer is the one goroutine of a recorder that has the file.
type writer struct {
	*Recorder
	log     *slog.Logger
	pragmas []string
	n       int64 // of the last call, to tell those of one millisecond apart

	file *file
	at   cachedir.Database // of the file that was opened last, or could not be
	seen os.FileInfo       // the file there, as it was then; nil when there was none
	ours bool              // it could be opened

	pending []entry
	busy    int       // writes in a row that had to wait
	rest    time.Time // until then nothing is tried
	failing bool      // a failure was logged, and no success since

	pruned, checked, warned time.Time
}

// run writes what comes until the recorder closes and nothing more is counted.
func (w *writer) run(counted <-chan struct{}) {
	defer func() { w.lost.Add(int64(len(w.pending))) }()
	defer w.close()
	timer := time.NewTimer(flushDelay)
	timer.Stop()
	waiting := false
	for {
		select {
		case e := <-w.queue:
			w.take(e)
			if len(w.pending) >= maxBatch && w.busy == 0 {
				w.flush()
			}
		case <-timer.C:
			waiting = false
			w.flush()
		case written := <-w.flushes:
			w.drain()
			close(written)
		case <-counted:
			w.drain()
			return
		}
		if len(w.pending) > 0 && !waiting {
			timer.Reset(flushDelay)
			waiting = true
		}
	}
}

// take puts a call to those that wait to be written. While another process is in
// the way their number is bounded.
func (w *writer) take(e entry) {
	if len(w.pending) >= queueSize {
		w.dropped.Add(1)
		return
	}
	w.pending = append(w.pending, e)
}

// drain writes all that is queued.
func (w *writer) drain() {
	for {
		select {
		case e := <-w.queue:
			w.take(e)
		default:
			w.flush()
			return
		}
	}
}

// flush writes what waits, a batch at a time. What another process, or a missing
// workspace, is in the way of goes on waiting.
func (w *writer) flush() {
	for len(w.pending) > 0 {
		batch := w.pending[:min(len(w.pending), maxBatch)]
		err := w.write(w.life, batch)
		switch {
		case err == nil:
			w.written.Add(int64(len(batch)))
			w.succeeded()
		case busy(err), errors.Is(err, fs.ErrNotExist): // the folder, which may come back
			if w.busy++; w.busy == busyTries {
				w.failed(err)
			}
			return
		default:
			w.lost.Add(int64(len(batch)))
			w.failed(err)
			w.rest = w.now().Add(restTime)
		}
		w.busy = 0
		w.pending = append(w.pending[:0], w.pending[len(batch):]...)
	}
	w.tidy()
}

// errResting stands for the failure that was logged when the rest began.
var errResting = errors.New("telemetry rests after a failure")

// write writes a batch. A damaged file is moved aside, and a new one begun.
func (w *writer) write(ctx context.Context, batch []entry) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write telemetry: %v", p)
		}
	}()
	if w.now().Before(w.rest) {
		return errResting
	}
	if w.file != nil && w.file.replaced() {
		w.closeFile()
	}
	err = w.try(ctx, batch)
	if !damaged(err) {
		return err
	}
	if w.seen == nil {
		return err
	}
	damagedFile := w.at
	w.closeFile()
	aside, moved := moveAside(ctx, damagedFile, w.seen, w.ours)
	if moved != nil {
		return errors.Join(err, moved)
	}
	w.log.Warn("the telemetry file was damaged, a new one is begun", "path", damagedFile.Path(), "kept", aside, "error", err)
	return w.try(ctx, batch)
}

// try writes a batch, to a file that is opened when none is.
func (w *writer) try(ctx context.Context, batch []entry) error {
	if w.file == nil {
		if err := w.open(ctx); err != nil {
			return err
		}
	}
	return w.file.write(ctx, batch, func() int64 { w.n++; return w.n })
}

func (w *writer) open(ctx context.Context) (err error) {
	w.closeFolder()
	dir, name, err := w.place(ctx)
	if err != nil {
		return fmt.Errorf("place telemetry: %w", err)
	}
	w.at, w.ours = newDatabase(dir, name), false
	if w.seen, err = dir.Stat(name); err != nil {
		w.seen = nil // it will be made, or is refused
	}
	if w.file, err = openFile(ctx, w.at, w.pragmas...); err != nil {
		w.file = nil
		return err
	}
	w.seen, w.ours = w.file.info, true
	return nil
}

func (w *writer) close() {
	w.closeFile()
	w.closeFolder()
}

func (w *writer) closeFile() {
	if w.file != nil {
		_ = w.file.Close() // all is written: at worst its log stays beside it
		w.file = nil
	}
}

func (w *writer) closeFolder() {
	if w.at.Dir != nil {
		_ = w.at.Dir.Close() // it was only gone through
		w.at.Dir = nil
	}
}

// failed logs the first failure of several in a row.
func (w *writer) failed(err error) {
	if errors.Is(err, errResting) || w.life.Err() != nil {
		return
	}
	text := err.Error()
	w.problem.Store(&text)
	if !w.failing {
		w.failing = true
		w.log.Warn("calls are not recorded; they are answered as ever", "error", err)
	}
}

func (w *writer) succeeded() {
	w.problem.Store(nil)
	if w.failing {
		w.failing = false
		w.log.Info("calls are recorded again", "path", w.file.path)
	}
}

// tidy keeps the file within its bounds, and looks at what is in it.
func (w *writer) tidy() {
	if w.file == nil || w.isClosing() {
		return
	}
	now, settings := w.now(), w.settings()
	full, err := w.file.full(w.life, settings.MaxSize)
	if err == nil && (full || now.Sub(w.pruned) >= pruneEvery || now.Before(w.pruned)) {
		w.pruned = now
		err = w.file.prune(w.life, now, settings.MaxAge, settings.MaxSize)
	}
	if err == nil && (now.Sub(w.checked) >= checkEvery || now.Before(w.checked)) {
		w.checked = now
		err = w.checkOversized(now)
	}
	if err != nil && !busy(err) {
		w.failed(err)
	}
}

// checkOversized warns when too many of the last hour's answers would have been
// larger than their budget without the guard, once an hour at most.
func (w *writer) checkOversized(now time.Time) error {
	alert, err := lastHour(w.life, w.file, now)
	if err != nil {
		return err
	}
	if alert.Firing && (now.Sub(w.warned) >= warnEvery || now.Before(w.warned)) {
		w.warned = now
		w.log.Warn("many answers of the last hour would have been larger than their budget",
			"share", alert.Share, "oversized", alert.Oversized, "calls", alert.Calls)
	}
	return nil
}
