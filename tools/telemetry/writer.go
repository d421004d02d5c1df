package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"

	"issues-index/store/cachedir"
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
	log     *slog.Logger
	pragmas []string
	n       int64        // of the last call
	codec   *codec.Codec // nil before the first call is counted

	file *callFile
	at   cachedir.Database // the location that was opened last, successfully or not
	seen os.FileInfo       // the file found there; nil when there was none
	ours bool              // that file could be opened

	pending []callRecord
	busy    int       // attempts in a row that found the file locked
	rest    time.Time // nothing is tried before
	failing bool      // a failure was logged, and no success since

	pruned, checked, warned time.Time
}

// run writes queued calls until the recorder closes.
func (w *queueWriter) run() {
	defer func() { w.lost.Add(int64(len(w.pending))) }()
	defer w.close()
	timer := time.NewTimer(flushDelay)
	timer.Stop()
	waiting := false
	for {
		select {
		case call := <-w.queue:
			w.take(call)
			if len(w.pending) >= maxBatch && w.busy == 0 {
				w.flush()
			}
		case <-timer.C:
			waiting = false
			w.flush()
		case written := <-w.flushes:
			w.drain()
			close(written)
		case <-w.closing:
			w.drain()
			return
		}
		if len(w.pending) > 0 && !waiting {
			timer.Reset(flushDelay)
			waiting = true
		}
	}
}

// take adds a call to the pending ones. Their number is bounded: another process may
// keep the file locked.
func (w *queueWriter) take(call tools.Call) {
	w.releaseText(call)
	if len(w.pending) >= queueSize {
		w.dropped.Add(1)
		return
	}
	w.n++
	c := callRecord{Call: call, n: w.n}
	w.countTokens(&c)
	c.Text = nil
	w.pending = append(w.pending, c)
}

// drain writes all queued calls.
func (w *queueWriter) drain() {
	for {
		select {
		case call := <-w.queue:
			w.take(call)
		default:
			w.flush()
			return
		}
	}
}

// flush writes the pending calls in batches. They stay pending while the file is
// locked or its folder is missing.
func (w *queueWriter) flush() {
	for len(w.pending) > 0 {
		batch := w.pending[:min(len(w.pending), maxBatch)]
		err := w.write(w.life, batch)
		switch {
		case err == nil:
			w.written.Add(int64(len(batch)))
			w.succeeded()
		case busy(err), errors.Is(err, fs.ErrNotExist): // the folder may come back
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

// errResting is returned until restTime after a failure, which is logged already.
var errResting = errors.New("telemetry is paused after a failure")

// write writes a batch. It moves a damaged file aside and starts a new one.
func (w *queueWriter) write(ctx context.Context, batch []callRecord) (err error) {
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
	if !damaged(err) || w.seen == nil {
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

// try writes a batch, after opening the file if necessary.
func (w *queueWriter) try(ctx context.Context, batch []callRecord) error {
	if w.file == nil {
		if err := w.open(ctx); err != nil {
			return err
		}
	}
	return w.file.write(ctx, batch)
}

func (w *queueWriter) open(ctx context.Context) (err error) {
	w.closeFolder()
	dir, name, err := w.place(ctx)
	if err != nil {
		return fmt.Errorf("place telemetry: %w", err)
	}
	w.at, w.ours = newDatabase(dir, name), false
	if w.seen, err = dir.Stat(name); err != nil {
		w.seen = nil // openFile creates it, or refuses it
	}
	if w.file, err = openFile(ctx, w.at, w.pragmas...); err != nil {
		w.file = nil
		return err
	}
	w.seen, w.ours = w.file.info, true
	return nil
}

func (w *queueWriter) close() {
	w.closeFile()
	w.closeFolder()
}

func (w *queueWriter) closeFile() {
	if w.file != nil {
		_ = w.file.Close() // everything is committed: at worst the -wal file stays
		w.file = nil
	}
}

func (w *queueWriter) closeFolder() {
	if w.at.Dir != nil {
		_ = w.at.Dir.Close() // it was only read
		w.at.Dir = nil
	}
}

// failed logs the first of several failures in a row.
func (w *queueWriter) failed(err error) {
	if errors.Is(err, errResting) || w.life.Err() != nil {
		return
	}
	text := err.Error()
	w.problem.Store(&text)
	if !w.failing {
		w.failing = true
		w.log.Warn("calls are not recorded; answers are not affected", "error", err)
	}
}

func (w *queueWriter) succeeded() {
	w.problem.Store(nil)
	if w.failing {
		w.failing = false
		w.log.Info("calls are recorded again", "path", w.file.path)
	}
}

// tidy keeps the file within its bounds, and checks for oversized answers.
func (w *queueWriter) tidy() {
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

// checkOversized warns, at most once an hour, when too many answers of the last hour
// would have been larger than their budget without the guard.
func (w *queueWriter) checkOversized(now time.Time) error {
	var calls, oversized int
	err := w.file.QueryRowContext(w.life, `SELECT count(*), coalesce(sum(oversized), 0) FROM call WHERE time >= ?`,
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
