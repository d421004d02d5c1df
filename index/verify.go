package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zstd"

	"issues-index/index/fulltext"
)

// A part of a word is turned into the words that hold it, at a cost for each;
// beyond some number it is cheaper to look into the texts. Both were measured
// at 10,000 documents: a word costs about as much as four texts.
const (
	minExpansions         = 256
	documentsPerExpansion = 4
)

// matches finds every match, in no order. known are matches already, if the
// query's ranking is exact.
func (ix *Index) matches(ctx context.Context, tx *sql.Tx, f Filter, parsed fulltext.Query, plan fulltext.Plan, ranked []int64) ([]int64, error) {
	if plan.Exact && plan.Expr != "" {
		query, args := matchQuery(f, plan.Expr)
		return numbers(ctx, tx, `SELECT group_concat(rowid) `+query, args...)
	}
	known := map[int64]bool{}
	if parsed.RankedExact() {
		for _, doc := range ranked {
			known[doc] = true
		}
	}
	where := f.where()
	if plan.Expr != "" {
		where.add(`doc IN (SELECT rowid FROM search WHERE search MATCH ?)`, plan.Expr)
	}
	rows, err := tx.QueryContext(ctx, `SELECT doc, title, labels, text FROM (SELECT doc, title, labels FROM document WHERE `+where.String()+`) JOIN body USING (doc)`, where.args...)
	if err != nil {
		return nil, fmt.Errorf("search the texts: %w", err)
	}
	defer func() { _ = rows.Close() }()
	reader, err := ix.textReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	matcher := parsed.Matcher()
	var found []int64
	for rows.Next() {
		var doc int64
		var title, labels string
		var packed sql.RawBytes
		if err := rows.Scan(&doc, &title, &labels, &packed); err != nil {
			return nil, fmt.Errorf("search the texts: %w", err)
		}
		if known[doc] {
			found = append(found, doc)
			continue
		}
		body, err := reader.unpack(packed)
		if err != nil {
			return nil, err
		}
		if labels, err = joinedLabels(labels); err != nil {
			return nil, err
		}
		if matcher.Match(fulltext.Text{Title: title, Labels: labels, Body: body}) {
			found = append(found, doc)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("search the texts: %w", err)
	}
	return found, nil
}

// joinedLabels is the text in which labels are searched.
func joinedLabels(list string) (string, error) {
	if list == "[]" {
		return "", nil
	}
	var labels []string
	if err := json.Unmarshal([]byte(list), &labels); err != nil {
		return "", fmt.Errorf("read labels: %w", err)
	}
	return strings.Join(labels, "\n"), nil
}

// A textReader reads the bodies that the index keeps compressed.
type textReader struct {
	decoder *zstd.Decoder
	buffer  []byte
}

// textReader makes one for what a view sees.
func (ix *Index) textReader(ctx context.Context, q querier) (*textReader, error) {
	dict, err := ix.dictionary(ctx, q, ix.generation)
	if err != nil {
		return nil, err
	}
	decoder, err := dict.decoder()
	if err != nil {
		return nil, err
	}
	return &textReader{decoder: decoder}, nil
}

// unpack returns the text of a row of body.
func (r *textReader) unpack(packed []byte) (string, error) {
	text, err := r.decoder.DecodeAll(packed, r.buffer[:0])
	if err != nil {
		return "", fmt.Errorf("decompress a body: %w", err)
	}
	r.buffer = text
	return string(text), nil
}

// body reads the body of a document, "" when it has none.
func (r *textReader) body(ctx context.Context, q querier, doc int64) (string, error) {
	var packed []byte
	err := q.QueryRowContext(ctx, `SELECT text FROM body WHERE doc = ?`, doc).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read a body: %w", err)
	}
	return r.unpack(packed)
}

// snippet cuts the text around the first match out of a body.
func (r *textReader) snippet(ctx context.Context, q querier, doc int64, parsed fulltext.Query) (string, error) {
	body, err := r.body(ctx, q, doc)
	if err != nil {
		return "", err
	}
	return parsed.Snippet(body, snippetSize), nil
}
