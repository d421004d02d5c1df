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
	"time"
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
	found *ranking // what a search found
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
	// CursorExpired is a cursor not used for longer than it is good for.
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
// signature that tells a token of ours that has expired from one that never was.
const (
	tokenHash = 8
	tokenSign = 4
)

// someToken stands for the token that a page is going to have. Letters and
// digits in turn cost a model more than any token of ours does.
const someToken = "0a1b2c3d4e5f"

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

// A stored is a bookmark in the form of its row.
type stored struct {
	token, query, place string
	rev                 int64
}

// stored makes the row of a bookmark. The same bookmark has the same token, so
// that asking again for a page of an unchanged index writes nothing; attempt
// makes others, should two bookmarks meet in one.
func (b *bookmark) stored(key []byte, attempt int) (stored, error) {
	query, err := json.Marshal(b.query)
	if err != nil {
		return stored{}, fmt.Errorf("make a cursor: %w", err)
	}
	place, err := json.Marshal(b.place)
	if err != nil {
		return stored{}, fmt.Errorf("make a cursor: %w", err)
	}
	hash := signature(key, fmt.Sprintf("%s\n%d\n%s\n%d", query, b.rev, place, attempt))[:tokenHash]
	return stored{signed(key, hash), string(query), string(place), b.rev}, nil
}

// resume returns what q's cursor stands for.
func (ix *Index) resume(ctx context.Context, tx querier, q Query) (*bookmark, error) {
	if len(q.Cursor) != tokenHash+tokenSign || q.Cursor != signed(ix.cursorKey, q.Cursor[:tokenHash]) {
		return nil, &CursorError{Reason: CursorUnknown}
	}
	b := &bookmark{}
	var query, place string
	err := tx.QueryRowContext(ctx, `SELECT query, rev, place FROM cursor WHERE token = ? AND expires > ?`, q.Cursor, ix.now().UnixMilli()).
		Scan(&query, &b.rev, &place)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, &CursorError{Reason: CursorExpired}
	}
	if err != nil {
		return nil, fmt.Errorf("read the cursor: %w", err)
	}
	if err := errors.Join(json.Unmarshal([]byte(query), &b.query), json.Unmarshal([]byte(place), &b.place)); err != nil {
		return nil, fmt.Errorf("%w: read the cursor: %w", errDamaged, err)
	}
	if b.query.Scope != q.Scope {
		return nil, &CursorError{Reason: CursorScope, Scope: b.query.Scope}
	}
	if b.query.Search {
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

// keep stores the bookmark of the page that follows page and puts its token
// into page, or why it cannot be stored. It reports outdated when page is to be read
// again, from another index.
func (ix *Index) keep(ctx context.Context, q Query, page Page, next *bookmark) (_ Page, outdated bool, err error) {
	kept, db, outdated, err := ix.keepOnce(ctx, q, page, next)
	switch kind := failureOf(err); {
	case kind == noRoom:
		return ix.unkept(page, "the disk is full or failing", err), false, nil
	case kind == locked:
		return ix.unkept(page, "another program has locked the index", err), false, nil
	case kind.again():
		return Page{}, true, ix.invalidate(ctx, db, err)
	}
	return kept, outdated, err
}

// unkept is a page whose cursor could not be stored. What keeps failing is logged once.
func (ix *Index) unkept(page Page, why string, err error) Page {
	if !ix.losesCursors.Swap(true) {
		ix.log.Warn("pages have no cursors for now", "error", err)
	}
	page.Next, page.Unkept = "", why
	return page
}

// keepOnce is keep in the index db. When that has changed since a first page was read,
// the page is read again with the index held still: from then on, changes keep the past
// it needs.
func (ix *Index) keepOnce(ctx context.Context, q Query, page Page, next *bookmark) (_ Page, db *database, outdated bool, err error) {
	ix.use.RLock()
	defer ix.use.RUnlock()
	if db = ix.db; db == nil {
		return Page{}, nil, true, nil
	}
	page, outdated, err = ix.keepIn(ctx, db, q, page, next)
	return page, db, outdated, err
}

func (ix *Index) keepIn(ctx context.Context, db *database, q Query, page Page, next *bookmark) (_ Page, outdated bool, err error) {
	row, err := next.stored(ix.cursorKey, 0)
	if err != nil {
		return Page{}, false, err
	}
	var kept bool
	err = db.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM cursor WHERE token = ? AND query = ? AND place = ? AND rev = ? AND expires > ?)`,
		row.token, row.query, row.place, row.rev, ix.now().Add(cursorRenewal).UnixMilli()).Scan(&kept)
	if err != nil {
		return Page{}, false, fmt.Errorf("look for the cursor: %w", err)
	}
	if kept {
		page.Next = row.token
		return page, false, nil
	}
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return Page{}, false, fmt.Errorf("write a cursor: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // of no effect after the commit
	var rev int64
	var generation string
	if err := tx.QueryRowContext(ctx, `SELECT rev, generation FROM state`).Scan(&rev, &generation); err != nil {
		return Page{}, false, fmt.Errorf("read the index's state: %w", err)
	}
	if generation != ix.generation {
		return Page{}, true, nil
	}
	if q.Cursor == "" && rev != next.rev {
		if page, next, err = ix.find(ctx, tx, q); err != nil || next == nil {
			return page, false, err
		}
	}
	page.Next, err = ix.store(ctx, tx, next)
	if errors.Is(err, errNoRanking) { // it expired, and another process cleared it away
		return Page{}, true, nil
	}
	if err != nil {
		return Page{}, false, err
	}
	if err := tx.Commit(); err != nil {
		return Page{}, false, fmt.Errorf("write a cursor: %w", err)
	}
	ix.losesCursors.Store(false)
	return page, false, nil
}

// store writes a bookmark, clears away what has expired, and returns the token.
func (ix *Index) store(ctx context.Context, tx *sql.Tx, b *bookmark) (string, error) {
	now, expires := ix.now().UnixMilli(), ix.now().Add(cursorLife).UnixMilli()
	if b.query.Search { // before it is cleared away
		if err := b.found.keep(ctx, tx, expires); err != nil {
			return "", err
		}
	}
	for _, table := range []string{"cursor", "ranking"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE expires <= ?`, now); err != nil {
			return "", fmt.Errorf("clear expired cursors: %w", err)
		}
	}
	// What happened before every cursor's first page, and this one's.
	for _, statement := range []string{
		`DELETE FROM past WHERE to_rev <= min(?1, coalesce((SELECT min(rev) FROM cursor), ?1))`,
		`DELETE FROM gone WHERE rev <= min(?1, coalesce((SELECT min(rev) FROM cursor), ?1))`,
	} {
		if _, err := tx.ExecContext(ctx, statement, b.rev); err != nil {
			return "", fmt.Errorf("clear the past: %w", err)
		}
	}
	for attempt := 0; ; attempt++ {
		row, err := b.stored(ix.cursorKey, attempt)
		if err != nil {
			return "", err
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO cursor VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT DO UPDATE SET expires = ?5 WHERE query = ?2 AND rev = ?3 AND place = ?4`,
			row.token, row.query, row.rev, row.place, expires)
		if err != nil {
			return "", fmt.Errorf("write a cursor: %w", err)
		}
		if n, err := result.RowsAffected(); err != nil || n == 1 {
			return row.token, err
		}
	}
}
