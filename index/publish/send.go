package publish

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"time"

	"issues-index/index/share"
)

const (
	// maxBatch and maxBatchBytes bound what is published at once: a lease is looked at
	// between two batches.
	maxBatch      = 256
	maxBatchBytes = 8 << 20
	// maxConflicts is how often a document is published in place of another machine's before
	// that is left to people.
	maxConflicts = 3
)

// send publishes changes, a batch at a time.
func (s *duty) send(ctx context.Context, changes []pendingChange) error {
	for len(changes) > 0 {
		if err := s.keepLine(ctx); err != nil {
			return err
		}
		if s.line == "" { // lost
			return errAgain
		}
		s.announce(ctx)
		batch, rest := s.readBatch(changes)
		if !s.branch.settled() { // the files may be those of another branch by now
			return errAgain
		}
		if err := s.sendBatch(ctx, batch); err != nil {
			return err
		}
		changes = rest
		s.setWaiting(len(changes))
		if s.kept.isDue(s.p.wall(), s.p.rhythm.tick) { // while many are published
			s.keepStatus(ctx)
		}
	}
	s.announce(ctx)
	return nil
}

// readBatch reads the files of the next changes. One that is gone, or that cannot be read, is
// left out: the index is going to say so, or it is a problem.
func (s *duty) readBatch(changes []pendingChange) (batch []share.DocumentVersion, rest []pendingChange) {
	size := 0
	for i, c := range changes {
		if len(batch) == maxBatch || size > maxBatchBytes {
			return batch, changes[i:]
		}
		v := share.DocumentVersion{Path: c.path, Gone: c.gone, Commit: s.branch.commit, Replaces: c.replaces, Data: c.data}
		if !c.gone {
			if c.data == nil {
				var err error
				if v.Data, _, err = s.ws.Read(c.path); errors.Is(err, fs.ErrNotExist) {
					continue
				} else if err != nil {
					s.problems[c.path] = obstacle{reason: err.Error()}
					s.whole = true // whether an older version stands is found then
					continue
				}
			}
			v.Hash = share.HashOf(v.Data)
		}
		size += len(v.Data)
		batch = append(batch, v)
	}
	return batch, nil
}

// sendBatch publishes versions of the line and notes what became of them.
func (s *duty) sendBatch(ctx context.Context, batch []share.DocumentVersion) error {
	if len(batch) == 0 {
		return nil
	}
	acks, err := s.publishBatch(ctx, s.line, s.lease.Fence, batch)
	if err != nil {
		return err
	}
	if err := s.record(ctx, batch, acks); err != nil {
		return err
	}
	var stop error
	for i, ack := range acks {
		path := batch[i].Path
		switch {
		case ack.Err == nil:
			delete(s.problems, path)
			delete(s.conflicts, path)
			delete(s.strays, path)
		case errors.Is(ack.Err, share.ErrConflict):
			s.meetConflict(path, ack.Err)
			if stop == nil {
				stop = errAgain
			}
		case isOfAll(ack.Err):
			stop = ack.Err
		default:
			s.problems[path] = obstacle{reason: ack.Err.Error(), live: batch[i].Replaces != 0 && !batch[i].Gone}
		}
	}
	return stop
}

// publishBatch publishes versions of a line under its lease. They are numbered here.
func (s *duty) publishBatch(ctx context.Context, line string, fence uint64, batch []share.DocumentVersion) ([]share.Ack, error) {
	before, err := s.db.number(ctx, s.epoch, len(batch))
	if err != nil {
		return nil, err
	}
	for i := range batch {
		batch[i].Line, batch[i].Fence = s.p.line(line), fence
		batch[i].Origin = share.Origin{Epoch: s.epoch, Rev: before + uint64(i) + 1} //nolint:gosec // not negative
	}
	return s.p.Team.Publish(ctx, batch), nil
}

// isOfAll reports whether an error is about the engine rather than about one document.
func isOfAll(err error) bool {
	return errors.Is(err, share.ErrAway) || errors.Is(err, share.ErrForbidden) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// meetConflict prepares to publish a document in place of a version that is not the one it was
// to replace: one of this checkout, whose acknowledgement was lost, or of another machine, over
// which the holder of the line's lease goes. The lease is looked at first.
func (s *duty) meetConflict(path string, conflict error) {
	delete(s.strays, path)
	if known := new(share.VersionConflictError); errors.As(conflict, &known) && known.Stands.Origin == (share.Origin{}) {
		s.strays[path] = known.Stands.Position // no version: no head tells of it
	}
	s.renew, s.whole = time.Time{}, true
	s.conflicts[path]++
	if s.conflicts[path] >= maxConflicts {
		s.problems[path] = obstacle{reason: "another machine publishes other versions of it on the same line", conflict: true}
	}
}

// record notes what was published.
func (s *duty) record(ctx context.Context, batch []share.DocumentVersion, acks []share.Ack) error {
	live, removed, published, position := s.live, 0, 0, s.position
	err := s.db.write(ctx, func(tx *sql.Tx) error {
		live, removed, published, position = s.live, 0, 0, s.position
		for i, v := range batch {
			if acks[i].Err != nil {
				continue
			}
			was, err := headOf(ctx, tx, s.line, v.Path)
			if err != nil {
				return err
			}
			now := publishedHead{position: acks[i].Position}
			if !v.Gone {
				now.hash = string(v.Hash[:])
			}
			if err := put(ctx, tx, s.line, v.Path, now); err != nil {
				return err
			}
			position = max(position, now.position)
			bucket := bucketOf(v.Path)
			switch {
			case bucket < 0: // no document
				continue
			case v.Gone:
				removed++
			default:
				published++
			}
			switch {
			case now.gone() && !was.gone():
				live[bucket]--
			case was.gone() && !now.gone():
				live[bucket]++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	sent := position > s.position
	s.live, s.position = live, position
	if s.published, s.removed = s.published+published, s.removed+removed; sent {
		now := s.p.Now()
		s.p.note(func(st *PublisherStatus) { st.Published, st.Position = now, s.position })
	}
	return nil
}
