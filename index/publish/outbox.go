package publish

import (
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
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

// An outbox has what was published. One goroutine at a time uses it.
type outbox struct{ keeper sqlfile.Keeper }

func openOutbox(ws *store.Workspace) *outbox {
	return &outbox{sqlfile.Keeper{Format: format, Place: func(context.Context) (*cachedir.Dir, string, error) {
		dir, err := openFolder(ws)
		return dir, databaseName, err
	}}}
}

func (d *outbox) close() { d.keeper.Close() }

// errForgotten says that the file was deleted or replaced while it was in use.
var errForgotten = errors.New(databaseName + " was deleted")

// write runs statements in one transaction.
func (d *outbox) write(ctx context.Context, do func(tx *sql.Tx) error) error {
	err := d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error { return f.Transact(ctx, do) })
	if err != nil {
		return fmt.Errorf("note what is published: %w", err)
	}
	return nil
}

// A checkout is what tells this one from others.
type checkout struct {
	epoch string // of what is published from here
	line  string // of its own
}

// register notes that this process publishes the folder, and returns what the folder is known
// by. What the process before has said about itself is forgotten. A copy of a folder is another
// one, and knows of nothing that was published.
func (d *outbox) register(ctx context.Context, folder, host string, pid int) (c checkout, err error) {
	err = d.write(ctx, func(tx *sql.Tx) error {
		var known string
		err := tx.QueryRowContext(ctx, `SELECT folder, epoch, line FROM checkout`).Scan(&known, &c.epoch, &c.line)
		if err == nil && known == folder {
			_, err = tx.ExecContext(ctx, `UPDATE checkout SET host = ?, pid = ?, status = '', noted = 0`, host, pid)
			return err
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		c = checkout{epoch: rand.Text(), line: ownLine(host, folder)}
		if _, err := tx.ExecContext(ctx, `DELETE FROM published`); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO checkout (only, folder, epoch, rev, line, host, pid) VALUES (1, ?, ?, 0, ?, ?, ?)`,
			folder, c.epoch, c.line, host, pid)
		return err
	})
	return c, err
}

// publisher returns which process has registered last.
func (d *outbox) publisher(ctx context.Context) (who BusyError, err error) {
	err = d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error {
		return f.QueryRowContext(ctx, `SELECT host, pid FROM checkout`).Scan(&who.Host, &who.PID)
	})
	return who, err
}

// number reserves numbers for publications, and returns the one before the first.
func (d *outbox) number(ctx context.Context, epoch string, publications int) (before uint64, err error) {
	err = d.write(ctx, func(tx *sql.Tx) error {
		var last int64
		err := tx.QueryRowContext(ctx, `UPDATE checkout SET rev = rev + ? WHERE epoch = ? RETURNING rev`, publications, epoch).Scan(&last)
		if errors.Is(err, sql.ErrNoRows) {
			return errForgotten
		}
		before = uint64(last) - uint64(publications) //nolint:gosec // counted from 0
		return err
	})
	return before, err
}

// A publishedHead is a document's newest version at the engine. The hash is empty when it is gone.
type publishedHead struct {
	hash     string
	position uint64
}

func (h publishedHead) gone() bool { return h.hash == "" }

// headOf returns the head of a document; one that was never published is gone, at position 0.
func headOf(ctx context.Context, tx *sql.Tx, line, path string) (h publishedHead, err error) {
	var hash []byte
	var position int64
	err = tx.QueryRowContext(ctx, `SELECT hash, position FROM published WHERE line = ? AND path = ?`, line, path).Scan(&hash, &position)
	if errors.Is(err, sql.ErrNoRows) {
		return publishedHead{}, nil
	}
	return publishedHead{string(hash), uint64(position)}, err //nolint:gosec // stored bit for bit
}

// heads returns the heads of a line that a condition selects, by path.
func heads(ctx context.Context, tx *sql.Tx, line, condition string, args ...any) (map[string]publishedHead, error) {
	rows, err := tx.QueryContext(ctx, `SELECT path, hash, position FROM published WHERE line = ? AND `+condition, append([]any{line}, args...)...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := make(map[string]publishedHead)
	for rows.Next() {
		var path string
		var hash []byte
		var position int64
		if err := rows.Scan(&path, &hash, &position); err != nil {
			return nil, err
		}
		all[path] = publishedHead{string(hash), uint64(position)} //nolint:gosec // stored bit for bit
	}
	return all, rows.Err()
}

// put notes the head of a document.
func put(ctx context.Context, tx *sql.Tx, line, path string, h publishedHead) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO published (line, path, bucket, hash, position, gone) VALUES (?, ?, ?, ?, ?, ?)`,
		line, path, bucketOf(path), []byte(h.hash), int64(h.position), h.gone()) //nolint:gosec // stored bit for bit
	return err
}

// bucketOf is the bucket of a path; the manifest has one apart, since it is none of the
// index's documents.
func bucketOf(path string) int {
	if path == mirror.ManifestPath {
		return -1
	}
	return index.PathBucket(path)
}

// learn makes the heads of a line those that the engine has, and numbers of this epoch go on
// after the last one that the engine has seen: the file may have been restored.
func (d *outbox) learn(ctx context.Context, line, epoch string, engine map[string]share.Head) error {
	return d.write(ctx, func(tx *sql.Tx) error {
		known, err := heads(ctx, tx, line, `true`)
		if err != nil {
			return err
		}
		var last uint64
		for path, h := range engine {
			if h.Origin.Epoch == epoch {
				last = max(last, h.Origin.Rev)
			}
			if now := headFrom(h); known[path] != now {
				if err := put(ctx, tx, line, path, now); err != nil {
					return err
				}
			}
		}
		for path := range known {
			if _, stands := engine[path]; !stands {
				if _, err := tx.ExecContext(ctx, `DELETE FROM published WHERE line = ? AND path = ?`, line, path); err != nil {
					return err
				}
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE checkout SET rev = max(rev, ?) WHERE epoch = ?`, int64(last), epoch) //nolint:gosec // counted from 0
		return err
	})
}

// forget forgets what was published of a line.
func (d *outbox) forget(ctx context.Context, line string) error {
	return d.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM published WHERE line = ?`, line)
		return err
	})
}

func headFrom(h share.Head) publishedHead {
	if h.Gone {
		return publishedHead{position: h.Position}
	}
	return publishedHead{string(h.Hash[:]), h.Position}
}
