package publish

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
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

// send publishes a difference, a batch at a time. The error is errAgain when other versions stand
// than were to be replaced.
func (l *publishLoop) send(ctx context.Context, d difference) error {
	hasConflict := false
	for rest := d.changes; len(rest) > 0; {
		if err := l.renewLine(ctx); err != nil {
			return err
		}
		if l.line == "" { // lost
			return errAgain
		}
		l.announce(ctx)
		var batch []share.DocumentVersion
		batch, rest = l.readBatch(rest, d.manifest)
		if !l.git.isUnchanged() { // the files may be those of another branch by now
			return errAgain
		}
		conflict, err := l.sendBatch(ctx, batch)
		if err != nil {
			return err
		}
		hasConflict = hasConflict || conflict
		l.setWaiting(len(rest))
		if l.saved.isDue(l.p.wall(), l.p.rhythm.tick) { // while many are published
			l.saveStatus(ctx)
		}
	}
	l.announce(ctx)
	if hasConflict {
		return errAgain
	}
	return nil
}

// readBatch reads the files of the next changes. A file that is gone, or that cannot be read, is
// left out: the index is going to say so, or it is a problem.
func (l *publishLoop) readBatch(changes []change, manifest []byte) (batch []share.DocumentVersion, rest []change) {
	size := 0
	for i, c := range changes {
		if len(batch) == maxBatch || size > maxBatchBytes {
			return batch, changes[i:]
		}
		v := share.DocumentVersion{Path: c.path, Gone: c.hash == "", Commit: l.git.commit, Replaces: c.stands.position}
		switch {
		case v.Gone:
		case c.path == mirror.ManifestPath:
			v.Data = manifest
		default:
			var err error
			if v.Data, _, err = l.ws.Read(c.path); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				l.problems[c.path] = problem{reason: err.Error(), hash: c.hash}
				continue
			}
		}
		if !v.Gone {
			v.Hash = share.HashOf(v.Data)
		}
		size += len(v.Data)
		batch = append(batch, v)
	}
	return batch, nil
}

// sendBatch publishes versions of the line and notes what became of them. An error is about the
// engine rather than about one document.
func (l *publishLoop) sendBatch(ctx context.Context, batch []share.DocumentVersion) (hasConflict bool, err error) {
	if len(batch) == 0 {
		return false, nil
	}
	acks := l.publishBatch(ctx, l.line, l.lease.Fence, batch)
	heads := map[string]publishedHead{}
	var failed error
	sent, removed, position := 0, 0, l.position
	files := index.FileHashes{}
	for i, ack := range acks {
		v := batch[i]
		files.All = append(files.All, index.FileHash{Path: v.Path})
		conflict := new(share.VersionConflictError)
		switch {
		case ack.Err == nil:
			h := v.Head()
			h.Position = ack.Position
			heads[v.Path], position = headOf(h), max(position, ack.Position)
			delete(l.conflicts, v.Path)
			switch {
			case v.Path == mirror.ManifestPath:
			case v.Gone:
				removed++
			default:
				sent++
			}
		case errors.As(ack.Err, &conflict):
			hasConflict = true
			heads[v.Path] = headOf(conflict.Stands)
			l.meetConflict(v.Path)
		case isOfAll(ack.Err):
			failed = ack.Err
		default:
			l.problems[v.Path] = problem{reason: ack.Err.Error(), hash: string(v.Hash[:])}
		}
	}
	stood, err := l.db.heads(ctx, l.line, files)
	if err == nil {
		err = l.db.put(ctx, l.line, heads)
	}
	if err != nil {
		return hasConflict, err
	}
	for path, h := range heads {
		switch {
		case path == mirror.ManifestPath || stood[path].gone() == h.gone():
		case h.gone():
			l.documents--
		default:
			l.documents++
		}
	}
	if position > l.position {
		now := l.p.Now()
		l.p.note(func(s *PublisherStatus) { s.Published, s.Position = now, position })
	}
	l.position, l.sent, l.removed = position, l.sent+sent, l.removed+removed
	return hasConflict, failed
}

// meetConflict prepares to publish a document in place of a version that is not the one it was
// to replace, of another machine: the holder of the line's lease goes over it. The lease is looked
// at first.
func (l *publishLoop) meetConflict(path string) {
	l.renewAt = time.Time{}
	if l.conflicts[path]++; l.conflicts[path] >= maxConflicts {
		reason := "another machine publishes other versions of it on the same line"
		l.problems[path] = problem{reason: reason, conflict: true}
	}
}

// publishBatch publishes versions of a line under its lease. They are numbered here.
func (l *publishLoop) publishBatch(ctx context.Context, line string, fence uint64, batch []share.DocumentVersion,
) []share.Ack {
	for i := range batch {
		l.rev++
		batch[i].Branch, batch[i].Fence = l.p.line(line), fence
		batch[i].Origin = share.Origin{Epoch: l.epoch, Rev: l.rev}
	}
	return l.p.Team.Publish(ctx, batch)
}

// isOfAll reports whether an error is about the engine rather than about one document.
func isOfAll(err error) bool {
	return errors.Is(err, share.ErrAway) || errors.Is(err, share.ErrForbidden) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
