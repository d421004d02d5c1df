package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"issues-index/index/db"
	"issues-index/index/search"
	"issues-index/store"
)

// A Summary is the outcome of a rebuild: Bytes are those of all files.
type Summary struct {
	Documents int     `json:"documents"`
	Bytes     int64   `json:"bytes"`
	Problems  int     `json:"problems"` // documents with at least one
	Seconds   float64 `json:"seconds"`
}

// batchSize is how many documents a worker hands over at once: enough to make
// the hand-over cheap, few enough to bound what is in memory.
const batchSize = 32

// fillFrom returns the function that fills a new index with every document of a
// workspace and the highest numbers that the ids of series have had, and writes its
// outcome to summary.
func fillFrom(ws *store.Workspace, summary *Summary, highest map[string]int, progress func(done, total int)) db.Fill {
	return func(ctx context.Context, pool *sql.DB) error {
		listing, err := ws.List(ctx)
		if err != nil {
			return fmt.Errorf("list the documents: %w", err)
		}
		if _, err := pool.ExecContext(ctx, `INSERT INTO search (search, rank) VALUES ('hashsize', 8388608)`); err != nil {
			return fmt.Errorf("size the full-text buffer: %w", err)
		}
		progress(0, len(listing.Files))
		if *summary, err = load(ctx, ws, pool, listing.Files, highest, progress); err != nil {
			return err
		}
		for _, statement := range []string{
			// One segment: single changes are merged with those of their own size, and
			// must not come to have all of this rewritten.
			`INSERT INTO search (search) VALUES ('optimize')`,
			`INSERT INTO search (search, rank) VALUES ('hashsize', 1048576)`,
			// So many changes without a pause may each leave a segment behind before one of
			// them has to bring all together.
			`INSERT INTO search (search, rank) VALUES ('crisismerge', 64)`,
			`INSERT INTO tally SELECT workspace, line, type, status, priority, finished, assignee, project, count(*)
				FROM document GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
			`INSERT INTO facet_tally SELECT workspace, line, type, status, priority, finished, count(*)
				FROM document GROUP BY 1, 2, 3, 4, 5, 6`,
			`INSERT INTO label_tally SELECT label, count(*) FROM document_label GROUP BY 1`,
		} {
			if _, err := pool.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("finish the index: %w", err)
			}
		}
		progress(len(listing.Files), len(listing.Files))
		return nil
	}
}

// load reads and parses files on every processor and writes them from one
// goroutine, in the order of their paths.
func load(
	ctx context.Context, ws *store.Workspace, pool *sql.DB, files []store.File,
	highest map[string]int, progress func(done, total int),
) (Summary, error) {
	vocabulary := &search.Vocabulary{}
	c, err := beginWriting(ctx, ws, pool, time.Now())
	if err != nil {
		return Summary{}, err
	}
	maps.Copy(c.highest, highest)
	var summary Summary
	// To watch for the end of the context starts a goroutine a statement: it is looked for once a batch.
	unwatched := context.WithoutCancel(ctx)
	take := func(records []*record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, r := range records {
			if r == nil { // it vanished since it was listed
				continue
			}
			if err := c.insert(unwatched, r); err != nil {
				return fmt.Errorf("index %s: %w", r.file.Path, err)
			}
			vocabulary.Add(r.terms...)
			summary.Documents++
			summary.Bytes += r.file.Stat.Size
		}
		if summary.Documents < len(files) { // what follows the last takes time, too
			progress(summary.Documents, len(files))
		}
		return nil
	}
	if err := prepareAll(ctx, ws, vocabulary, files, take); err != nil {
		return Summary{}, errors.Join(err, c.tx.Rollback())
	}
	return summary, c.commit(ctx)
}

// prepareAll makes the records of files on every processor and hands them to
// take batch by batch, in order, from one goroutine. A file that has vanished
// comes as nil.
func prepareAll(
	ctx context.Context, ws *store.Workspace, v *search.Vocabulary, files []store.File, take func([]*record) error,
) error {
	workers := runtime.GOMAXPROCS(0)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers + 1) // and the goroutine that takes
	order := make(chan chan []*record, 2*workers)
	group.Go(func() error {
		for done := range order {
			select {
			case records := <-done:
				if err := take(records); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for rest := files; len(rest) > 0 && ctx.Err() == nil; {
		n, held := 0, int64(0)
		for ; n < min(batchSize, len(rest)) && held < heldBytes; n++ {
			held += rest[n].Stat.Size
		}
		batch, done := rest[:n], make(chan []*record, 1)
		rest = rest[n:]
		select {
		case order <- done:
		case <-ctx.Done():
		}
		group.Go(func() error {
			records, err := prepareBatch(ws, v, batch)
			if err == nil {
				done <- records
			}
			return err
		})
	}
	close(order)
	return group.Wait()
}

func prepareBatch(ws *store.Workspace, v *search.Vocabulary, files []store.File) (_ []*record, err error) {
	records := make([]*record, len(files))
	for i, f := range files {
		if records[i], err = readRecord(ws, f.Path, f.Collection); err != nil {
			return nil, err
		}
		if records[i] != nil {
			records[i].prepare(ws)
			records[i].feed(v)
			records[i].doc.Body = "" // not needed any more, and many records wait to be written
		}
	}
	return records, nil
}

// bulk is how many changed files are worth a new index rather than new rows, when
// they are also half of all. Rows are written at about half the speed at which a new
// index is built, and on one processor: at 20,000 documents 1.0 ms of CPU time for
// each changed file, against 0.55 ms for each of all.
var bulk = 2000 // less in tests

// replacesOpenFiles says that a new index can take the place of one that another process has open.
const replacesOpenFiles = runtime.GOOS != "windows"

// inBulk reports whether so many files have changed that a new index is made sooner.
// That ends the cursors of clients, so it is not done while one is promised to work.
func (ix *Index) inBulk(ctx context.Context, changed, all int) (bool, error) {
	if !replacesOpenFiles || ix.db.InMemory() || changed < bulk || 2*changed < all {
		return false, nil
	}
	// A cursor that was handed out again without being written may be younger than it says.
	promised := ix.now().Add(cursorRenewal - cursorPromise)
	return readOne[bool](ctx, ix.db.Read, "look for cursors",
		`SELECT NOT EXISTS (SELECT 1 FROM cursor WHERE expires > ?)`, promised.UnixMilli())
}

// highestNumbers are the highest that ids of each series have ever had: all that an
// index knows and the files may not tell.
func highestNumbers(ctx context.Context, q db.Querier) (map[string]int, error) {
	highest := map[string]int{}
	type seriesRow struct {
		Series string
		Number int
	}
	rows, err := readRows[seriesRow](ctx, q, "highest ids", `SELECT type, number FROM id_high`)
	for _, r := range rows {
		highest[r.Series] = r.Number
	}
	return highest, err
}
