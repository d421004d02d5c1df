package index

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"issues-index/index/db"
	"issues-index/index/search"
	"issues-index/index/where"
)

// rankBy weighs a word in the body, the title and the labels, as the columns of the
// full-text table are. The more often bm25 has counted a word, the less one more counts:
// only weights this far apart keep a title or a label that has it above a body that
// repeats it.
const rankBy = "bm25(search, 1.0, 1000.0, 100.0)"

// A part of a word is turned into the words that hold it, at a cost for each; beyond some
// number it is cheaper to look into the texts. At 10,000 documents a word costs about as much
// as four texts.
const (
	minExpansions  = 256
	vocabularyPart = 16 // of so many words of the vocabulary one
)

// rank finds every match in the order that the query asks for: by relevance those that
// have its words whole, and then the others by their last update.
func (e *engine) rank(ctx context.Context, tx *db.Snapshot, q Query, parsed search.SearchQuery) ([]int64, error) {
	sort, byRelevance := q.Sort, q.Sort.Key == "" || q.Sort.Key == SortRelevance
	if byRelevance {
		sort = Sort{}
	}
	order := q.Filter.order
	if !q.Ordered {
		o := sort.order()
		order = where.Condition{SQL: o.column + " " + o.direction + ", path " + o.direction}
	}
	if parsed.MatchesAll() {
		return docsWhere(ctx, tx, e.where(q.Filter), order)
	}
	vocabulary, err := e.words(ctx, tx)
	if err != nil {
		return nil, err
	}
	plan := candidates(parsed, vocabulary)
	if q.Ordered || !byRelevance {
		matches, err := e.matches(ctx, tx, q.Filter, parsed, plan)
		if err != nil {
			return nil, err
		}
		return e.inOrder(ctx, tx, matches, order, !q.Ordered)
	}
	words := parsed.Ranked(vocabulary)
	ranked, err := e.byWords(ctx, tx, q.Filter, words)
	matches := ranked
	if err == nil && (!plan.Exact || plan.Expr != words) { // else nothing but whole words match
		matches, err = e.matches(ctx, tx, q.Filter, parsed, plan)
	}
	if err != nil {
		return nil, err
	}
	left := make(map[int64]bool, len(matches)) // matches that are not ranked
	for _, doc := range matches {
		left[doc] = true
	}
	ranked = slices.DeleteFunc(ranked, func(doc int64) bool {
		isMatch := left[doc]
		delete(left, doc)
		return !isMatch
	})
	rest, err := e.inOrder(ctx, tx, slices.Collect(maps.Keys(left)), order, true)
	ranked = append(ranked, rest...)
	if q.Sort.Key == SortRelevance && !q.Sort.Desc { // the worst match is asked for first
		slices.Reverse(ranked)
	}
	return ranked, err
}

// To look up documents and sort them takes longer than to go through the index that has all in
// their order when they are more than manySorted and one in sortedShare of all.
const (
	manySorted  = 512
	sortedShare = 8
)

// inOrder puts documents that were found in an order, which an index may have.
func (e *engine) inOrder(
	ctx context.Context, tx *db.Snapshot, docs []int64, order where.Condition, indexed bool,
) ([]int64, error) {
	if len(docs) < 2 {
		return docs, nil
	}
	if indexed && len(docs) > manySorted {
		all, err := e.count(ctx, tx, Filter{})
		if err != nil {
			return nil, err
		}
		if len(docs)*sortedShare > all {
			found := make(map[int64]bool, len(docs))
			for _, doc := range docs {
				found[doc] = true
			}
			ordered, err := remember(&e.counts, "in the order "+order.SQL, tx.Rev, func() ([]int64, error) {
				return docsWhere(ctx, tx, &clause{}, order)
			})
			return slices.DeleteFunc(slices.Clone(ordered), func(doc int64) bool { return !found[doc] }), err
		}
	}
	those := oneOf(docs)
	return docsWhere(ctx, tx, &clause{[]string{those.SQL}, those.Args}, order)
}

