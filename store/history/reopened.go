package history

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"issues-index/store"
	"issues-index/store/git"
)

// Reopened tells which of some unfinished documents a person has reopened: those that git had
// finished at a time, which is given by their paths, or later. A document that has just
// gone counts as such. Error: *UnreadableError where there is no history.
func Reopened(ctx context.Context, ws *store.Workspace, closed map[string]time.Time) (map[string]bool, error) {
	repo, err := openRepository(ctx, ws)
	if err != nil {
		return nil, err
	}
	objects, err := git.OpenObjects(ctx, ws.Root)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	reopened, known := map[string]bool{}, map[string]Followed{}
	note := func(document, file, object string) {
		if data, err := objects.Read(object, store.MaxFileSize); err == nil {
			reopened[document] = reopened[document] || parse(ws, file, data, nil).Finished()
		}
	}
	earliest := ws.Now()
	for file, at := range closed {
		doc, _, err := ws.Load(file)
		if errors.Is(err, fs.ErrNotExist) {
			reopened[file] = true
			continue
		} else if err != nil {
			return nil, err
		}
		known[file] = Of(ws, doc)
		if at.Before(earliest) {
			earliest = at
		}
		object, err := objects.Find(repo.Head, file)
		if err != nil {
			return nil, err
		}
		note(file, file, object)
	}
	return reopened, repo.Log(ctx, ws.CollectionDirs(), func(c git.Commit) error {
		if c.Time.Before(earliest) {
			return git.ErrEnough
		}
		for _, change := range c.Changes {
			for file, followed := range known {
				isIt := followed.isFile(change.Path) || len(followed.idsIn(ws, change.Path)) > 0
				if reopened[file] || c.Time.Before(closed[file]) || !isIt {
					continue
				}
				note(file, change.Path, change.Old)
				note(file, change.Path, change.New)
			}
		}
		return ctx.Err()
	})
}
