package telemetry

import (
	"fmt"
	"log/slog"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/tools"
)

// How much the writer writes at once, and how often it tries.
const (
	maxBatch   = 256         // calls in one transaction
	busyTries  = 10          // attempts on a locked file before a warning is logged
	restTime   = time.Minute // before a file that failed is tried again
	pruneEvery = time.Hour
	checkEvery = time.Minute // of the share of oversized answers
	warnEvery  = time.Hour   // about oversized answers, at most
)

// A queueWriter writes the queue of a recorder to its file, in one goroutine.
type queueWriter struct {
	*Recorder
	log *slog.Logger
	n   int64 // of the last call

	keeper sqlfile.Keeper

	pending []callRecord
	busy    int       // attempts in a row that found the file locked
	rest    time.Time // nothing is tried before
	failing bool      // a failure was logged, and no success since

	pruned, checked, warned time.Time
}

// run writes queued calls until the recorder closes.
func (w *queueWriter) run() {
	defer w.keeper.Close()
	timer := time.NewTimer(flushDelay)
	timer.Stop()
	waiting := false
	for {
		arrived := false
		select {
		case <-w.arrived:
			if arrived = true; waiting && w.busy == 0 { // a batch is full
				w.flush()
			}
		case <-timer.C:
			waiting = false
			w.flush()
		case written := <-w.flushes:
			w.flush()
			close(written)
		case <-w.closing:
			w.flush()
			return
		}
		if (arrived || len(w.pending) > 0) && !waiting {
			timer.Reset(flushDelay)
			waiting = true
		}
	}
}

// take adds a call to the pending ones. Their number is bounded: another process may
// keep the file locked.
func (w *queueWriter) take(call tools.Call) {
	if len(w.pending) >= queueSize {
		return
	}
	w.n++
	c := callRecord{Call: call, n: w.n}
	w.countTokens(&c)
	c.Text = nil
	w.pending = append(w.pending, c)
}

// flush writes the queued calls in batches. They stay pending while that fails.
func (w *queueWriter) flush() {
	for _, call := range w.dequeue() {
		w.take(call)
	}
	for len(w.pending) > 0 {
		if w.now().Before(w.rest) {
			return
		}
		batch := w.pending[:min(len(w.pending), maxBatch)]
		if err := w.write(batch); err != nil {
			w.failed(err)
			return
		}
		if w.busy = 0; w.failing {
			w.failing = false
			w.log.Info("calls are recorded again", "path", w.keeper.File().Path())
		}
		w.pending = append(w.pending[:0], w.pending[len(batch):]...)
	}
	w.tidy()
}

// write writes a batch.
func (w *queueWriter) write(batch []callRecord) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write telemetry: %v", p)
		}
	}()
	return w.keeper.Use(w.life, func(f *sqlfile.OpenFile) error { return callFile{f}.write(w.life, batch) })
}

// failed logs the first of several failures in a row. A file that another process is writing to
// is tried again soon.
func (w *queueWriter) failed(err error) {
	if sqlfile.Busy(err) {
		if w.busy++; w.busy < busyTries {
			return
		}
	} else {
		w.rest = w.now().Add(restTime)
	}
	if !w.failing && w.life.Err() == nil {
		w.failing = true
		w.log.Warn("calls are not recorded; answers are not affected", "error", err)
	}
}

// tidy keeps the file within its bounds, and checks for oversized answers.
func (w *queueWriter) tidy() {
	open := w.keeper.File()
	if open == nil || w.isClosing() {
		return
	}
	file := callFile{open}
	now, settings := w.now(), w.settings()
	full, err := file.full(w.life, settings.MaxSize, nearlyFull)
	if err == nil && (full || now.Sub(w.pruned) >= pruneEvery || now.Before(w.pruned)) {
		w.pruned = now
		err = file.prune(w.life, now, settings.MaxAge, settings.MaxSize)
	}
	if err == nil && (now.Sub(w.checked) >= checkEvery || now.Before(w.checked)) {
		w.checked = now
		err = w.checkOversized(file, now)
	}
	if err != nil && !sqlfile.Busy(err) {
		w.failed(err)
	}
}

// checkOversized warns, at most once an hour, when too many answers of the last hour
// would have been larger than their budget without the guard.
func (w *queueWriter) checkOversized(file callFile, now time.Time) error {
	var calls, oversized int
	err := file.QueryRowContext(w.life, `SELECT count(*), coalesce(sum(oversized), 0) FROM call WHERE time >= ?`,
		now.Add(-time.Hour).UnixMilli()).Scan(&calls, &oversized)
	if err != nil {
		return err
	}
	alert := Figures{Calls: calls, Oversized: oversized}.Alert()
	if alert.Firing && (now.Sub(w.warned) >= warnEvery || now.Before(w.warned)) {
		w.warned = now
		w.log.Warn("many answers of the last hour would have been larger than their budget",
			"share", alert.Share, "oversized", alert.Oversized, "calls", alert.Calls)
	}
	return nil
}
