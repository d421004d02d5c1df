package index

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"issues-index/index/db"
	"issues-index/index/watch"
	"issues-index/store"
)

// scan compares every file with its row, by its size, times and inode, and brings
// those that differ up to date. With a watcher it also watches what it finds, each
// folder before it is listed. built reports that it has opened an index that was built from
// the files instead; gone is as refresh returns it.
func (ix *Index) scan(ctx context.Context, w *watch.Watcher) (built bool, gone []*candidate, err error) {
	started := ix.now()
	ix.stale = true // until it is done
	found, err := ix.compare(ctx, w)
	if err != nil {
		return false, nil, err
	}
	renew, err := ix.inBulk(ctx, found.differing, found.listed)
	if err != nil {
		return false, nil, err
	}
	if renew { // unless another process does it
		highest, err := highestNumbers(ctx, ix.db.Read)
		if err == nil {
			_, err = ix.reopen(ctx, found.build.generation, highest, nil)
		}
		return err == nil, nil, err
	}
	if gone, err = ix.refresh(ctx, ix.candidates(found.suspects)); err != nil {
		return false, nil, err
	}
	if found.build.generation != ix.engine.build.generation {
		ix.use.Lock()
		ix.engine.build = found.build
		ix.engine.counts.reset()
		ix.use.Unlock()
	}
	ix.stale, ix.scanned = false, started
	return false, gone, nil
}

// scanAgain is how often at most all files are compared once more for the sake of those that
// are gone.
const scanAgain = 4

// scanUnwatched is scan without a watcher, and drops the rows of the files that are gone. A
// file that another program moves while the folders are listed, from one that is not listed
// yet to one that is, is found when they are listed again.
func (ix *Index) scanUnwatched(ctx context.Context) error {
	_, gone, err := ix.scan(ctx, nil)
	for again := 0; err == nil && len(gone) > 0 && again < scanAgain; again++ {
		before := gone
		_, gone, err = ix.scan(ctx, nil)
		if slices.EqualFunc(gone, before, func(a, b *candidate) bool { return a.path == b.path }) {
			break
		}
	}
	if err == nil {
		err = ix.dropGone(ctx, gone)
	}
	ix.stale = ix.stale || err != nil
	return err
}

// A comparison is what a look at all files has found.
type comparison struct {
	build     buildID // the build of the index that the files were compared with
	listed    int
	suspects  []string // files that may differ from their rows
	differing int      // those of them that do
}

// compare lists all files and finds those that may differ from their rows.
func (ix *Index) compare(ctx context.Context, w *watch.Watcher) (found comparison, err error) {
	if err := ix.db.AwaitWriters(ctx); err != nil {
		return found, err
	}
	// Before the rows: should they be another build's, this ID is void.
	build, rev, err := readBuildID(ctx, ix.db.Read)
	if err != nil {
		return found, err
	}
	found.build = build
	expected, err := readFilesetHash(ctx, ix.db.Read)
	if err != nil {
		return found, err
	}
	list := func(ctx context.Context) (store.Listing, error) { return ix.ws.ListEach(ctx, nil) }
	if w != nil {
		list = w.List
	}
	listing, err := list(ctx)
	if err != nil {
		return found, fmt.Errorf("list the documents: %w", err)
	}
	ix.listed, ix.listedAt, found.listed = leftovers(listing), rev, len(listing.Files)
	err = found.suspect(ctx, ix.db.Read, listing.Files, hashOfFiles(listing.Files).differs(expected))
	return found, err
}

// suspect finds the files, of those that are listed or known, that may differ from
// their rows. They are in the parts that differ, or their rows were written too soon after
// the file changed.
func (found *comparison) suspect(ctx context.Context, q db.Querier, listed []store.File, differing []int64) error {
	unsettled, err := indexedWhere(ctx, q, unsettledRows)
	if err != nil {
		return err
	}
	suspect := make(map[string]bool, len(unsettled))
	for _, k := range unsettled {
		suspect[k.path] = true
	}
	if len(differing) > 0 {
		rows, err := indexedWhere(ctx, q, "part IN (SELECT value FROM json_each('"+jsonNumbers(differing)+"'))")
		if err != nil {
			return err
		}
		byPath := make(map[string]*indexedFile, len(rows))
		for _, k := range rows {
			byPath[k.path] = k
		}
		var differs [buckets]bool
		for _, part := range differing {
			differs[part] = true
		}
		for _, f := range listed {
			if !differs[bucketOf(f.Path)] {
				continue
			}
			k := byPath[f.Path]
			if k == nil || !sameLook(k.stat, f.Stat) {
				found.differing++
			}
			if k == nil || !k.unchanged(f.Stat) {
				suspect[f.Path] = true
			}
			delete(byPath, f.Path)
		}
		for path := range byPath { // listed no more
			suspect[path] = true
			found.differing++
		}
	}
	found.suspects = slices.Collect(maps.Keys(suspect))
	return nil
}

// Sweep removes the temporary files that the last comparison of all files met and
// whose writers are dead, and returns how many. Before the first comparison it
// does nothing.
func (ix *Index) Sweep(ctx context.Context) (removed int, err error) {
	if err := ix.lock(ctx); err != nil {
		return 0, err
	}
	left := ix.listed
	ix.unlock()
	return ix.ws.RemoveStaleTempFiles(ctx, left)
}

// leftovers are the parts of a listing that tell where temporary files are.
func leftovers(listing store.Listing) store.Listing {
	left := store.Listing{Temporary: listing.Temporary}
	for _, f := range listing.Files {
		if f.Stat.Symlink {
			left.Files = append(left.Files, f)
		}
	}
	return left
}