// docsWhere are the documents for which a condition holds, in an order.
func docsWhere(ctx context.Context, tx *db.Snapshot, c *clause, order where.Condition) ([]int64, error) {
	return numbers(ctx, tx, `SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE `+c.String()+
		` ORDER BY `+order.SQL+`)`, slices.Concat(c.args, order.Args)...)
}

// candidates is where all matches are.
func candidates(parsed search.SearchQuery, vocabulary *search.Vocabulary) search.Plan {
	return parsed.Candidates(vocabulary, max(minExpansions, vocabulary.Len()/vocabularyPart))
}

// matches finds every match among all documents, in no order.
func (e *engine) matches(
	ctx context.Context, tx *db.Snapshot, f Filter, parsed search.SearchQuery, plan search.Plan,
) ([]int64, error) {
	switch {
	case plan.None:
		return nil, nil
	case plan.Exact && plan.Expr != "":
		query, args := e.matchQuery(f, plan.Expr)
		return numbers(ctx, tx, `SELECT group_concat(rowid) `+query, args...)
	}
	where := e.where(f)
	if plan.Expr != "" {
		where.add(`doc IN (SELECT rowid FROM search WHERE search MATCH ?)`, plan.Expr)
	}
	return e.confirmed(ctx, tx, where, parsed)
}

// confirmed are the documents for which a condition holds and whose texts match.
func (e *engine) confirmed(
	ctx context.Context, tx *db.Snapshot, where *clause, parsed search.SearchQuery,
) (found []int64, err error) {
	matcher := parsed.Matcher()
	err = readEach(ctx, tx, "texts", func(scan func(...any) error) error {
		var doc int64
		var text search.Text
		var labels string
		var packed sql.RawBytes
		err := scan(&doc, &text.Title, &labels, &packed)
		if err != nil {
			return err
		}
		text.Labels, err = joinedLabels(labels)
		if err == nil {
			text.Body, err = unpacked(packed)
		}
		if err == nil && matcher.Match(text) {
			found = append(found, doc)
		}
		return err
	}, `SELECT doc, title, labels, text FROM (SELECT doc, title, labels FROM document
		WHERE `+where.String()+`) JOIN body USING (doc)`, where.args...)
	return found, err
}

// joinedLabels is the text in which labels are searched.
func joinedLabels(list string) (string, error) {
	labels, err := textsOf(list)
	if err != nil {
		return "", fmt.Errorf("%w: read labels: %w", db.ErrDamaged, err)
	}
	return strings.Join(labels, "\n"), nil
}

// byWords ranks the documents that an expression finds, of equally good ones first the one
// that the index took in last. The score counts in 1e-12 of its unit: SQLite sorts integers in less
// than half of the time that it takes for floating-point numbers.
func (e *engine) byWords(ctx context.Context, tx *db.Snapshot, f Filter, expr string) ([]int64, error) {
	if expr == "" {
		return nil, nil
	}
	query, args := e.matchQuery(f, expr)
	query = `SELECT rowid ` + query + ` ORDER BY CAST(1e12 * ` + rankBy + ` AS INTEGER), rowid DESC`
	return numbers(ctx, tx, `SELECT group_concat(rowid) FROM (`+query+`)`, args...)
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

// numbers reads the document numbers that a query concatenates. Thousands of them come
// much faster as one text than as so many rows.
func numbers(ctx context.Context, q db.Querier, query string, args ...any) ([]int64, error) {
	text, err := readOne[sql.NullString](ctx, q, "read document numbers", query, args...)
	if text.String == "" || err != nil {
		return nil, err
	}
	docs := make([]int64, 0, strings.Count(text.String, ",")+1)
	doc, sign := int64(0), int64(1)
	for _, c := range []byte(text.String + ",") { // five times as fast as strconv: each page has all
		switch c {
		case ',':
			docs = append(docs, sign*doc)
			doc, sign = 0, 1
		case '-':
			sign = -1
		default:
			doc = 10*doc + int64(c-'0')
		}
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
