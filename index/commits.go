package index

import (
	"context"

	"issues-index/store"
)

// How the column undated says where the time of the last change is from.
const (
	dated     = 0 // the document says it
	undated   = 1 // it is the time of the file, which a checkout sets
	committed = 2 // it is the time of the last commit that touched the file
)

func datedBy(d *store.Document) int {
	switch {
	case d.Committed:
		return committed
	case d.Undated:
		return undated
	}
	return dated
}

// learnCommits has the documents that are read from now on show the times of commits, where
// they do not say themselves when they last changed. It returns the commit that is checked
// out, "" where such times do not count.
func (ix *Index) learnCommits(ctx context.Context) (commit string, err error) {
	commit, err = ix.ws.FollowCommits(ctx)
	if err != nil && ctx.Err() == nil {
		ix.log.Warn("the times of commits cannot be read: documents show those of their files", "error", err)
		err = nil
	}
	return commit, err
}

// followCommits writes the rows again whose documents show the time of a commit, or should,
// once another commit is checked out: their files need not have changed. The caller holds
// sync.
func (ix *Index) followCommits(ctx context.Context) error {
	commit, err := ix.learnCommits(ctx)
	if err != nil || commit == ix.commit {
		return err
	}
	type datedRow struct {
		Path    string
		Updated int64 // milliseconds since 1970
		Undated int
	}
	rows, err := readRows[datedRow](ctx, ix.db.Read, "documents without a time",
		`SELECT path, updated, undated FROM document INDEXED BY document_undated WHERE undated`)
	if err != nil {
		return err
	}
	var paths []string
	for _, r := range rows {
		if at, ok := ix.ws.CommitTime(r.Path); ok != (r.Undated == committed) || ok && at.UnixMilli() != r.Updated {
			paths = append(paths, r.Path)
		}
	}
	all := ix.candidates(paths)
	for _, c := range all {
		c.outdated = true
	}
	if _, err := ix.refresh(ctx, all); err != nil { // what is gone is met by the look at files
		return err
	}
	ix.commit = commit
	return nil
}
