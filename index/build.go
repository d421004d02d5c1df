package index

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"issues-index/index/fulltext"
	"issues-index/migrations"
	"issues-index/store"
)

// A Summary is the outcome of a rebuild.
type Summary struct {
	Documents int     `json:"documents"`
	Bytes     int64   `json:"bytes"`
	Problems  int     `json:"problems"` // documents with at least one
	Seconds   float64 `json:"seconds"`
}

// batchSize is how many documents a worker hands over at once: enough to make
// the hand-over cheap, few enough to bound what is in memory.
const batchSize = 32

// build makes a whole index in an empty file with every document of the workspace.
// It is not fit for use before it returns without an error.
func build(ctx context.Context, ws *store.Workspace, path string, progress func(done, total int)) (Summary, error) {
	started := time.Now()
	db, err := openStatements(dsn(path, url.Values{"_pragma": {
		// Written at once and to the disk, so that a file of a build that was cut
		// short, by a power failure even, is known to be ours.
		"journal_mode(OFF)", "synchronous(FULL)", fmt.Sprintf("application_id(%d)", migrations.ApplicationID),
		"synchronous(OFF)", "locking_mode(EXCLUSIVE)", "cache_size(-4000)",
	}}))
	if err != nil {
		return Summary{}, fmt.Errorf("open the new index: %w", err)
	}
	db.SetMaxOpenConns(1)
	summary, err := fill(ctx, ws, db, progress)
	if err = errors.Join(err, db.Close()); err != nil {
		return Summary{}, err
	}
	summary.Seconds = time.Since(started).Seconds()
	return summary, nil
}

// fill writes the schema and all documents.
func fill(ctx context.Context, ws *store.Workspace, db *sql.DB, progress func(done, total int)) (Summary, error) {
	schema, err := migrations.Schema()
	if err != nil {
		return Summary{}, err
	}
	// Indexes and counts are made once, at the end: sorted, which is faster
	// than in the order of files.
	deferred, err := deferrable(ctx, db, schema)
	if err != nil {
		return Summary{}, err
	}
	listing, err := ws.List(ctx)
	if err != nil {
		return Summary{}, fmt.Errorf("list the documents: %w", err)
	}
	if err := writeState(ctx, db, ws); err != nil {
		return Summary{}, err
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO search (search, rank) VALUES ('hashsize', 8388608)`); err != nil {
		return Summary{}, fmt.Errorf("size the full-text buffer: %w", err)
	}
	dict := sampleDictionary(ws, listing.Files)
	if err := dict.write(ctx, db); err != nil {
		return Summary{}, err
	}
	summary, err := load(ctx, ws, db, listing.Files, dict, progress)
	if err != nil {
		return Summary{}, err
	}
	for _, statement := range append([]string{
		// One segment: single changes are merged with those of their own size, and
		// must not come to have all of this rewritten.
		`INSERT INTO search (search) VALUES ('optimize')`,
		`INSERT INTO search (search, rank) VALUES ('hashsize', 1048576)`,
		// So many changes without a pause may each leave a segment behind before one of
		// them has to bring all together.
		`INSERT INTO search (search, rank) VALUES ('crisismerge', 64)`,
		`INSERT INTO tally SELECT type, status, priority, assignee, project, count(*) FROM document GROUP BY 1, 2, 3, 4, 5`,
		`INSERT INTO label_tally SELECT label, count(*) FROM document_label GROUP BY 1`,
	}, deferred...) {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return Summary{}, fmt.Errorf("finish the index: %w", err)
		}
	}
	if progress != nil {
		progress(len(listing.Files), len(listing.Files))
	}
	return summary, nil
}

// deferrable makes the schema and takes its indexes and triggers away again;
// it returns the statements that bring them back.
func deferrable(ctx context.Context, db *sql.DB, schema string) ([]string, error) {
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	rows, err := db.QueryContext(ctx, `SELECT type, name, sql FROM sqlite_master
		WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name IN ('document', 'document_label', 'document_problem')`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var drop, create []string
	for rows.Next() {
		var kind, name, statement string
		if err := rows.Scan(&kind, &name, &statement); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		drop = append(drop, fmt.Sprintf("DROP %s %s", kind, name))
		create = append(create, statement)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	for _, statement := range drop {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("put off %q: %w", statement, err)
		}
	}
	return create, nil
}

// writeState starts the one row about the index itself. Its revision is 1, so
// that 0 can mean none.
func writeState(ctx context.Context, db *sql.DB, ws *store.Workspace) error {
	random := make([]byte, 48)
	if _, err := rand.Read(random); err != nil {
		return fmt.Errorf("draw a random number: %w", err)
	}
	schema, err := migrations.Digest()
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO state VALUES (1, 1, ?, ?, ?, ?, ?)`,
		hex.EncodeToString(random[:8]), collectionsJSON(ws), schema, random[16:], time.Now().UnixMilli())
	if err != nil {
		return fmt.Errorf("write the index's state: %w", err)
	}
	return nil
}

