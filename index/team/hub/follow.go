package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// A logFollower applies the order of versions to the mirror. One goroutine uses it.
type logFollower struct {
	*Hub
	files *mirror.CopyWriter
	from  uint64 // the position after which the following goes on
	room  *quota

	verifying *Verified // the verification under way, which ends at the tip of the log, nil for none
}

// errDue says that a verification is due.
var errDue = errors.New("the mirror is to be verified")

// run follows until ctx ends, and verifies at the start and whenever there is a reason to. That a node
// is lost is no reason: the following goes on from where it was.
func (f *logFollower) run(ctx context.Context) {
	again, done := f.o.Team.Reconnected()
	defer done()
	wait, isDue := firstPause, true
	for ctx.Err() == nil {
		var err error
		if isDue {
			err = f.verify(ctx)
		}
		if err == nil {
			err = f.follow(ctx, again)
			isDue = !errors.Is(err, share.ErrAway)
		}
		if ctx.Err() != nil || errors.Is(err, errDue) {
			continue
		}
		if f.failed(err) {
			wait = firstPause
		}
		select {
		case <-time.After(wait):
		case <-again:
			isDue = true
		case <-ctx.Done():
		}
		wait = min(2*wait, lastPause)
	}
}

// failed says why nothing is applied for now, and reports whether something was until now.
func (f *logFollower) failed(err error) (worked bool) {
	f.mu.Lock()
	worked = f.failure == nil
	isNew := worked || f.failure.Error() != err.Error()
	f.failure, f.atTip = err, false
	f.mu.Unlock()
	if isNew {
		f.o.Log.Warn("the hub does not follow for the moment", "error", err)
	}
	return worked
}

// follow applies versions as they come. The error is errDue when a verification is due: after the
// engine was away, when the log was set back, and after a day of following.
func (f *logFollower) follow(ctx context.Context, again <-chan struct{}) error {
	of := f.o.Of
	of.Refused = f.refuse
	end := f.o.Now().Add(verifyEvery)
	for batch, err := range f.o.Team.Follow(ctx, f.from, of) {
		switch {
		case err != nil:
		case len(batch) > 0:
			err = f.apply(ctx, batch)
		default:
			err = f.caughtUp(ctx)
		}
		if err != nil {
			return err
		}
		select {
		case <-again:
			return errDue
		default:
		}
		if f.o.Now().After(end) {
			return errDue
		}
	}
	return errDue
}

// refuse keeps what is wrong with a message.
func (f *logFollower) refuse(e *share.MessageError) {
	key := cmp.Or(e.Path, strconv.FormatUint(e.Position, 10))
	f.noteUnused(e.Branch, key, UnusedVersion{e.Path, e.Position, e.Reason})
}

// apply applies a batch: first the files, then the index, then the position.
func (f *logFollower) apply(ctx context.Context, batch []share.DocumentVersion) error {
	for _, v := range batch {
		if err := f.put(v); err != nil {
			return err
		}
	}
	if err := f.files.Mark(); err != nil {
		return err
	}
	f.catchUp(ctx)
	f.mu.Lock()
	now := f.state
	f.atTip = false
	f.mu.Unlock()
	f.from = batch[len(batch)-1].Position
	now.Applied = max(now.Applied, f.from)
	return f.saveState(now)
}

// caughtUp is told that all up to now was applied, or that there is nothing new.
func (f *logFollower) caughtUp(ctx context.Context) error {
	log, err := f.o.Team.LogState(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	isSetBack := f.state.isSetBack(log)
	if !isSetBack {
		f.last, f.failure, f.atTip = log.Last, nil, true
		f.state.AsOf = f.o.Now()
	}
	now := f.state
	f.mu.Unlock()
	switch {
	case isSetBack:
		return errDue
	case f.verifying == nil:
		return nil
	}
	if err := f.saveState(now); err != nil {
		return err
	}
	f.endVerification(ctx)
	return nil
}

// isSetBack reports whether a log is another or an older one than the state's.
func (s hubState) isSetBack(log share.LogState) bool {
	return log.Last < s.Applied || !s.Born.IsZero() && !s.Born.Equal(log.Born)
}

// saveState makes a state known, first to the next process.
func (f *logFollower) saveState(now hubState) error {
	if err := now.write(f.cache); err != nil {
		return fmt.Errorf("write how far the hub has come: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failure = nil
	f.set(now)
	return nil
}

// catchUp has the index take over what was written, so that the next call need not.
func (f *logFollower) catchUp(ctx context.Context) {
	if f.index == nil {
		return
	}
	ix, release, err := f.index.Acquire(ctx)
	if err == nil {
		err = ix.CatchUp(ctx)
		release()
	}
	if err != nil && ctx.Err() == nil {
		f.o.Log.Warn("the index does not take over what was published; the next call tries again", "error", err)
	}
}

// put writes the file of a version, or removes it. What has no place in a mirror is not used, and
// neither is what this system cannot write; an error is about the mirror itself.
func (f *logFollower) put(v share.DocumentVersion) error {
	err := f.place(v)
	if err == nil {
		f.clearUnused(v.Branch, v.Path)
		if !v.Gone {
			f.checkHeld(v.Branch, v.Path, v.Position)
		}
		return nil
	}
	reason := "cannot be written here: " + err.Error()
	var unsafe mirror.UnsafeError
	if errors.As(err, &unsafe) {
		reason = string(unsafe)
	} else if broken := f.files.Check(); broken != nil {
		return fmt.Errorf("write the mirror: %w", broken)
	}
	f.noteUnused(v.Branch, v.Path, UnusedVersion{v.Path, v.Position, reason})
	return nil
}

// checkHeld names a document that its branch's manifest has no place for. Its file is there all
// the same: the manifest may follow.
func (f *logFollower) checkHeld(b mirror.Branch, path string, position uint64) {
	if held, known := f.files.Holds(b, path); known && !held {
		f.noteUnused(b, path, UnusedVersion{path, position, "is in no folder of its workspace that has documents"})
	}
}

func (f *logFollower) place(v share.DocumentVersion) (err error) {
	more := -documentCost(f.files.Size(v.Branch, v.Path))
	if v.Gone {
		err = f.files.Delete(v.Branch, v.Path)
	} else {
		more += documentCost(int64(len(v.Data)))
		if !f.room.has(v.Branch.Workspace, more) {
			return mirror.UnsafeError(f.room.full())
		}
		err = f.files.Put(v.Branch, v.Path, v.Data)
	}
	if err == nil {
		f.room.take(v.Branch.Workspace, more)
	}
	return err
}
