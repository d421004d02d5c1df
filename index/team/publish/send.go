package publish

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// maxBatch and maxBatchBytes bound what is published at once: a lease is looked at between two
// batches.
const (
	maxBatch      = 256
	maxBatchBytes = 8 << 20
)

// send publishes a difference, a batch at a time. The error is errAgain when other versions stand
// than were to be replaced.
func (l *publishLoop) send(ctx context.Context, d difference) (err error) {
	var conflict error
	for rest := d.changes; len(rest) > 0; {
		var batch []share.DocumentVersion
		batch, rest = l.readBatch(rest, d.manifest)
		if err := l.renewBranch(ctx); err != nil { // just before it is published: reading may take long
			return err
		}
		if l.Branch == "" { // lost
			return errAgain
		}
		if !l.git.isUnchanged() { // the files may be those of another branch by now
			return errAgain
		}
		l.setWaiting(len(rest))
		if err := l.sendBatch(ctx, batch); errors.Is(err, errAgain) {
			conflict = err
		} else if err != nil {
			return err
		}
	}
	return conflict
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
		if !v.Gone {
			v.Data = manifest
			if c.path != mirror.ManifestPath {
				var err error
				if v.Data, _, err = l.ws.Read(c.path); errors.Is(err, fs.ErrNotExist) {
					continue
				} else if err != nil {
					l.fail(c.path, err.Error(), c.hash, false)
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

// fail notes why a document is not published while its file has a hash, "" for any.
func (l *publishLoop) fail(path, reason, hash string, conflict bool) {
	l.problems[path] = problem{PublicationProblem{path, reason, conflict}, hash}
}

// sendBatch publishes versions of the branch and notes what became of them. The error is about the
// engine rather than about one document, or errAgain.
func (l *publishLoop) sendBatch(ctx context.Context, batch []share.DocumentVersion) (failed error) {
	if len(batch) == 0 {
		return nil
	}
	heads := map[string]publishedHead{}
	for i, ack := range l.publishBatch(ctx, l.Branch, l.lease.Fence, batch) {
		v := batch[i]
		conflict := new(share.VersionConflictError)
		switch {
		case ack.Err == nil:
			v.Position = ack.Position
			heads[v.Path] = headOf(v)
			l.Position, l.Published = max(l.Position, ack.Position), l.p.Now()
			switch {
			case v.Path == mirror.ManifestPath:
			case v.Gone:
				l.removed++
			default:
				l.sent++
			}
		case errors.As(ack.Err, &conflict):
			// After a lost acknowledgement our own version stands there: its hash is the file's, and
			// the next round finds no difference.
			heads[v.Path] = headOf(conflict.Stands)
			l.Position = max(l.Position, conflict.Stands.Position)
			if l.isLastTry {
				l.fail(v.Path, "another machine publishes other versions of it on the same line", "", true)
				continue
			}
			// The holder of the branch's lease overwrites what another machine has published. Whether
			// it still has the lease is looked at first.
			l.renewAt = time.Time{}
			failed = errAgain
		case isOfAll(ack.Err):
			failed = ack.Err
		default:
			// A deletion has no hash that compare knows: it is tried again with each comparison.
			l.fail(v.Path, ack.Err.Error(), string(v.Hash[:]), false)
		}
	}
	maps.Copy(l.heads, heads)
	l.save(context.WithoutCancel(ctx), heads) // also when the process is being stopped
	return failed
}

// publishBatch publishes versions of a branch under its lease. They are numbered here.
func (l *publishLoop) publishBatch(ctx context.Context, branch string, fence uint64, batch []share.DocumentVersion,
) []share.Ack {
	for i := range batch {
		l.origin.Rev++
		batch[i].Branch, batch[i].Fence, batch[i].Origin = l.p.branch(branch), fence, l.origin
	}
	return l.p.Team.Publish(ctx, batch)
}

// isOfAll reports whether an error is about the engine rather than about one document.
func isOfAll(err error) bool {
	return errors.Is(err, share.ErrAway) || errors.Is(err, share.ErrForbidden) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