// collectionsJSON names the folders an index covers.
func collectionsJSON(ws *store.Workspace) string {
	text, err := json.Marshal(ws.Collections)
	if err != nil { // a list of strings always has a JSON form
		return "[]"
	}
	return string(text)
}

// load reads and parses files on every processor and writes them from one
// goroutine, about in the order of their paths.
func load(ctx context.Context, ws *store.Workspace, db *sql.DB, files []store.File, dict *dictionary, progress func(done, total int)) (Summary, error) {
	vocabulary := &fulltext.Vocabulary{}
	c, err := beginChanges(ctx, db, time.Now())
	if err != nil {
		return Summary{}, err
	}
	var summary Summary
	var pack packer
	// write leaves some of what it has got for later.
	write := func(left int) error {
		for len(pack.waiting) > left {
			r := pack.next()
			if err := c.insert(ctx, r); err != nil {
				return fmt.Errorf("index %s: %w", r.file.Path, err)
			}
			vocabulary.Add(r.terms...)
			summary.Documents++
			summary.Bytes += r.file.Stat.Size
			if len(r.doc.Problems) > 0 || r.limited {
				summary.Problems++
			}
		}
		if progress != nil && summary.Documents < len(files) { // what follows the last takes time, too
			progress(summary.Documents, len(files))
		}
		return nil
	}
	take := func(records []*record) error {
		for _, r := range records {
			if r != nil { // else it vanished since it was listed
				pack.add(r)
			}
		}
		return write(packedAtOnce)
	}
	err = prepareAll(ctx, ws, vocabulary, dict, files, take)
	if err == nil {
		err = write(0)
	}
	if err != nil {
		return Summary{}, errors.Join(err, c.tx.Rollback())
	}
	return summary, c.commit(ctx)
}

// prepareAll makes the records of files on every processor and hands them to
// take batch by batch, in order, from one goroutine. A file that has vanished
// comes as nil.
func prepareAll(ctx context.Context, ws *store.Workspace, v *fulltext.Vocabulary, dict *dictionary, files []store.File, take func([]*record) error) error {
	group, ctx := errgroup.WithContext(ctx)
	workers := runtime.GOMAXPROCS(0)
	type job struct {
		files []store.File
		done  chan []*record
	}
	jobs := make(chan job)
	order := make(chan job, 2*workers)
	group.Go(func() error {
		defer close(jobs)
		defer close(order)
		for start := 0; start < len(files); start += batchSize {
			j := job{files[start:min(start+batchSize, len(files))], make(chan []*record, 1)}
			for _, to := range []chan<- job{order, jobs} {
				select {
				case to <- j:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	})
	for range workers {
		group.Go(func() error {
			p := &preparer{ws: ws}
			if err := p.use(dict); err != nil {
				return err
			}
			for j := range jobs {
				records := make([]*record, len(j.files))
				for i, f := range j.files {
					var err error
					if records[i], err = p.read(f.Path, f.Collection); err != nil {
						return err
					}
					if records[i] != nil {
						p.prepare(records[i])
						p.feed(records[i], v)
						records[i].doc.Body = "" // not needed any more, and many records wait to be written
					}
				}
				j.done <- records
			}
			return nil
		})
	}
	group.Go(func() error {
		for j := range order {
			select {
			case records := <-j.done:
				if err := take(records); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return group.Wait()
}
