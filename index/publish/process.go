package publish

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"issues-index/index"
	"issues-index/index/sqlfile"
	"issues-index/store"
)

// A PublishingProcess is the process that publishes a workspace's folder, or did so last.
type PublishingProcess struct {
	Running bool   `json:"running"`
	Host    string `json:"host,omitempty"` // "" when there never was one
	PID     int    `json:"pid,omitempty"`
	// Noted is when it wrote down how it publishes, zero while it has just begun. It does so when
	// that changes, and leaves positions and times of publications for a while.
	Noted time.Time `json:"noted,omitzero"`
}

// StatusOf returns how the folder of an index is published to the team under a name, by
// whichever process. It asks no engine and makes no file. Where no process publishes, what waits
// is what differs from what was published last. A file of what was published that cannot be read
// is the LastError of the status.
func StatusOf(ctx context.Context, ix *index.Index, workspace string) (PublisherStatus, error) {
	db := openOutbox(ix.Workspace())
	defer db.close()
	status, known, err := db.statusOf(ctx, ix.Workspace(), workspace)
	if err == nil && !status.Process.Running {
		err = status.compare(ctx, ix, db, known)
	}
	if err == nil || ctx.Err() != nil {
		return status, ctx.Err()
	}
	return PublisherStatus{Workspace: workspace, Process: &PublishingProcess{}, LastError: err.Error(), Refused: true}, nil
}

// FolderStatus is Status, and StatusOf while another process publishes the folder of an index.
func (p *Publisher) FolderStatus(ctx context.Context, ix *index.Index) (PublisherStatus, error) {
	p.mu.Lock()
	isBusy := p.isBusy
	p.mu.Unlock()
	if isBusy {
		return StatusOf(ctx, ix, p.Workspace)
	}
	return p.Status(), nil
}

// statusOf reads what the process that publishes says about itself. known is false where nothing
// was published from the folder under the name.
func (d *outbox) statusOf(ctx context.Context, ws *store.Workspace, workspace string) (status PublisherStatus, known bool, err error) {
	process := &PublishingProcess{}
	status = PublisherStatus{Workspace: workspace, Process: process}
	if _, err := ws.Lstat(Path); errors.Is(err, fs.ErrNotExist) {
		return status, false, nil
	}
	if process.Running, err = isPublishing(ws); err != nil {
		return status, false, err
	}
	identity, err := ws.RootIdentity()
	if err != nil {
		return status, false, err
	}
	var folder string
	var text []byte
	var noted int64
	err = d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error {
		return f.QueryRowContext(ctx, `SELECT folder, host, pid, status, noted FROM checkout`).Scan(&folder, &process.Host, &process.PID, &text, &noted)
	})
	if errors.Is(err, sql.ErrNoRows) || err == nil && folder != identity { // it is a copy of one that was published
		*process = PublishingProcess{Running: process.Running}
		return status, false, nil
	}
	if err == nil && len(text) > 0 {
		process.Noted = time.UnixMilli(noted).UTC()
		err = json.Unmarshal(text, &status)
	}
	if err != nil {
		return status, false, fmt.Errorf("read how the workspace is published from %s: %w", Path, err)
	}
	if status.Workspace != workspace { // it has another name by now
		return PublisherStatus{Workspace: workspace, Process: process}, false, nil
	}
	return status, true, nil
}

// isPublishing reports whether a process publishes the workspace's folder.
func isPublishing(ws *store.Workspace) (bool, error) {
	folder, err := openFolder(ws)
	if err != nil {
		return false, err
	}
	defer func() { _ = folder.Close() }() // it was only read
	if _, err := folder.Stat(lockName); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lock := folder.Lock(lockName)
	free, err := lock.TryRLock()
	if err != nil {
		return false, fmt.Errorf("look at the lock of what is published: %w", err)
	}
	return !free, lock.Close()
}

// compare makes of the status of a process that has ended that of the folder: what waits, and
// which of the problems are left. known says whether something was published from it.
func (s *PublisherStatus) compare(ctx context.Context, ix *index.Index, db *outbox, known bool) error {
	s.Connected, s.Since, s.Reason = false, time.Time{}, ""
	if s.Idle != "" { // nothing is to be published
		return nil
	}
	d := &duty{ix: ix, ws: ix.Workspace(), db: db, problems: map[string]obstacle{}}
	found, err := d.compareLast(ctx, known)
	if err != nil {
		return err
	}
	last := make(map[string]PublicationProblem, len(s.Problems))
	for _, problem := range s.Problems {
		last[problem.Path] = problem
	}
	found.changes = slices.DeleteFunc(found.changes, func(c pendingChange) bool {
		problem, has := last[c.path]
		if has {
			d.problems[c.path] = obstacle{reason: problem.Reason, conflict: problem.Conflict}
		}
		return has
	})
	s.Problems = d.publicationProblems()
	if s.Waiting = countDocuments(found.changes); s.Waiting == 0 {
		s.WaitingSince = time.Time{}
		if !s.Refused {
			s.LastError = ""
		}
	}
	return nil
}

// compareLast finds what differs from the line that was published last, which is everything
// where nothing was.
func (s *duty) compareLast(ctx context.Context, known bool) (found pendingDifference, err error) {
	if known {
		if s.line, err = s.db.lastLine(ctx); err != nil {
			return pendingDifference{}, err
		}
	}
	if s.line != "" {
		return s.compare(ctx)
	}
	hashes, err := s.ix.FileHashes(ctx, "", 0)
	if err == nil {
		s.judgeAll(hashes.All, nil, &found)
	}
	return found, err
}

// lastLine returns the line that was published last, "" for none.
func (d *outbox) lastLine(ctx context.Context) (line string, err error) {
	err = d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error {
		return f.QueryRowContext(ctx, `SELECT line FROM published WHERE NOT gone ORDER BY position DESC LIMIT 1`).Scan(&line)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return line, err
}
