package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"issues-index/index/fulltext"
)

// The weights of a word in the title, the labels and the body. The more often
// bm25 has counted a word, the less one more counts: only weights this far apart
// keep a title or a label that has it above a body that repeats it.
const rankBy = `bm25(search, 1000.0, 100.0, 1.0)`

// snippetSize is how long a snippet is, in characters.
const snippetSize = 200

// search reads a page of a search at a bookmark, and where the next one starts
// after each of its rows. The first page ranks every match; the ranking is kept
// for the pages that follow, since it would be another one as soon as any
// document changes.
func (ix *Index) search(ctx context.Context, tx *sql.Tx, at *bookmark, _ int64) (Page, []position, error) {
	q := at.query
	parsed := fulltext.Parse(q.Text, q.Fields)
	end := at.place
	if end.Ranking == "" {
		var err error
		if end.Ranking, err = ix.rankingName(q, at.rev); err != nil {
			return Page{}, nil, err
		}
		kept, err := readRanking(ctx, tx, end.Ranking)
		if kept != nil || err != nil {
			at.docs = kept
		} else {
			at.docs, err = ix.rank(ctx, tx, q, parsed)
		}
		if err != nil {
			return Page{}, nil, err
		}
	}
	page := Page{Query: q}
	reader, err := ix.textReader(ctx, tx)
	if err != nil {
		return Page{}, nil, err
	}
	where := q.Filter.where()
	where.add("doc = ?")
	matcher := parsed.Matcher()
	var ends []position
	for end.Next < len(at.docs) && len(page.Rows) < q.Limit {
		doc := at.docs[end.Next]
		end.Next++
		row, ok, err := ix.foundRow(ctx, tx, at.rev, doc, where, reader, matcher)
		if err != nil {
			return Page{}, nil, err
		}
		if !ok { // gone since, or a match no more
			continue
		}
		if q.Snippets {
			if row.Snippet, err = reader.snippet(ctx, tx, doc, parsed); err != nil {
				return Page{}, nil, err
			}
		}
		end.Seen++
		page.Rows, ends = append(page.Rows, row), append(ends, end)
	}
	page.Remaining = len(at.docs) - end.Next
	page.Total = end.Seen + page.Remaining
	if page.Remaining > 0 {
		page.Next = someToken
	}
	return page, ends, nil
}

// rankingName names what a query finds at a state of the index, whoever asks
// and however much at once.
func (ix *Index) rankingName(q Query, rev int64) (string, error) {
	finds := Query{Search: true, Text: q.Text, Fields: q.Fields, Filter: q.Filter, Sort: q.Sort}
	row, err := (&bookmark{query: finds, rev: rev}).stored(ix.cursorKey, 0)
	return row.token, err
}

// foundRow reads a row of a ranking; ok is false when the document is gone or,
// having changed since it was ranked, matches no more.
func (ix *Index) foundRow(ctx context.Context, tx *sql.Tx, since, doc int64, where *clause, reader *textReader, matcher *fulltext.Matcher) (row Row, ok bool, err error) {
	args := append(slices.Clone(where.args), doc)
	rows, err := tx.QueryContext(ctx, `SELECT `+rowColumns+`, d.rev FROM document d WHERE `+where.String(), args...)
	if err != nil {
		return Row{}, false, fmt.Errorf("read a found document: %w", err)
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return Row{}, false, rows.Err()
	}
	var rev int64
	if row, err = scanRow(rows.Scan, &rev); err != nil {
		return Row{}, false, err
	}
	if err := rows.Close(); err != nil {
		return Row{}, false, fmt.Errorf("read a found document: %w", err)
	}
	if rev <= since {
		return row, true, nil
	}
	body, err := reader.body(ctx, tx, doc)
	if err != nil {
		return Row{}, false, err
	}
	return row, matcher.Match(fulltext.Text{Title: row.Title, Labels: strings.Join(row.Labels, "\n"), Body: body}), nil
}

// rank finds every match in the order that the query asks for.
func (ix *Index) rank(ctx context.Context, tx *sql.Tx, q Query, parsed fulltext.Query) ([]int64, error) {
	if parsed.MatchesAll() {
		return ix.sorted(ctx, tx, q.Sort, q.Filter.where())
	}
	vocabulary, err := ix.words(ctx, tx)
	if err != nil {
		return nil, err
	}
	documents, err := ix.count(ctx, tx, Filter{}, 0)
	if err != nil {
		return nil, err
	}
	parsed = parsed.Resolve(vocabulary)
	plan := parsed.Candidates(vocabulary, max(minExpansions, documents/documentsPerExpansion))
	if plan.None {
		return nil, nil
	}
	byRelevance := q.Sort.Key == "" || q.Sort.Key == SortRelevance
	var ranked []int64
	if byRelevance {
		if ranked, err = ix.byWords(ctx, tx, q.Filter, parsed); err != nil {
			return nil, err
		}
		if plan.Exact && plan.Expr == parsed.Ranked() {
			return reversed(ranked, q.Sort), nil
		}
	}
	matches, err := ix.matches(ctx, tx, q.Filter, parsed, plan, ranked)
	if err != nil || len(matches) == 0 { // none is not all, as it is for sorted
		return nil, err
	}
	if !byRelevance {
		return ix.sorted(ctx, tx, q.Sort, among(matches))
	}
	if !parsed.RankedExact() {
		isMatch := make(map[int64]bool, len(matches))
		for _, doc := range matches {
			isMatch[doc] = true
		}
		ranked = slices.DeleteFunc(ranked, func(doc int64) bool { return !isMatch[doc] })
	}
	isRanked := make(map[int64]bool, len(ranked))
	for _, doc := range ranked {
		isRanked[doc] = true
	}
	rest := slices.DeleteFunc(matches, func(doc int64) bool { return isRanked[doc] })
	rest, err = ix.sorted(ctx, tx, Sort{}, among(rest))
	return reversed(append(ranked, rest...), q.Sort), err
}

