package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"issues-index/index/db"
	"issues-index/index/fulltext"
)

// A part of a word is turned into the words that hold it, at a cost for each;
// beyond some number it is cheaper to look into the texts. Both were measured
// at 10,000 documents: a word costs about as much as four texts.
const (
	minExpansions         = 256
	documentsPerExpansion = 4
)

// matches finds every match but the known ones, in no order.
func (e *engine) matches(ctx context.Context, tx *db.Snapshot, f Filter, parsed fulltext.SearchQuery, plan fulltext.Plan, known docSet) ([]int64, error) {
	if plan.None {
		return nil, nil
	}
	if plan.Exact && plan.Expr != "" {
		query, args := e.matchQuery(f, plan.Expr)
		found, err := numbers(ctx, tx, `SELECT group_concat(rowid) `+query, args...)
		return slices.DeleteFunc(found, known.has), err
	}
	where := e.where(f)
	if plan.Expr != "" {
		where.add(`doc IN (SELECT rowid FROM search WHERE search MATCH ?)`, plan.Expr)
	}
	rows, err := tx.QueryContext(ctx, `SELECT doc, title, labels, text FROM (SELECT doc, title, labels FROM document WHERE `+where.String()+`) JOIN body USING (doc)`, where.args...)
	if err != nil {
		return nil, fmt.Errorf("search the texts: %w", err)
	}
	defer func() { _ = rows.Close() }()
	dict, err := e.dictionary(ctx, tx, e.build.generation)
	if err != nil {
		return nil, err
	}
	v := verification{parsed: parsed, dict: dict, texts: make(chan []packedText)}
	var working context.Context
	v.group, working = errgroup.WithContext(ctx)
	for range max(1, runtime.GOMAXPROCS(0)-1) { // the rows take one, too
		v.group.Go(v.work)
	}
	v.group.Go(func() error {
		defer close(v.texts)
		for {
			batch, err := readTexts(rows, known)
			if err != nil {
				return err
			}
			if len(batch) == 0 {
				return rows.Err()
			}
			select {
			case v.texts <- batch:
			case <-working.Done():
				return working.Err()
			}
		}
	})
	if err := v.group.Wait(); err != nil {
		return nil, fmt.Errorf("search the texts: %w", err)
	}
	return v.found, nil
}

// A verification looks for a query's matches in texts, on several processors.
type verification struct {
	group  *errgroup.Group
	parsed fulltext.SearchQuery
	dict   *dictionary
	texts  chan []packedText

	mu    sync.Mutex
	found []int64
}

// A packedText is what of a document is searched, as the index keeps it.
type packedText struct {
	doc           int64
	title, labels string
	body          []byte
}

// verifiedAtOnce is how many texts are handed over at once: enough to make that
// cheap.
const verifiedAtOnce = 64

// verifiedBytes ends a batch of large texts before there are verifiedAtOnce of
// them, so that they do not fill the memory.
const verifiedBytes = 4 << 20

// readTexts reads the next texts, none at the end.
func readTexts(rows *sql.Rows, known docSet) ([]packedText, error) {
	var batch []packedText
	size := 0
	for len(batch) < verifiedAtOnce && size < verifiedBytes && rows.Next() {
		var t packedText
		if err := rows.Scan(&t.doc, &t.title, &t.labels, &t.body); err != nil {
			return nil, err
		}
		if !known.has(t.doc) {
			batch = append(batch, t)
			size += len(t.body)
		}
	}
	return batch, nil
}

// work looks into the texts that come.
func (v *verification) work() error {
	var reader *textReader
	matcher := v.parsed.Matcher()
	var found []int64
	for batch := range v.texts {
		if reader == nil {
			var err error
			if reader, err = newTextReader(v.dict); err != nil {
				return err
			}
		}
		for _, t := range batch {
			body, err := reader.unpack(t.body)
			if err != nil {
				return err
			}
			labels, err := joinedLabels(t.labels)
			if err != nil {
				return err
			}
			if matcher.Match(fulltext.Text{Title: t.title, Labels: labels, Body: body}) {
				found = append(found, t.doc)
			}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found = append(v.found, found...)
	return nil
}

// joinedLabels is the text in which labels are searched.
func joinedLabels(list string) (string, error) {
	if list == "[]" {
		return "", nil
	}
	var labels []string
	if err := json.Unmarshal([]byte(list), &labels); err != nil {
		return "", fmt.Errorf("%w: read labels: %w", db.ErrDamaged, err)
	}
	return strings.Join(labels, "\n"), nil
}

// A textReader reads the bodies that the index keeps compressed.
type textReader struct {
	decoder *zstd.Decoder
	buffer  []byte
}

func newTextReader(d *dictionary) (*textReader, error) {
	decoder, err := d.decoder()
	if err != nil {
		return nil, err
	}
	return &textReader{decoder: decoder}, nil
}

// unpack returns the text of a row of body.
func (r *textReader) unpack(packed []byte) (string, error) {
	text, err := r.decoder.DecodeAll(packed, r.buffer[:0])
	if err != nil {
		return "", fmt.Errorf("%w: decompress a body: %w", db.ErrDamaged, err)
	}
	r.buffer = text
	return string(text), nil
}

// body reads the body of a document, "" when it has none.
func (r *textReader) body(ctx context.Context, q db.Querier, doc int64) (string, error) {
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

// A limitedSet is the documents with more words than the full-text table takes.
// Only their texts tell whether they match a query.
type limitedSet struct {
	all     []int64 // in the workspace
	matches []int64 // those of them that the query and its filter find
}

// limitedDocuments reads the texts of these documents, at most 16 MB each. Most
// workspaces have none, which the vocabulary knows.
func (e *engine) limitedDocuments(ctx context.Context, tx *db.Snapshot, f Filter, parsed fulltext.SearchQuery, v *fulltext.Vocabulary) (s limitedSet, err error) {
	if !v.Has(fulltext.Omitted) {
		return s, nil
	}
	plan := fulltext.Limited()
	s.all, err = numbers(ctx, tx, `SELECT group_concat(rowid) FROM search WHERE search MATCH ?`, plan.Expr)
	if err != nil || len(s.all) == 0 {
		return s, err
	}
	if s.matches, err = e.matches(ctx, tx, f, parsed, plan, nil); err != nil {
		return s, fmt.Errorf("read long texts: %w", err)
	}
	return s, nil
}

// confirm leaves out of docs the documents of the set that do not match.
func (s limitedSet) confirm(docs []int64) []int64 {
	if len(s.all) == 0 {
		return docs
	}
	all, matches := setOf(s.all), setOf(s.matches)
	return slices.DeleteFunc(docs, func(doc int64) bool { return all.has(doc) && !matches.has(doc) })
}
