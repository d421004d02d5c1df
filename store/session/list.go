package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"issues-index/store"
)

// All returns all sessions, the newest first, as their context.json has them.
// The problems of their other files are those of Problems. A session whose
// context.json cannot be read is there too, with what is wrong.
func (w Sessions) All(ctx context.Context) ([]Session, error) {
	return w.Newest(ctx, math.MaxInt)
}

// Newest returns the limit sessions that were started last, like All.
func (w Sessions) Newest(ctx context.Context, limit int) ([]Session, error) {
	return w.selected(ctx, limit, func(Session) bool { return true })
}

// Problems says what is wrong with a session's checkpoint and audit file.
func (w Sessions) Problems(ctx context.Context, id string) ([]string, error) {
	if err := w.checkSession(id); err != nil {
		return nil, err
	}
	_, _, problems := w.readCheckpoint(id)
	return append(problems, w.auditProblems(id)...), ctx.Err()
}

// selected returns up to limit of the sessions that match, the newest first.
// It reads nothing but each context.json.
func (w Sessions) selected(ctx context.Context, limit int, match func(Session) bool) ([]Session, error) {
	ids, err := w.ids()
	if err != nil {
		return nil, err
	}
	var list []Session
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := w.checkSession(id)
		if errors.Is(err, ErrNotFound) { // gone since
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
	}
	slices.SortStableFunc(list, func(a, b Session) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(b.ID, a.ID))
	})
	return list[:min(limit, len(list))], nil
}

// ids are the names of the folders of sessions.
func (w Sessions) ids() ([]string, error) {
	dir, err := w.Resolve(store.SessionsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := w.Names(dir)
	if err != nil {
		return nil, store.WrapDiskError("list", store.SessionsDir, err)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		info, err := w.Lstat(path.Join(dir, name))
		return strings.HasPrefix(name, ".") || err != nil || info.Mode().IsRegular()
	}), nil
}
