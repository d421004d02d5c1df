package store

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
)

// Sessions returns all sessions, the newest first, as their context.json has them.
// The problems of their other files are those of SessionProblems. A session whose
// context.json cannot be read is there too, with what is wrong.
func (w *Workspace) Sessions(ctx context.Context) ([]Session, error) {
	return w.NewestSessions(ctx, math.MaxInt)
}

// NewestSessions returns the limit sessions that were started last, like Sessions.
// The others are read, but not kept in memory.
func (w *Workspace) NewestSessions(ctx context.Context, limit int) ([]Session, error) {
	return w.selectSessions(ctx, limit, func(Session) bool { return true })
}

// resumableSession is the running or paused session that was started last.
func (w *Workspace) resumableSession(ctx context.Context) (Session, error) {
	found, err := w.selectSessions(ctx, 1, func(s Session) bool { return s.Status == "running" || s.Status == "paused" })
	if err != nil {
		return Session{}, err
	}
	if len(found) == 0 {
		return Session{}, ErrNoSession
	}
	return found[0], nil
}

// SessionProblems says what is wrong with a session's checkpoint and audit file.
func (w *Workspace) SessionProblems(ctx context.Context, id string) ([]string, error) {
	if err := w.checkSession(id); err != nil {
		return nil, err
	}
	_, _, problems := w.readCheckpoint(id)
	ofAudit, err := w.auditProblems(ctx, id)
	return append(problems, ofAudit...), err
}

// selectSessions returns up to limit of the sessions that match, the newest first.
// It reads nothing but each context.json.
func (w *Workspace) selectSessions(ctx context.Context, limit int, match func(Session) bool) ([]Session, error) {
	ids, err := w.sessionIDs()
	if err != nil {
		return nil, err
	}
	var list []Session
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := w.checkSession(id)
		if errors.Is(err, ErrNoSession) { // gone since
			continue
		}
		s := Session{ID: id}
		if err == nil {
			s, _ = w.readSession(id)
		} else {
			s.Problems = []string{"its folder " + fileProblem(err)}
		}
		if match(s) {
			list = append(list, s)
		}
		if len(list)/2 >= limit {
			list = newest(list, limit)
		}
	}
	return newest(list, limit), nil
}

// newest sorts a list by the start, the newest first, and cuts it to the limit.
func newest(list []Session, limit int) []Session {
	slices.SortStableFunc(list, func(a, b Session) int {
		if c := b.StartedAt.Compare(a.StartedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	rest := list[min(limit, len(list)):]
	clear(rest) // frees what they hold
	return list[:len(list)-len(rest)]
}

// sessionIDs are the names of the folders of sessions.
func (w *Workspace) sessionIDs() ([]string, error) {
	dir, err := w.resolve(sessionsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := w.disk.names(dir)
	if err != nil {
		return nil, diskError("list", sessionsDir, err)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		info, err := w.disk.lstat(path.Join(dir, name))
		return strings.HasPrefix(name, ".") || err != nil || info.Mode().IsRegular()
	}), nil
}
