package sqlfile

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxStatements bounds the prepared statements that a connection keeps: about
// twice as many as the index, the largest of the files, has queries. Each takes some kilobytes.
const maxStatements = 64

// OpenStatements opens a database whose connections keep the statements that
// they have prepared. Preparing one takes longer than most queries do, and
// package sql keeps those alone that the caller holds, which cannot be of a
// transaction and for all of them. Observers see the statements of an observed database:
// those of the small files are none of the index's.
func OpenStatements(dsn string, observed bool) (*sql.DB, error) {
	plain, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	c := connector{dsn: dsn, driver: plain.Driver(), observed: observed}
	if err := plain.Close(); err != nil { // it was never connected
		return nil, err
	}
	return sql.OpenDB(c), nil
}

type connector struct {
	dsn      string
	driver   driver.Driver
	observed bool
}

func (c connector) Driver() driver.Driver { return c.driver }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	inner, ok := opened.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's connections are %T", opened), opened.Close())
	}
	return &keepingConn{sqliteConn: inner, observed: c.observed}, nil
}

// sqliteConn is what the driver's connections can do of what package sql uses.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// statement is what the driver's statements can do.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// A keepingConn keeps the statements that it has prepared and that nothing
// uses, the last used one last. Package sql lets one goroutine at a time use it.
type keepingConn struct {
	sqliteConn
	idle     []kept
	observed bool
}

type kept struct {
	query string
	statement
}

// take begins a query, unless its context has ended, with a statement that nothing else uses.
func (c *keepingConn) take(ctx context.Context, query string) (kept, error) {
	if err := ctx.Err(); err != nil {
		return kept{}, err
	}
	if f, ok := ctx.Value(observer{}).(func(query string)); ok && c.observed {
		f(query)
	}
	if i := slices.IndexFunc(c.idle, func(k kept) bool { return k.query == query }); i >= 0 {
		k := c.idle[i]
		c.idle = slices.Delete(c.idle, i, i+1)
		return k, nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return kept{}, err
	}
	s, ok := prepared.(statement)
	if !ok {
		return kept{}, errors.Join(fmt.Errorf("the driver's statements are %T", prepared), prepared.Close())
	}
	return kept{query, s}, nil
}

// giveBack keeps a statement for the next time. SQLite runs some of a PRAGMA when it prepares it.
func (c *keepingConn) giveBack(k kept) error {
	if strings.HasPrefix(k.query, "PRAGMA") ||
		slices.ContainsFunc(c.idle, func(other kept) bool { return other.query == k.query }) {
		return k.Close()
	}
	c.idle = append(c.idle, k)
	if len(c.idle) <= maxStatements {
		return nil
	}
	oldest := c.idle[0]
	c.idle = slices.Delete(c.idle, 0, 1)
	return oldest.Close()
}

// observer is the key under which a context holds a function that sees every statement.
type observer struct{}

// WithObserver returns a context in which observe is called with every statement. Tests
// see with it what a call costs.
func WithObserver(ctx context.Context, observe func(query string)) context.Context {
	return context.WithValue(ctx, observer{}, observe)
}

// ExecContext implements [driver.ExecerContext].
func (c *keepingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	k, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := k.ExecContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return result, c.giveBack(k)
}

// QueryContext implements [driver.QueryerContext].
func (c *keepingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	k, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := k.QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return &keptRows{Rows: rows, conn: c, of: k}, nil
}

// Close implements [driver.Conn].
func (c *keepingConn) Close() error {
	var errs []error
	for _, k := range c.idle {
		errs = append(errs, k.Close())
	}
	c.idle = nil
	return errors.Join(append(errs, c.sqliteConn.Close())...)
}

// keptRows are the rows of a statement that goes back when they are closed.
type keptRows struct {
	driver.Rows
	conn *keepingConn
	of   kept
}

// Close implements [driver.Rows].
func (r *keptRows) Close() error {
	if err := r.Rows.Close(); err != nil {
		return errors.Join(err, r.of.Close())
	}
	return r.conn.giveBack(r.of)
}
