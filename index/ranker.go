package index

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"issues-index/index/db"
	"issues-index/index/fulltext"
)

// weights are those of a word in the columns of the full-text table, in their order.
// The more often bm25 has counted a word, the less one more counts: only weights this
// far apart keep a title or a label that has it above a body that repeats it.
var weights = []struct {
	column string
	weight float64
}{{"body", 1}, {"title", 1000}, {"labels", 100}}

var rankBy = func() string {
	call := "bm25(search"
	for _, w := range weights {
		call += fmt.Sprintf(", %.1f", w.weight)
	}
	return call + ")"
}()

// rank finds every match in the order that the query asks for.
func (e *engine) rank(ctx context.Context, tx *db.Snapshot, q Query, parsed fulltext.SearchQuery) ([]int64, error) {
	if parsed.MatchesAll() {
		return e.sorted(ctx, tx, q.Sort, e.where(q.Filter))
	}
	vocabulary, err := e.words(ctx, tx)
	if err != nil {
		return nil, err
	}
	documents, err := e.count(ctx, tx, Filter{})
	if err != nil {
		return nil, err
	}
	parsed = parsed.Resolve(vocabulary)
	plan := parsed.Candidates(vocabulary, max(minExpansions, documents/documentsPerExpansion))
	limited, err := e.limitedDocuments(ctx, tx, q.Filter, parsed, vocabulary)
	if err != nil || plan.None && len(limited.all) == 0 {
		return nil, err
	}
	if q.Sort.Key != "" && q.Sort.Key != SortRelevance {
		matches, err := e.matches(ctx, tx, q.Filter, parsed, plan, setOf(limited.all))
		if err != nil {
			return nil, err
		}
		return e.sortedAmong(ctx, tx, q.Sort, append(matches, limited.matches...), documents)
	}
	ranked, err := e.byWords(ctx, tx, q.Filter, parsed.Ranked(), documents)
	if err != nil {
		return nil, err
	}
	ranked = limited.confirm(ranked)
	var rest []int64
	if parsed.RankedExact() || plan.Exact && plan.Expr == parsed.Ranked() {
		if plan.Expr != "" {
			plan = plan.Except(parsed.Ranked())
		}
		rest, err = e.matches(ctx, tx, q.Filter, parsed, plan, setOf(slices.Concat(limited.all, ranked)))
	} else if rest, err = e.matches(ctx, tx, q.Filter, parsed, plan, setOf(limited.all)); err == nil {
		matches := setOf(slices.Concat(rest, limited.matches))
		ranked = slices.DeleteFunc(ranked, func(doc int64) bool { return !matches.has(doc) })
		rest = slices.DeleteFunc(rest, setOf(ranked).has)
	}
	if err != nil {
		return nil, err
	}
	rest = append(rest, slices.DeleteFunc(limited.matches, setOf(ranked).has)...)
	rest, err = e.sortedAmong(ctx, tx, Sort{}, rest, documents)
	ranked = append(ranked, rest...)
	if q.Sort.Key == SortRelevance && !q.Sort.Desc { // the worst match is asked for first
		slices.Reverse(ranked)
	}
	return ranked, err
}

// byWords ranks the documents that an expression finds; equally good ones go by
// their paths.
func (e *engine) byWords(ctx context.Context, tx *db.Snapshot, f Filter, expr string, documents int) ([]int64, error) {
	if expr == "" {
		return nil, nil
	}
	query, args := e.matchQuery(f, expr)
	// The limit, which is none, keeps the score in the query that it belongs to.
	hits, err := readHits(ctx, tx, `SELECT `+hitsFunction+`(rowid, score) FROM (SELECT rowid, `+rankBy+` AS score `+query+` LIMIT -1)`, args...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(hits, byScore)
	var tied []int64
	for i := range hits {
		if i > 0 && hits[i-1].score == hits[i].score || i+1 < len(hits) && hits[i].score == hits[i+1].score {
			tied = append(tied, hits[i].doc)
		}
	}
	if len(tied) > 0 {
		place, err := e.placesBy(ctx, tx, byPath, tied, documents)
		if err != nil {
			return nil, err
		}
		untie(hits, place)
	}
	docs := make([]int64, len(hits))
	for i, h := range hits {
		docs[i] = h.doc
	}
	return docs, nil
}

// matchQuery is the rest of a SELECT over the full-text table. What the filter
// says is looked up for each document that has the words, never "rowid IN": for
// that, SQLite asks the full-text table once for each document of the filter. The documents of
// a workspace of a mirror are few among all, and mostly beside each other: only the full-text
// table between the first and the last of them is looked at, and one list has them all.
func (e *engine) matchQuery(f Filter, expr string) (string, []any) {
	query, args := `FROM search WHERE search MATCH ?`, []any{expr}
	labels := &clause{}
	if !slices.Contains(f.Labels, None) { // which is on the document itself
		labels.in("label", f.Labels)
		f.Labels = nil
	}
	where := e.where(f)
	switch {
	case len(f.Workspaces) > 0:
		in := &clause{}
		in.inLines(f)
		for _, bound := range []string{">= (SELECT min", "<= (SELECT max"} {
			query += ` AND search.rowid ` + bound + `(doc) FROM document WHERE ` + in.String() + `)`
			args = append(args, in.args...)
		}
		query += ` AND +search.rowid IN (SELECT doc FROM document WHERE ` + where.String() + `)`
		args = append(args, where.args...)
	case len(where.terms) > 0:
		query += ` AND EXISTS (SELECT 1 FROM document WHERE doc = search.rowid AND ` + where.String() + `)`
		args = append(args, where.args...)
	}
	if len(labels.terms) > 0 {
		query += ` AND EXISTS (SELECT 1 FROM document_label WHERE doc = search.rowid AND ` + labels.String() + `)`
		args = append(args, labels.args...)
	}
	return query, args
}

// sorted orders the documents for which a condition holds by a sort key other
// than relevance.
func (e *engine) sorted(ctx context.Context, tx *db.Snapshot, sort Sort, where *clause) ([]int64, error) {
	if sort.Key == SortRelevance {
		sort = Sort{}
	}
	o := sort.order()
	return numbers(ctx, tx, `SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE `+where.String()+
		` ORDER BY `+o.column+` `+o.direction+`, path `+o.direction+`)`, where.args...)
}

// sortedAmong orders documents, each given once, by a sort key other than
// relevance. documents is how many there are in all.
func (e *engine) sortedAmong(ctx context.Context, tx *db.Snapshot, sort Sort, docs []int64, documents int) ([]int64, error) {
	if len(docs) < 2 {
		return docs, nil
	}
	o := sort.order()
	place, err := e.placesBy(ctx, tx, o.column, docs, documents)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(docs, func(a, b int64) int { return place(a) - place(b) })
	if o.direction == "DESC" {
		slices.Reverse(docs)
	}
	return docs, nil
}

// numbers reads the document numbers that a query concatenates. Thousands of them come
// much faster as one text than as so many rows.
func numbers(ctx context.Context, q db.Querier, query string, args ...any) ([]int64, error) {
	var text sql.NullString
	if err := q.QueryRowContext(ctx, query, args...).Scan(&text); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if text.String == "" {
		return nil, nil
	}
	docs := make([]int64, 0, strings.Count(text.String, ",")+1)
	for number := range strings.SplitSeq(text.String, ",") {
		doc, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read document numbers: %w", err)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func jsonNumbers(docs []int64) string {
	text := []byte("[")
	for _, doc := range docs {
		text = append(strconv.AppendInt(text, doc, 10), ',')
	}
	return string(append(bytes.TrimSuffix(text, []byte(",")), ']'))
}
