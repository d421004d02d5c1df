package repair

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"issues-index/index"
	"issues-index/index/views"
	"issues-index/store"
	"issues-index/store/history"
	"issues-index/store/layout"
)

// CheckSince is Check without the problems that there were at the commit where the history of a
// revision and that of HEAD part: what this branch has added to them, what is not committed included.
// It has no changes and no hints. For that it checks the documents of the commit in a folder of
// their own, which it removes. Errors are also those of history.Since.
func CheckSince(
	ctx context.Context, ix *index.Index, now time.Time, revision string, codes ...store.ProblemCode,
) (*Report, error) {
	r, err := Check(ctx, ix, now, codes...)
	if err != nil {
		return nil, err
	}
	before, err := checkCommit(ctx, ix.Workspace(), now, revision, codes)
	if err != nil {
		return nil, err
	}
	all := len(r.Problems)
	r.Hints, r.Changes = nil, nil
	r.Problems = added(r.Problems, before, func(file string) bool {
		_, err := ix.Workspace().Stat(file)
		return err == nil
	})
	r.Before = all - len(r.Problems)
	paths := map[string]bool{}
	for _, f := range r.Problems {
		paths[f.Path] = true
	}
	r.Documents = len(paths)
	return r, nil
}

// checkCommit finds the problems of a commit, by the layout that the workspace has now.
func checkCommit(
	ctx context.Context, ws *store.Workspace, now time.Time, revision string, codes []store.ProblemCode,
) (problems []Finding, err error) {
	dir, err := os.MkdirTemp("", "issues-index-check-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the documents of a commit: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := writeCommit(ctx, ws, dir, revision); err != nil {
		return nil, err
	}
	then, err := ws.Elsewhere(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, then.Close()) }()
	ix, err := index.Open(ctx, then, index.Options{Mode: index.ModeVerify})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	r, err := Check(ctx, ix, now, codes...)
	if err != nil {
		return nil, err
	}
	return r.Problems, nil
}

// writeCommit writes the documents and views of a commit, and the layout of the workspace, below
// a folder.
func writeCommit(ctx context.Context, ws *store.Workspace, dir, revision string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing is lost with it
	write := func(file string, data []byte) error {
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(file)), 0o700); err != nil {
			return err
		}
		return root.WriteFile(filepath.FromSlash(file), data, 0o600)
	}
	if data, _, err := ws.Read(layout.File); err == nil {
		if err := write(layout.File, data); err != nil {
			return err
		}
	}
	return history.Files(ctx, ws, revision, []string{views.File}, func(file string, data []byte, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil { // too large to be read, as it is to be here
			data = make([]byte, store.MaxFileSize+1)
		}
		return write(file, data)
	})
}

// added are the problems that were not there before, each of which stands for one: first for the
// same to the letter, then for one of its code. A document that is not there any more is known by
// its id.
func added(now, before []Finding, there func(file string) bool) []Finding {
	moved := map[string]string{}
	for _, f := range now {
		moved[f.ID] = f.Path
	}
	for i, f := range before {
		if f.ID != "" && moved[f.ID] != "" && !there(f.Path) {
			before[i].Path = moved[f.ID]
		}
	}
	exact := func(f Finding) [3]string { return [3]string{string(f.Problem.Code), f.Path, f.Problem.Message} }
	loose := func(f Finding) [3]string { return [3]string{string(f.Problem.Code), f.Path} }
	for _, key := range []func(Finding) [3]string{exact, loose} {
		now, before = without(now, before, key), without(before, now, key)
	}
	return now
}