// reversed turns a ranking round when the worst match is asked for first.
func reversed(docs []int64, s Sort) []int64 {
	if s.Key == SortRelevance && !s.Desc {
		slices.Reverse(docs)
	}
	return docs
}

// byWords ranks the documents that have the query's words as words; equally
// good ones go by their paths.
func (ix *Index) byWords(ctx context.Context, tx *sql.Tx, f Filter, parsed fulltext.Query) ([]int64, error) {
	expr := parsed.Ranked()
	if expr == "" {
		return nil, nil
	}
	query, args := matchQuery(f, expr)
	scored, err := concatenated(ctx, tx, `SELECT group_concat(rowid || ':' || score) FROM (SELECT rowid, `+rankBy+` AS score `+query+` ORDER BY score)`, args...)
	if err != nil {
		return nil, err
	}
	var docs, tied []int64
	var scores []string
	for entry := range strings.SplitSeq(scored, ",") {
		number, score, ok := strings.Cut(entry, ":")
		if !ok { // nothing was found
			break
		}
		doc, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read a ranking: %w", err)
		}
		if len(scores) > 0 && score == scores[len(scores)-1] {
			if len(tied) == 0 || tied[len(tied)-1] != docs[len(docs)-1] {
				tied = append(tied, docs[len(docs)-1])
			}
			tied = append(tied, doc)
		}
		docs, scores = append(docs, doc), append(scores, score)
	}
	return docs, untie(ctx, tx, docs, scores, tied)
}

// untie sorts runs of equal scores by path. tied are the documents of such runs.
func untie(ctx context.Context, tx *sql.Tx, docs []int64, scores []string, tied []int64) error {
	if len(tied) == 0 {
		return nil
	}
	byPath, err := numbers(ctx, tx, `SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE doc IN (SELECT value FROM json_each(?)) ORDER BY path)`, jsonNumbers(tied))
	if err != nil {
		return err
	}
	place := make(map[int64]int, len(byPath))
	for i, doc := range byPath {
		place[doc] = i
	}
	for start := 0; start < len(docs); {
		end := start + 1
		for end < len(docs) && scores[end] == scores[start] {
			end++
		}
		slices.SortFunc(docs[start:end], func(a, b int64) int { return place[a] - place[b] })
		start = end
	}
	return nil
}

// matchQuery is the rest of a SELECT over the full-text table.
func matchQuery(f Filter, expr string) (string, []any) {
	query, args := `FROM search WHERE search MATCH ?`, []any{expr}
	if where := f.where(); len(where.terms) > 0 {
		// Not "rowid IN": for that, SQLite asks the full-text table once for each document.
		query += ` AND EXISTS (SELECT 1 FROM document WHERE doc = search.rowid AND ` + where.String() + `)`
		args = append(args, where.args...)
	}
	return query, args
}

// sorted orders the documents for which a condition holds by a sort key other
// than relevance.
func (ix *Index) sorted(ctx context.Context, tx *sql.Tx, sort Sort, where *clause) ([]int64, error) {
	if sort.Key == SortRelevance {
		sort = Sort{}
	}
	o := sort.order()
	return numbers(ctx, tx, `SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE `+where.String()+
		` ORDER BY `+o.column+` `+o.direction+`, path `+o.direction+`)`, where.args...)
}

// among is the condition that a document is one of these.
func among(docs []int64) *clause {
	c := &clause{}
	c.add("doc IN (SELECT value FROM json_each(?))", jsonNumbers(docs))
	return c
}

// concatenated reads the one text of a query. Thousands of numbers come much
// faster as one text than as so many rows.
func concatenated(ctx context.Context, q querier, query string, args ...any) (string, error) {
	var text sql.NullString
	if err := q.QueryRowContext(ctx, query, args...).Scan(&text); err != nil {
		return "", fmt.Errorf("search: %w", err)
	}
	return text.String, nil
}

// numbers reads the document numbers that a query concatenates.
func numbers(ctx context.Context, q querier, query string, args ...any) ([]int64, error) {
	text, err := concatenated(ctx, q, query, args...)
	if err != nil || text == "" {
		return nil, err
	}
	docs := make([]int64, 0, strings.Count(text, ",")+1)
	for number := range strings.SplitSeq(text, ",") {
		doc, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read document numbers: %w", err)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func jsonNumbers(docs []int64) string {
	text := make([]byte, 0, 8*len(docs)+2)
	text = append(text, '[')
	for i, doc := range docs {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, doc, 10)
	}
	return string(append(text, ']'))
}
