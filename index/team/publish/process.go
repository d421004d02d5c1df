package publish

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	// that changes.
	Noted time.Time `json:"noted,omitzero"`
}

// StatusOf returns how the folder of an index is published to the team under a name, by
// whichever process. It asks no engine and makes no file. Where no process publishes, what waits
// is what differs from what was published last. A file of what was published that cannot be read
// is the LastError of the status.
func StatusOf(ctx context.Context, ix *index.Index, workspace string) (PublisherStatus, error) {
	l := &publishLoop{
		PublisherStatus: PublisherStatus{Workspace: workspace, Process: &PublishingProcess{}},
		ix:              ix, ws: ix.Workspace(), db: openDatabase(ix.Workspace()), problems: map[string]problem{},
	}
	defer func() { _ = l.db.Close() }() // it was only read
	err := l.readSaved(ctx)
	if err == nil && !l.Process.Running {
		err = l.compareFiles(ctx)
	}
	if err != nil {
		l.PublisherStatus = PublisherStatus{
			Workspace: workspace, Process: &PublishingProcess{}, LastError: err.Error(), Refused: true,
		}
	}
	return l.PublisherStatus, ctx.Err()
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

// readSaved reads what the process that publishes says about itself, and what was published last:
// nothing where that was another folder, of which this one is a copy, or under another name.
func (l *publishLoop) readSaved(ctx context.Context) (err error) {
	process := l.Process
	if process.Running, err = isPublishing(l.ws); err != nil {
		return err
	}
	identity, err := l.ws.RootIdentity()
	if err != nil {
		return err
	}
	var noted int64
	var text []byte
	err = l.db.Read(ctx, func(f *sqlfile.OpenFile) error {
		return f.QueryRowContext(ctx, `SELECT host, pid, status, noted FROM publisher WHERE folder = ?`, identity).
			Scan(&process.Host, &process.PID, &text, &noted)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	saved := l.PublisherStatus
	if err == nil && len(text) > 0 {
		process.Noted = time.UnixMilli(noted).UTC()
		err = json.Unmarshal(text, &saved)
	}
	if err == nil && saved.Workspace == l.Workspace {
		l.PublisherStatus = saved
		l.heads, err = l.db.heads(ctx)
	}
	if err != nil {
		return fmt.Errorf("read how the workspace is published from %s: %w", Path, err)
	}
	return nil
}

// isPublishing reports whether a process publishes the workspace's folder.
func isPublishing(ws *store.Workspace) (bool, error) {
	if _, err := ws.Lstat(store.CacheDir + "/" + lockName); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	folder, err := ws.OpenOwnCache()
	if err != nil {
		return false, err
	}
	defer func() { _ = folder.Close() }() // it was only read
	lock := folder.Lock(lockName)
	free, err := lock.TryRLock()
	if err != nil {
		return false, fmt.Errorf("look at the lock of what is published: %w", err)
	}
	return !free, lock.Close()
}

// compareFiles makes of the status of a process that has ended that of the folder: what waits, and
// which of the problems are left.
func (l *publishLoop) compareFiles(ctx context.Context) error {
	l.Connected, l.Since, l.Reason = false, time.Time{}, ""
	if l.Idle != "" { // nothing is to be published
		return nil
	}
	for _, p := range l.Problems {
		l.problems[p.Path] = problem{PublicationProblem: p}
	}
	found, err := l.difference(ctx)
	if err != nil {
		return err
	}
	l.Problems, l.Waiting = l.publicationProblems(), found.documents()
	if l.Waiting == 0 {
		l.WaitingSince = time.Time{}
		if !l.Refused {
			l.LastError = ""
		}
	}
	return nil
}
