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
			_, err = ix.reopen(ctx, found.build.generation, highest)
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
// file that another program moves while the folders are listed, from a folder that is not
// listed yet to a listed one, is found when they are listed again.
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
	build, _, err := readBuildID(ctx, ix.db.Read)
	if err != nil {
		return found, err
	}
	found.build = build
	looks, err := numbers(ctx, ix.db.Read, `SELECT group_concat(look) FROM document INDEXED BY document_by_look`)
	if err != nil {
		return found, err
	}
	listing, err := ix.list(ctx, w)
	if err != nil {
		return found, fmt.Errorf("list the documents: %w", err)
	}
	ix.left = &store.Listing{Temporary: listing.Temporary}
	for _, f := range listing.Files { // beside whose targets there may be more
		if f.Stat.Symlink {
			ix.left.Files = append(ix.left.Files, f)
		}
	}
	found.listed = len(listing.Files)
	found.suspects, found.differing, err = suspects(ctx, ix.db.Read, looks, listing.Files)
	return found, err
}

// A listingAhead lists all files while the index is opened, which takes about as long.
type listingAhead struct {
	w       *watch.Watcher
	listing store.Listing
	err     error
	done    chan struct{} // closed when the listing is there
}

// listAhead begins to list all files, where the index is there to be compared with them. A file that
// is changed after it was listed causes an event, or is changed after the call has begun. The caller
// holds sync.
func (ix *Index) listAhead(ctx context.Context) {
	ix.endListing() // of an opening that failed
	if !ix.opener.Exists() {
		return
	}
	if ix.options.Mode == ModeWatch && ix.mode != ModeVerify && ix.ensureWatcher() != nil {
		return // why is told when it is tried once more
	}
	a := &listingAhead{w: ix.watcher, done: make(chan struct{})}
	ix.ahead = a
	go func() {
		defer close(a.done)
		a.listing, a.err = listWith(ctx, ix.ws, a.w)
	}()
}

// endListing waits for a listing ahead that nothing is to be compared with, and drops it.
func (ix *Index) endListing() {
	if a := ix.ahead; a != nil {
		<-a.done
		ix.ahead = nil
	}
}

// list lists all files, with a watcher, if there is one, which watches them from then on.
func (ix *Index) list(ctx context.Context, w *watch.Watcher) (store.Listing, error) {
	a := ix.ahead
	if ix.ahead = nil; a != nil && a.w == w {
		<-a.done
		return a.listing, a.err
	}
	return listWith(ctx, ix.ws, w)
}

func listWith(ctx context.Context, ws *store.Workspace, w *watch.Watcher) (store.Listing, error) {
	if w == nil {
		return ws.ListEach(ctx, nil)
	}
	return w.List(ctx)
}

// suspects finds the files, of those that are listed or known by their looks, that may differ from
// their rows: they look different, or their rows were written too soon after the file changed.
func suspects(
	ctx context.Context, q db.Querier, looks []int64, listed []store.File,
) (all []string, differing int, err error) {
	slices.Sort(looks) // which they are, by the index
	seen := make([]bool, len(looks))
	paths := map[string]bool{}
	for _, f := range listed {
		if i, known := slices.BinarySearch(looks, lookOf(f.Path, f.Stat)); known && !seen[i] {
			seen[i] = true
		} else {
			paths[f.Path] = true
		}
	}
	var unseen []int64
	for i, look := range looks {
		if !seen[i] {
			unseen = append(unseen, look)
		}
	}
	rows, err := indexedWhere(ctx, q, "look IN (SELECT value FROM json_each('"+jsonNumbers(unseen)+"'))")
	if err != nil {
		return nil, 0, err
	}
	for _, k := range rows { // changed, or listed no more
		paths[k.path] = true
	}
	differing = len(paths)
	rows, err = indexedWhere(ctx, q, unsettledRows)
	for _, k := range rows {
		paths[k.path] = true
	}
	return slices.Collect(maps.Keys(paths)), differing, err
}

// Sweep removes the temporary files whose writers are dead, as far as they were there when all files
// were compared last, and returns how many.
func (ix *Index) Sweep(ctx context.Context) (removed int, err error) {
	if err := ix.lock(ctx); err != nil {
		return 0, err
	}
	left := ix.left
	ix.unlock()
	if left == nil {
		listing, err := ix.ws.List(ctx)
		if err != nil {
			return 0, fmt.Errorf("look for temporary files: %w", err)
		}
		left = &listing
	}
	return ix.ws.RemoveStaleTempFiles(ctx, *left)
}
