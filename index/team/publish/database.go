package publish

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/sqlfile"
	"issues-index/index/team/share"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
)

// lockName is a file in the cache folder of the workspace.
const lockName = "publish.lock"

// Path is where what was published is noted, relative to the workspace's root.
const Path = claims.Path

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
type database struct{ *claims.Database }

func openDatabase(ws *store.Workspace) database { return database{claims.DatabaseOf(ws)} }

// register notes that this process publishes the folder. What the process before has said about
// itself is forgotten. A copy of a folder is another one, and knows of nothing that was published.
func (d database) register(ctx context.Context, folder, host string, pid int) error {
	return d.Write(ctx, func(tx *sql.Tx) error {
		known, err := publishedFolder(ctx, tx)
		if err == nil && known != folder {
			_, err = tx.ExecContext(ctx, `DELETE FROM published`)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO publisher (only, folder, host, pid) VALUES (1, ?, ?, ?)`, folder, host, pid)
		return err
	})
}

// publishedFolder is the folder that was published last, "" for none.
func publishedFolder(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (folder string, err error) {
	err = db.QueryRowContext(ctx, `SELECT folder FROM publisher`).Scan(&folder)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return folder, err
}

// publisher returns which process has registered last.
func (d database) publisher(ctx context.Context) (p BusyError, err error) {
	err = d.Use(ctx, func(f *sqlfile.OpenFile) error {
		return f.QueryRowContext(ctx, `SELECT host, pid FROM publisher`).Scan(&p.Host, &p.PID)
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

// errForgotten says that the database was deleted while it was in use.
var errForgotten = errors.New("what was published is forgotten")

// heads returns the heads of a line by path: of some files and the manifest, or of all. The error
// is errForgotten where no process has registered.
func (d database) heads(ctx context.Context, line string, of index.FileHashes) (map[string]publishedHead, error) {
	found := map[string]publishedHead{}
	if line == "" {
		return found, nil
	}
	query, args := `SELECT path, hash, position FROM published WHERE line = ?`, []any{line}
	if !of.Whole {
		paths := []string{mirror.ManifestPath}
		for _, f := range of.All {
			paths = append(paths, f.Path)
		}
		list, err := json.Marshal(paths)
		if err != nil {
			return nil, err
		}
		query, args = query+` AND path IN (SELECT value FROM json_each(?))`, append(args, string(list))
	}
	err := d.Use(ctx, func(f *sqlfile.OpenFile) error {
		if folder, err := publishedFolder(ctx, f); err != nil || folder == "" {
			return errors.Join(err, errForgotten)
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
			found[path] = publishedHead{hash, uint64(position)} //nolint:gosec // stored bit for bit
		}
		return rows.Err()
	})
	return found, err
}

// put notes the heads of documents of a line.
func (d database) put(ctx context.Context, line string, heads map[string]publishedHead) error {
	return d.Write(ctx, func(tx *sql.Tx) error {
		for path, h := range heads {
			_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO published (line, path, hash, position) VALUES (?, ?, ?, ?)`,
				line, path, []byte(h.hash), int64(h.position)) //nolint:gosec // stored bit for bit
			if err != nil {
				return fmt.Errorf("note what is published: %w", err)
			}
		}
		return nil
	})
}

// replace makes the heads those that the engine has of a line, and forgets those of others.
func (d database) replace(ctx context.Context, line string, engine map[string]publishedHead) error {
	known, err := d.heads(ctx, line, index.FileHashes{Whole: true})
	if err != nil {
		return err
	}
	changed := map[string]publishedHead{}
	for path, h := range engine {
		if known[path] != h {
			changed[path] = h
		}
	}
	err = d.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM published WHERE line <> ?`, line); err != nil {
			return err
		}
		for path := range known {
			if _, stands := engine[path]; stands {
				continue
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM published WHERE path = ?`, path); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.put(ctx, line, changed)
}
