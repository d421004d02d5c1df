package index

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"issues-index/index/db"
)

// cursorLife is how long a cursor is good for after it was last handed out:
// three times what clients are promised.
const cursorLife = 30 * time.Minute

// cursorPromise is how long clients are promised at least.
const cursorPromise = 10 * time.Minute

// cursorRenewal: a cursor that is handed out again with more than this left is
// not written again, so that repeating a list writes nothing.
const cursorRenewal = 20 * time.Minute

// A bookmark is where a client's paging stands.
type bookmark struct {
	query Query
	rev   int64 // state.rev when the first page was read; 0 while it is being read
	place position
	found []int64 // the documents that a search found, best first
}

// A position is where the next page starts.
type position struct {
	Seen    int    `json:"seen"`              // rows on the pages so far
	Key     int64  `json:"key,omitempty"`     // lists: sort key of the last row
	Path    string `json:"path,omitempty"`    // lists: path of the last row
	Next    int    `json:"next,omitempty"`    // searches: where in the ranking to go on
	Ranking string `json:"ranking,omitempty"` // searches: its name
}

// CursorReason says why a cursor is refused.
type CursorReason string

const (
	// CursorUnknown is a cursor that was altered, is of another workspace, or of before a rebuild.
	CursorUnknown CursorReason = "unknown"
	// CursorExpired is a cursor that was not used for 30 minutes (cursorLife). Clients are promised
	// 10 minutes (cursorPromise).
	CursorExpired CursorReason = "expired"
	// CursorScope is a cursor made by another tool, which CursorError.Scope names.
	CursorScope CursorReason = "scope"
)

// CursorError says why a cursor is refused.
type CursorError struct {
	Reason CursorReason
	Scope  string
}

func (e *CursorError) Error() string { return "the cursor is refused: " + string(e.Reason) }

// tokenLetters avoids letters that are mistaken for others.
var tokenLetters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// The lengths of a token's two parts: a hash of what it stands for, and a
// signature that tells an expired token of ours from a made-up token.
const (
	tokenHash = 8
	tokenSign = 4
)

// placeholderCursor stands for a cursor that is not made yet. Letters and digits
// in turn cost a model more than any cursor does.
const placeholderCursor = "0a1b2c3d4e5f"

// signature is a keyed hash of text in token letters.
func signature(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return tokenLetters.EncodeToString(mac.Sum(nil))
}

// signed makes a token of a hash.
func signed(key []byte, hash string) string {
	return hash + signature(key, hash)[:tokenSign]
}

// resume returns what q's cursor stands for.
func (e *engine) resume(ctx context.Context, tx db.Querier, q Query) (*bookmark, error) {
	if len(q.Cursor) != tokenHash+tokenSign || q.Cursor != signed(e.build.cursorKey, q.Cursor[:tokenHash]) {
		return nil, &CursorError{Reason: CursorUnknown}
	}
	b := &bookmark{}
	var query, place string
	const kept = `SELECT query, rev, place FROM cursor WHERE token = ? AND expires > ?`
	err := tx.QueryRowContext(ctx, kept, q.Cursor, e.now().UnixMilli()).
		Scan(&query, &b.rev, &place)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, &CursorError{Reason: CursorExpired}
	}
	if err != nil {
		return nil, fmt.Errorf("read the cursor: %w", err)
	}
	if err := errors.Join(json.Unmarshal([]byte(query), &b.query), json.Unmarshal([]byte(place), &b.place)); err != nil {
		return nil, fmt.Errorf("%w: read the cursor: %w", db.ErrDamaged, err)
	}
	if b.query.Scope != q.Scope {
		return nil, &CursorError{Reason: CursorScope, Scope: b.query.Scope}
	}
	if b.query.ranked() {
		if b.found, err = keptRanking(ctx, tx, b.place.Ranking); err != nil {
			return nil, err
		}
		if b.found == nil {
			return nil, &CursorError{Reason: CursorExpired}
		}
	}
	if q.Limit > 0 {
		b.query.Limit = q.Limit
	}
	return b, nil
}

// ErrChanged says that the documents of a page have changed since it was read, before
// there was a cursor for them, several times.
var ErrChanged = errors.New("the documents have changed since the page was read")

// A pager makes the cursors of one page.
type pager struct {
	ix         *Index
	generation string
	at         bookmark   // where the page begins
	first      bool       // it has no page before it
	ends       []position // where the next page begins when this one has one row, two, and so on
}

// A storedCursor is one that this process has stored, which needs no look until it is renewed.
type storedCursor struct {
	generation, text, token string
	renewed                 time.Time
}

// cursor stores the bookmark of the page after so many rows and returns its token, or
// why it cannot be stored.
func (p *pager) cursor(ctx context.Context, rows int) (token, unkept string, err error) {
	next := p.at
	next.place, next.query.Offset = p.ends[rows-1], 0
	token, from, err := p.store(ctx, &next)
	switch kind := db.FailureOf(err); {
	case kind == db.DiskFailed:
		return "", p.ix.engine.unkept(p.ix.log, "the disk is full or failing", err), nil
	case kind == db.Locked:
		return "", p.ix.engine.unkept(p.ix.log, "another program has locked the index", err), nil
	case kind.Reopens():
		return "", "", errors.Join(ErrChanged, p.ix.invalidate(ctx, from, err))
	case err == nil:
		p.ix.engine.losesCursors.Store(false)
	}
	return token, "", err
}

