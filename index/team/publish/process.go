package publish

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
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
	db := openDatabase(ix.Workspace())
	defer func() { _ = db.Close() }() // it was only read
	status, line, err := db.statusOf(ctx, ix.Workspace(), workspace)
	if err == nil && !status.Process.Running {
		err = status.compare(ctx, &publishLoop{ix: ix, ws: ix.Workspace(), db: db, line: line})
	}
	if err == nil || ctx.Err() != nil {
		return status, ctx.Err()
	}
	return PublisherStatus{
		Workspace: workspace, Process: &PublishingProcess{}, LastError: err.Error(), Refused: true,
	}, nil
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

// statusOf reads what the process that publishes says about itself, and the line that it has
// published last: "" where nothing was published from the folder under the name.
func (d database) statusOf(ctx context.Context, ws *store.Workspace, workspace string,
) (status PublisherStatus, line string, err error) {
	process := &PublishingProcess{}
	status = PublisherStatus{Workspace: workspace, Process: process}
	_, noDatabase := ws.Lstat(Path)
	_, noLock := ws.Lstat(store.CacheDir + "/" + lockName)
	if errors.Is(noDatabase, fs.ErrNotExist) && errors.Is(noLock, fs.ErrNotExist) {
		return status, "", nil
	}
	if process.Running, err = isPublishing(ws); err != nil {
		return status, "", err
	}
	identity, err := ws.RootIdentity()
	if err != nil {
		return status, "", err
	}
	var folder string
	var text []byte
	var noted int64
	err = d.Read(ctx, func(f *sqlfile.OpenFile) error {
		return f.QueryRowContext(ctx, `
			SELECT folder, host, pid, status, noted, (SELECT ifnull(max(line), '') FROM published)
			FROM publisher`).Scan(&folder, &process.Host, &process.PID, &text, &noted, &line)
	})
	if errors.Is(err, sql.ErrNoRows) || err == nil && folder != identity { // the folder is a copy
		*process = PublishingProcess{Running: process.Running}
		return status, "", nil
	}
	if err == nil && len(text) > 0 {
		process.Noted = time.UnixMilli(noted).UTC()
		err = json.Unmarshal(text, &status)
	}
	if err != nil {
		return status, "", fmt.Errorf("read how the workspace is published from %s: %w", Path, err)
	}
	if status.Workspace != workspace { // it has another name by now
		return PublisherStatus{Workspace: workspace, Process: process}, "", nil
	}
	return status, line, nil
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
// which of the problems are left.
func (s *PublisherStatus) compare(ctx context.Context, l *publishLoop) error {
	s.Connected, s.Since, s.Reason = false, time.Time{}, ""
	if s.Idle != "" { // nothing is to be published
		return nil
	}
	found, err := l.difference(ctx)
	if err != nil {
		return err
	}
	last := make(map[string]PublicationProblem, len(s.Problems))
	for _, problem := range s.Problems {
		last[problem.Path] = problem
	}
	found.changes = slices.DeleteFunc(found.changes, func(c change) bool {
		was, has := last[c.path]
		if has {
			l.problems[c.path] = problem{reason: was.Reason, conflict: was.Conflict}
		}
		return has
	})
	s.Problems = l.publicationProblems()
	if s.Waiting = countDocuments(found.changes); s.Waiting == 0 {
		s.WaitingSince = time.Time{}
		if !s.Refused {
			s.LastError = ""
		}
	}
	return nil
}

// A savedStatus is what other processes can read of a publisher's status.
type savedStatus struct {
	status PublisherStatus
	at     time.Time // by the wall clock, zero for nothing yet
}

// isDue reports whether a status is to be saved that differs in its details alone.
func (s savedStatus) isDue(now time.Time, tick time.Duration) bool { return now.Sub(s.at) >= tick }

// withoutDetails is what of a status other processes are to know at once. Each publication has
// another position, and each try to connect may fail for another reason: that can wait for a tick.
func (s PublisherStatus) withoutDetails() PublisherStatus {
	s.Position, s.Published, s.Reason = 0, time.Time{}, ""
	if !s.Connected && !s.Refused {
		s.LastError = ""
	}
	return s
}

// saveStatus has other processes read the status, at once where more than its details has changed.
// So a publication of one document costs no further write.
func (l *publishLoop) saveStatus(ctx context.Context) {
	status, now := l.p.Status(), l.p.wall()
	isSame := reflect.DeepEqual(status, l.saved.status)
	isKnown := reflect.DeepEqual(status.withoutDetails(), l.saved.status.withoutDetails())
	if isSame || isKnown && !l.saved.isDue(now, l.p.rhythm.tick) {
		return
	}
	text, err := json.Marshal(status)
	if err == nil {
		err = l.db.Use(ctx, func(f *sqlfile.OpenFile) error {
			_, err := f.ExecContext(ctx, `UPDATE publisher SET status = ?, noted = ?`, text, now.UnixMilli())
			return err
		})
	}
	if err != nil { // the next round tries again
		l.p.Log.Debug("save how the workspace is published", "workspace", l.p.Workspace, "error", err)
		return
	}
	l.saved = savedStatus{status, now}
}
