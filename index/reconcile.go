package index

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"issues-index/store"
)

// reconcile compares every file with its row, by its size, times and inode,
// and brings those that differ up to date. With a watcher it also watches what
// it finds, each folder before it is listed.
func (ix *Index) reconcile(ctx context.Context, db *database, w *watcher) error {
	if err := awaitChanges(ctx, db); err != nil {
		return err
	}
	compared, err := readClaim(ctx, db) // before the rows: should they be another build's, the claim is void
	if err != nil {
		return err
	}
	expected, err := readDigest(ctx, db.read)
	if err != nil {
		return err
	}
	listing, err := ix.listWatched(ctx, w)
	if err != nil {
		return err
	}
	ix.left, ix.folders = leftovers(listing), listing.Folders
	changed, err := suspects(ctx, db.read, listing.Files, digestOf(listing.Files).differs(expected))
	if err != nil {
		return err
	}
	if err := ix.refresh(ctx, db, changed); err != nil {
		return err
	}
	ix.claim(compared)
	return nil
}

// suspects returns the files, of those that are listed or known, that may differ
// from their rows. All of them are in the parts that differ, or their rows prove
// nothing.
func suspects(ctx context.Context, q querier, listed []store.File, differing []int64) ([]string, error) {
	unsettled, err := knownWhere(ctx, q, unsettledRows)
	if err != nil {
		return nil, err
	}
	suspect := make(map[string]bool, len(unsettled))
	for _, k := range unsettled {
		suspect[k.path] = true
	}
	if len(differing) > 0 {
		rows, err := knownWhere(ctx, q, "part IN (SELECT value FROM json_each('"+jsonNumbers(differing)+"'))")
		if err != nil {
			return nil, err
		}
		byPath := make(map[string]*known, len(rows))
		for _, k := range rows {
			byPath[k.path] = k
		}
		var differs [parts]bool
		for _, part := range differing {
			differs[part] = true
		}
		for _, f := range listed {
			if !differs[partOf(f.Path)] {
				continue
			}
			if k := byPath[f.Path]; k == nil || !k.unchanged(f.Stat) {
				suspect[f.Path] = true
			}
			delete(byPath, f.Path)
		}
		for path := range byPath { // listed no more
			suspect[path] = true
		}
	}
	return slices.Collect(maps.Keys(suspect)), nil
}

// listWatched lists all documents, in no order, each folder once it is watched.
func (ix *Index) listWatched(ctx context.Context, w *watcher) (store.Listing, error) {
	if w == nil {
		listing, err := ix.ws.ListEach(ctx, nil)
		if err != nil {
			return store.Listing{}, fmt.Errorf("list the documents: %w", err)
		}
		return listing, nil
	}
	if err := w.watchChains(); err != nil {
		return store.Listing{}, err
	}
	tried := map[string]bool{}
	for {
		listing, err := ix.ws.ListEach(ctx, w.watch)
		if err != nil {
			return store.Listing{}, fmt.Errorf("list the documents: %w", err)
		}
		for _, problem := range listing.Problems {
			w.followLink(problem.Path)
		}
		fresh := false
		for _, dir := range listing.Dirs {
			if w.covers(dir) || tried[dir] {
				continue
			}
			tried[dir], fresh = true, true // listed before it was watched: list it again
			if err := w.watch(dir); err != nil {
				return store.Listing{}, err
			}
		}
		if !fresh {
			w.noteListed(listing.Folders)
			return listing, nil
		}
	}
}
