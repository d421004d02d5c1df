package agree

import (
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store"
	"issues-index/store/cachedir"
)

//go:embed schema.sql
var schema string

// format is that of the file.
var format = sqlfile.Format{
	Application: 0x69696167, // "iiag"
	Version:     1,
	Schema:      schema,
	Tables:      []string{"clone", "unagreed", "number", "lost_claim"},
	Busy:        5 * time.Second,
}

// name is the file's, in the cache folder of the workspace.
const name = "agreed.db"

// Path is where the file lies, relative to the workspace's root.
const Path = store.CacheDir + "/" + name

func placeIn(ws *store.Workspace) func(context.Context) (*cachedir.Dir, string, error) {
	return func(context.Context) (*cachedir.Dir, string, error) {
		dir, err := ws.OpenOwnCache()
		if err != nil {
			return nil, "", err
		}
		return dir, name, nil
	}
}

// A keptFile is what a clone keeps of its agreement. Reading makes no file.
type keptFile struct {
	ws *store.Workspace

	mu     sync.Mutex
	keeper sqlfile.Keeper
}

func (k *keptFile) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keeper.Close()
	return nil
}

// use calls use with the file.
func (k *keptFile) use(ctx context.Context, use func(*sqlfile.OpenFile) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.keeper.Use(ctx, use); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("keep what is agreed with the team in %s: %w", Path, err)
	}
	return nil
}

// missing reports whether there is no file, and so nothing in it.
func (k *keptFile) missing() bool {
	_, err := k.ws.Lstat(Path)
	return errors.Is(err, fs.ErrNotExist)
}

func (k *keptFile) exec(ctx context.Context, statement string, args ...any) error {
	return k.use(ctx, func(f *sqlfile.OpenFile) error {
		_, err := f.ExecContext(ctx, statement, args...)
		return err
	})
}

// rows returns what a query finds, nothing when there is no file.
func rows[T any](ctx context.Context, k *keptFile, read func(scan func(...any) error) (T, error), query string, args ...any) (all []T, err error) {
	if k.missing() {
		return nil, nil
	}
	err = k.use(ctx, func(f *sqlfile.OpenFile) error {
		all = nil
		found, err := f.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer func() { _ = found.Close() }()
		for found.Next() {
			one, err := read(found.Scan)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return found.Err()
	})
	return all, err
}

// secret returns the clone's, and makes it at the first time.
func (k *keptFile) secret(ctx context.Context) (secret string, err error) {
	made := make([]byte, 16)
	_, _ = rand.Read(made) // never fails
	err = k.use(ctx, func(f *sqlfile.OpenFile) error {
		err := f.QueryRowContext(ctx, `SELECT secret FROM clone`).Scan(&secret)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if _, err := f.ExecContext(ctx, `INSERT INTO clone SELECT ? WHERE NOT EXISTS (SELECT 1 FROM clone)`, hex.EncodeToString(made)); err != nil {
			return err
		}
		return f.QueryRowContext(ctx, `SELECT secret FROM clone`).Scan(&secret)
	})
	return secret, err
}

// mark notes that something is to be agreed.
func (k *keptFile) mark(ctx context.Context) error {
	return k.exec(ctx, `UPDATE unagreed SET marks = marks + 1`)
}

// Unagreed returns the last mark of something that could not be agreed, 0 when all is.
func (a *Agreement) Unagreed(ctx context.Context) (mark int64, err error) {
	marks, err := rows(ctx, &a.kept, func(scan func(...any) error) (mark int64, err error) {
		err = scan(&mark)
		return mark, err
	}, `SELECT marks FROM unagreed WHERE marks > agreed`)
	if err != nil || len(marks) == 0 {
		return 0, err
	}
	return marks[0], nil
}

// Agreed takes away the marks up to one.
func (a *Agreement) Agreed(ctx context.Context, upTo int64) error {
	if upTo == 0 {
		return nil
	}
	return a.kept.exec(ctx, `UPDATE unagreed SET agreed = max(agreed, ?)`, upTo)
}
