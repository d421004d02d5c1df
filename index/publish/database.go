package publish

import (
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"issues-index/index"
	"issues-index/index/share"
	"issues-index/index/sqlfile"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
)

//go:embed schema.sql
var schema string

// format is that of the file of what was published.
var format = sqlfile.Format{
	Application: 0x69697062, // "iipb"
	Version:     2,
	Schema:      schema,
	Upgrades: map[int]string{
		1: `ALTER TABLE checkout ADD COLUMN status TEXT NOT NULL DEFAULT '';
			ALTER TABLE checkout ADD COLUMN noted INTEGER NOT NULL DEFAULT 0;`,
	},
	Tables: []string{"checkout", "published"},
	Busy:   5 * time.Second,
}

// databaseName and lockName are files in the cache folder of the workspace.
const (
	databaseName = "published.db"
	lockName     = "publish.lock"
)

// Path is where what was published is noted, relative to the workspace's root.
const Path = store.CacheDir + "/" + databaseName

// openFolder opens the cache folder of a workspace.
func openFolder(ws *store.Workspace) (*cachedir.Dir, error) {
	dir, err := ws.OpenOwnCache()
	if err != nil {
		return nil, err
	}
	err = dir.IgnoreInGit()
	return dir, err
}

// A database has what was published of one line. One goroutine at a time uses it.
type database struct{ keeper sqlfile.Keeper }

func openDatabase(ws *store.Workspace) *database {
	return &database{sqlfile.Keeper{Format: format, Place: func(context.Context) (*cachedir.Dir, string, error) {
		dir, err := openFolder(ws)
		return dir, databaseName, err
	}}}
}

func (d *database) close() { d.keeper.Close() }

// write runs statements in one transaction.
func (d *database) write(ctx context.Context, do func(tx *sql.Tx) error) error {
	err := d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error { return f.Transact(ctx, do) })
	if err != nil {
		return fmt.Errorf("note what is published: %w", err)
	}
	return nil
}

// register notes that this process publishes the folder. What the process before has said about
// itself is forgotten. A copy of a folder is another one, and knows of nothing that was published.
func (d *database) register(ctx context.Context, folder, ownLine, host string, pid int) error {
	return d.write(ctx, func(tx *sql.Tx) error {
		var known string
		err := tx.QueryRowContext(ctx, `SELECT folder FROM checkout`).Scan(&known)
		if err == nil && known == folder {
			_, err = tx.ExecContext(ctx, `UPDATE checkout SET host = ?, pid = ?, status = '', noted = 0`, host, pid)
			return err
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM published`); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO checkout (only, folder, epoch, rev, line, host, pid)
			VALUES (1, ?, ?, 0, ?, ?, ?)`, folder, rand.Text(), ownLine, host, pid)
		return err
	})
}

// publisher returns which process has registered last.
func (d *database) publisher(ctx context.Context) (p BusyError, err error) {
	err = d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error {
		return f.QueryRowContext(ctx, `SELECT host, pid FROM checkout`).Scan(&p.Host, &p.PID)
	})
	return p, err
}

// A publishedHead is a document's newest version at the engine. The hash is empty when it is gone.
type publishedHead struct {
	hash     string
	position uint64
}

func (h publishedHead) gone() bool { return h.hash == "" }

// headOf is a head as the database has it.
func headOf(h share.Head) publishedHead {
	if h.Gone || h.Origin == (share.Origin{}) { // deleted, or a message that is no version
		return publishedHead{position: h.Position}
	}
	return publishedHead{string(h.Hash[:]), h.Position}
}

// publishedHeads are heads of a line.
type publishedHeads struct {
	heads     map[string]publishedHead // by path
	documents int                      // of the line, that are not gone
	rows      int                      // of the line
}

// heads returns the heads of a line: of some files and the manifest, or of all.
func (d *database) heads(ctx context.Context, line string, of index.FileHashes) (found publishedHeads, err error) {
	found.heads = map[string]publishedHead{}
	if line == "" {
		return found, nil
	}
	paths := []string{mirror.ManifestPath}
	for _, f := range of.All {
		paths = append(paths, f.Path)
	}
	query, args := `SELECT path, hash, position FROM published WHERE line = ?`, []any{line}
	if !of.Whole {
		list, err := json.Marshal(paths)
		if err != nil {
			return found, err
		}
		query, args = query+` AND path IN (SELECT value FROM json_each(?))`, append(args, string(list))
	}
	err = d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error {
		err := f.QueryRowContext(ctx, `
			SELECT count(*), count(*) FILTER (WHERE NOT gone AND bucket >= 0) FROM published WHERE line = ?`, line).
			Scan(&found.rows, &found.documents)
		if err != nil {
			return err
		}
		rows, err := f.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var path, hash string
			var position int64
			if err := rows.Scan(&path, &hash, &position); err != nil {
				return err
			}
			found.heads[path] = publishedHead{hash, uint64(position)} //nolint:gosec // stored bit for bit
		}
		return rows.Err()
	})
	return found, err
}

// put notes the heads of documents of a line.
func (d *database) put(ctx context.Context, line string, heads map[string]publishedHead) error {
	return d.write(ctx, func(tx *sql.Tx) error { return put(ctx, tx, line, heads) })
}

func put(ctx context.Context, tx *sql.Tx, line string, heads map[string]publishedHead) error {
	for path, h := range heads {
		_, err := tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO published (line, path, bucket, hash, position, gone) VALUES (?, ?, ?, ?, ?, ?)`,
			line, path, bucketOf(path), []byte(h.hash), int64(h.position), h.gone()) //nolint:gosec // stored bit for bit
		if err != nil {
			return err
		}
	}
	return nil
}

// bucketOf is what versions of this program before 2026-12 look deleted documents up by; -1 for
// the manifest, which is no document.
func bucketOf(path string) int64 {
	if path == mirror.ManifestPath {
		return -1
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(path)) // never fails
	return int64(h.Sum32() % 256)
}

// replace makes the heads those that the engine has of a line, and forgets those of others.
func (d *database) replace(ctx context.Context, line string, engine map[string]publishedHead) error {
	known, err := d.heads(ctx, line, index.FileHashes{Whole: true})
	if err != nil {
		return err
	}
	return d.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM published WHERE line <> ?`, line); err != nil {
			return err
		}
		changed := map[string]publishedHead{}
		for path, h := range engine {
			if known.heads[path] != h {
				changed[path] = h
			}
		}
		for path := range known.heads {
			if _, stands := engine[path]; !stands {
				_, err := tx.ExecContext(ctx, `DELETE FROM published WHERE line = ? AND path = ?`, line, path)
				if err != nil {
					return err
				}
			}
		}
		return put(ctx, tx, line, changed)
	})
}
