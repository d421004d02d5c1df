package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"issues-index/index/db"
	"issues-index/index/search"
)

// snippetSize is how long a snippet is, in characters.
const snippetSize = 200

// maxTerms bounds the words and phrases of a search. At 10,000 documents each took
// up to 6 ms.
const maxTerms = 256

// A TermsError refuses a search for too many words: Terms is how many words and phrases it has,
// Most how many it may have (maxTerms).
type TermsError struct{ Terms, Most int }

func (e *TermsError) Error() string {
	return fmt.Sprintf("the search has %d words and phrases, and may have %d", e.Terms, e.Most)
}

// search reads a page of a search at a bookmark, and where the next one starts
// after each of its rows. The first page ranks every match; the ranking is kept
// for the pages that follow, since it would be another one as soon as any
// document changes.
func (e *engine) search(ctx context.Context, tx *db.Snapshot, at *bookmark) (Page, []position, error) {
	q := at.query
	parsed := search.Parse(q.Text, q.Fields)
	if n := parsed.Terms(); n > maxTerms {
		return Page{}, nil, &TermsError{Terms: n, Most: maxTerms}
	}
	end := at.place
	if end.Ranking == "" {
		key, err := e.countKey(ctx, tx, q.Filter)
		if err != nil {
			return Page{}, nil, err
		}
		key = fmt.Sprintf("%q %q %v %d %s", q.Text, q.Fields, q.Sort, at.rev, key)
		end.Ranking = signature(e.build.cursorKey, key)[:tokenHash+tokenSign]
		if at.found, err = keptRanking(ctx, tx, end.Ranking); err == nil && at.found == nil {
			at.found, err = e.rank(ctx, tx, q, parsed)
		}
		if err != nil {
			return Page{}, nil, err
		}
	}
	page := Page{Query: q}
	matcher := parsed.Matcher()
	var ends []position
	for end.Next < len(at.found) && len(page.Rows) < q.Limit {
		docs := at.found[end.Next:min(len(at.found), end.Next+q.Limit-len(page.Rows))]
		rows, err := e.foundRows(ctx, tx, at, docs)
		if err != nil {
			return Page{}, nil, err
		}
		for _, doc := range docs {
			end.Next++
			row, there := rows[doc]
			labels := strings.Join(row.Labels, "\n")
			if !there || row.rev > at.rev && !matcher.Match(search.Text{Title: row.Title, Labels: labels, Body: row.body}) {
				continue // gone since, or a match no more
			}
			if q.Snippets {
				row.Snippet = parsed.Snippet(row.body, snippetSize)
			}
			end.Seen++
			page.Rows, ends = append(page.Rows, row.Row), append(ends, end)
		}
	}
	page.Remaining = len(at.found) - end.Next
	page.Total = end.Seen + page.Remaining
	if page.Remaining > 0 {
		page.Next = placeholderCursor
	}
	return page, ends, nil
}

// keptRanking returns the documents that a search found, best first, which are kept by a name
// for the pages that follow the first; nil when there are none of that name.
func keptRanking(ctx context.Context, tx db.Querier, name string) ([]int64, error) {
	return numbers(ctx, tx, `SELECT (SELECT docs FROM ranking WHERE name = ?)`, name)
}

// A foundRow is a row of a ranking.
type foundRow struct {
	Row
	rev  int64
	body string
}

// foundRows reads those rows of some documents that the filter of a query lets through still.
func (e *engine) foundRows(
	ctx context.Context, tx *db.Snapshot, at *bookmark, docs []int64,
) (map[int64]foundRow, error) {
	q, where := at.query, e.where(at.query.Filter)
	found := make(map[int64]foundRow, len(docs))
	var rev int64
	var body sql.RawBytes
	reader := newRowReader(q.Lines, &rev, &body)
	err := readEach(ctx, tx, "documents", func(scan func(...any) error) error {
		row, err := reader.read(scan)
		if err != nil {
			return err
		}
		one := foundRow{Row: row, rev: rev}
		if q.Snippets || rev > at.rev { // to unpack a text takes longer than to read its row
			one.body, err = unpacked(body)
		}
		found[row.doc] = one
		return err
	}, `SELECT `+reader.columns+`, d.rev, (SELECT text FROM body WHERE body.doc = d.doc)
		FROM (SELECT value AS found FROM json_each(?)) CROSS JOIN document d ON d.doc = found WHERE `+where.String(),
		slices.Concat([]any{jsonNumbers(docs)}, where.args)...)
	return found, err
}
