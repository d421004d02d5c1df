package publish

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"

	"issues-index/index/claims"
	"issues-index/index/sqlfile"
	"issues-index/index/team/share"
	"issues-index/store"
)

// lockName is a file in the cache folder of the workspace.
const lockName = "publish.lock"

// Path is where what was published is noted, relative to the workspace's root.
const Path = claims.Path

// A database has what was published of one branch, for the next process and for those that only
// look: whatever of it is lost is learned from the engine again. One goroutine at a time uses it.
type database struct{ *claims.Database }

func openDatabase(ws *store.Workspace) database { return database{claims.DatabaseOf(ws)} }

// register notes that this process publishes the folder. What the process before has said about
// itself is forgotten. A copy of a folder is another one, and knows of nothing that was published.
func (d database) register(ctx context.Context, folder, host string) error {
	return d.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM published WHERE NOT EXISTS (SELECT 1 FROM publisher WHERE folder = ?1);
			INSERT OR REPLACE INTO publisher (only, folder, host, pid) VALUES (1, ?1, ?2, ?3)`, folder, host, os.Getpid())
		return err
	})
}

// publisher returns a *BusyError with the process that has registered last.
func (d database) publisher(ctx context.Context) error {
	var p BusyError
	_ = d.Use(ctx, func(f *sqlfile.OpenFile) error { // the other process has just begun
		return f.QueryRowContext(ctx, `SELECT host, pid FROM publisher`).Scan(&p.Host, &p.PID)
	})
	return &p
}

// A publishedHead is a document's newest version at the engine. The hash is empty when it is gone.
type publishedHead struct {
	hash     string
	position uint64
}

func (h publishedHead) gone() bool { return h.hash == "" }

// headOf is a head as the database has it.
func headOf(h share.DocumentVersion) publishedHead {
	if h.Gone || h.Origin == (share.Origin{}) { // deleted, or a message that is no version
		return publishedHead{position: h.Position}
	}
	return publishedHead{string(h.Hash[:]), h.Position}
}

// heads returns the heads of the branch that was published last, by path.
func (d database) heads(ctx context.Context) (map[string]publishedHead, error) {
	found := map[string]publishedHead{}
	err := d.Read(ctx, func(f *sqlfile.OpenFile) error {
		_, err := claims.Rows(ctx, f, func(scan func(...any) error) (none struct{}, err error) {
			var path, hash string
			var position int64
			err = scan(&path, &hash, &position)
			found[path] = publishedHead{hash, uint64(position)} //nolint:gosec // stored bit for bit
			return none, err
		}, `SELECT path, hash, position FROM published WHERE line = (SELECT max(line) FROM published)`)
		return err
	})
	return found, err
}

// replace makes the heads those of a branch, and forgets those of others.
func (d database) replace(ctx context.Context, branch string, heads map[string]publishedHead) error {
	err := d.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM published WHERE line <> ?`, branch)
		return err
	})
	if err != nil {
		return err
	}
	known, err := d.heads(ctx)
	if err != nil {
		return err
	}
	changed := map[string]publishedHead{}
	for path := range known {
		changed[path] = heads[path]
	}
	for path, h := range heads {
		if changed[path] = h; known[path] == h {
			delete(changed, path)
		}
	}
	return d.Write(ctx, func(tx *sql.Tx) error { return noteHeads(ctx, tx, branch, changed) })
}

// noteHeads notes heads of a branch.
func noteHeads(ctx context.Context, tx *sql.Tx, branch string, heads map[string]publishedHead) error {
	for path, h := range heads {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO published (line, path, hash, position) VALUES (?, ?, ?, ?)`,
			branch, path, []byte(h.hash), int64(h.position)) //nolint:gosec // stored bit for bit
		if err != nil {
			return fmt.Errorf("note what is published: %w", err)
		}
	}
	return nil
}

// save notes heads that have changed and, where it has changed, what the loop says about itself.
func (d database) save(ctx context.Context, l *publishLoop, heads map[string]publishedHead) error {
	status := l.p.Status()
	if len(heads) == 0 && reflect.DeepEqual(status, l.saved) {
		return nil
	}
	text, err := json.Marshal(status)
	if err != nil {
		return err
	}
	err = d.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO publisher (only, folder, host, pid, status, noted) VALUES (1, ?, ?, ?, ?, ?)`,
			l.identity, l.p.host, os.Getpid(), text, l.p.wall().UnixMilli())
		return errors.Join(err, noteHeads(ctx, tx, l.Branch, heads))
	})
	if err == nil {
		l.saved = status
	}
	return err
}