// unkept returns why there is no cursor. What keeps failing is logged once.
func (e *engine) unkept(log *slog.Logger, why string, err error) string {
	if !e.losesCursors.Swap(true) {
		log.Warn("pages have no cursors for now", "error", err)
	}
	return why
}

// store writes a bookmark unless it is stored already, and returns its token and the
// index that it is in.
func (p *pager) store(ctx context.Context, next *bookmark) (token string, in *db.DB, err error) {
	ix := p.ix
	ix.use.RLock()
	defer ix.use.RUnlock()
	if in = ix.db; in == nil || p.generation != ix.engine.build.generation {
		return "", in, ErrChanged
	}
	query, err := json.Marshal(next.query)
	place, placeErr := json.Marshal(next.place)
	if err = errors.Join(err, placeErr); err != nil {
		return "", in, fmt.Errorf("make a cursor: %w", err)
	}
	// The same bookmark has the same token, so that asking again for a page of an unchanged
	// index writes nothing.
	key := ix.engine.build.cursorKey
	text := fmt.Sprintf("%s\n%d\n%s", query, next.rev, place)
	last := ix.engine.lastCursor.Load()
	if last != nil && last.generation == p.generation && last.text == text && ix.now().Before(last.renewed) {
		return last.token, in, nil
	}
	if err := ctx.Err(); err != nil {
		return "", in, err
	}
	token = signed(key, signature(key, text)[:tokenHash])
	// To watch for the end of the context would take longer than this look.
	kept, err := readOne[bool](context.WithoutCancel(ctx), in.Read, "look for the cursor", `
		SELECT EXISTS (SELECT 1 FROM cursor WHERE token = ? AND query = ? AND rev = ? AND place = ? AND expires > ?)`,
		token, string(query), next.rev, string(place), ix.now().Add(cursorRenewal).UnixMilli())
	if kept || err != nil {
		return token, in, err
	}
	now := ix.now()
	tx, err := in.Write.BeginTx(ctx, nil)
	if err != nil {
		return "", in, fmt.Errorf("write a cursor: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // of no effect after the commit
	var rev int64
	var generation string
	if err := tx.QueryRowContext(ctx, `SELECT rev, generation FROM state`).Scan(&rev, &generation); err != nil {
		return "", in, fmt.Errorf("read the index's state: %w", err)
	}
	if generation != p.generation {
		return "", in, ErrChanged
	}
	var changed error
	if p.first && rev != next.rev {
		past, err := ix.engine.keepsPast(ctx, tx, next.rev)
		if err != nil {
			return "", in, err
		}
		if !past { // a cursor of this moment, without a token that is given out, has the past kept
			next, changed = &bookmark{rev: rev}, ErrChanged
			query, place, token = nil, nil, fmt.Sprint(rev)
		}
	}
	if err = ix.engine.storeBookmark(ctx, tx, token, string(query), string(place), next); err != nil {
		return "", in, fmt.Errorf("write a cursor: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return "", in, fmt.Errorf("write a cursor: %w", err)
	}
	if changed == nil && !next.query.ranked() { // whose ranking is looked for, too
		ix.engine.lastCursor.Store(&storedCursor{p.generation, text, token, now.Add(cursorLife - cursorRenewal)})
	}
	return token, in, changed
}

// keepsPast reports whether all changes since a revision have kept the past that
// cursors need. They do while a cursor is open that is as old.
func (e *engine) keepsPast(ctx context.Context, q db.Querier, rev int64) (bool, error) {
	return readOne[bool](ctx, q, "look for cursors",
		`SELECT EXISTS (SELECT 1 FROM cursor WHERE rev <= ? AND expires > ?)`, rev, e.now().UnixMilli())
}

// storeBookmark clears away what has expired, and writes a bookmark.
func (e *engine) storeBookmark(ctx context.Context, tx *sql.Tx, token, query, place string, b *bookmark) error {
	now, expires := e.now().UnixMilli(), e.now().Add(cursorLife).UnixMilli()
	for _, clear := range []string{
		`DELETE FROM cursor WHERE expires <= ?1`,
		`DELETE FROM ranking WHERE expires <= ?1`,
		// What happened before every cursor's first page, and this one's.
		`DELETE FROM past WHERE to_rev <= min(?2, coalesce((SELECT min(rev) FROM cursor), ?2))`,
	} {
		if _, err := tx.ExecContext(ctx, clear, now, b.rev); err != nil {
			return err
		}
	}
	if b.found != nil {
		_, err := tx.ExecContext(ctx, `INSERT INTO ranking VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET expires = ?2`,
			b.place.Ranking, expires, strings.Trim(jsonNumbers(b.found), "[]"))
		if err != nil {
			return err
		}
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO cursor VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT DO UPDATE SET expires = ?5 WHERE query = ?2 AND rev = ?3 AND place = ?4`,
		token, query, b.rev, place, expires)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("another cursor has the token: ask for pages of another size"))
	}
	return nil
}
