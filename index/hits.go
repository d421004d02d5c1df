package index

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"issues-index/index/db"

	"modernc.org/sqlite"
)

// A hit is a document that has a query's words, and its score: the lower, the
// better.
type hit struct {
	score float64
	doc   int64
}

// byScore orders hits, the best first. No score is NaN.
func byScore(a, b hit) int {
	switch {
	case a.score < b.score:
		return -1
	case a.score > b.score:
		return 1
	}
	return cmp.Compare(a.doc, b.doc)
}

// untie sorts runs of hits with equal scores by their places.
func untie(hits []hit, place func(doc int64) int) {
	for start := 0; start < len(hits); {
		end := start + 1
		for end < len(hits) && hits[end].score == hits[start].score {
			end++
		}
		if end > start+1 {
			slices.SortFunc(hits[start:end], func(a, b hit) int { return place(a.doc) - place(b.doc) })
		}
		start = end
	}
}

// hitsFunction is the name, in SQL, of the aggregate that gathers documents and
// their scores. As rows of a result, tens of thousands of them would take longer
// than it does to find them; as text, the scores would be rounded.
const hitsFunction = "issues_index_hits"

// hitSize is how many bytes a gathered hit has.
const hitSize = 16

// registerHits makes hitsFunction known to the connections that are opened from
// then on.
var registerHits = sync.OnceValue(func() error {
	return sqlite.RegisterFunction(hitsFunction, &sqlite.FunctionImpl{
		NArgs:         2,
		Deterministic: true,
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return &gatheredHits{}, nil },
	})
})

// gatheredHits implements [sqlite.AggregateFunction].
type gatheredHits struct{ packed []byte }

// Step implements [sqlite.AggregateFunction].
func (g *gatheredHits) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	doc, isNumber := args[0].(int64)
	score, isScore := args[1].(float64)
	if !isNumber || !isScore {
		return fmt.Errorf("%s takes a whole number and a score, not %T and %T", hitsFunction, args[0], args[1])
	}
	g.packed = binary.LittleEndian.AppendUint64(g.packed, uint64(doc)) //nolint:gosec // comes back the same way
	g.packed = binary.LittleEndian.AppendUint64(g.packed, math.Float64bits(score))
	return nil
}

// WindowInverse implements [sqlite.AggregateFunction].
func (g *gatheredHits) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New(hitsFunction + " is not for windows")
}

// WindowValue implements [sqlite.AggregateFunction].
func (g *gatheredHits) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	return g.packed, nil
}

// Final implements [sqlite.AggregateFunction].
func (g *gatheredHits) Final(*sqlite.FunctionContext) {}

// readHits reads what a query gathers.
func readHits(ctx context.Context, q db.Querier, query string, args ...any) ([]hit, error) {
	var packed []byte
	if err := q.QueryRowContext(ctx, query, args...).Scan(&packed); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	hits := make([]hit, 0, len(packed)/hitSize)
	for one := range slices.Chunk(packed, hitSize) {
		hits = append(hits, hit{
			doc:   int64(binary.LittleEndian.Uint64(one)), //nolint:gosec // was one
			score: math.Float64frombits(binary.LittleEndian.Uint64(one[8:])),
		})
	}
	return hits, nil
}

// A docSet is a set of documents, one bit for each number: of thousands, a map
// would take longer to make than they take to find.
type docSet []uint64

// setOf returns the set of these documents.
func setOf(docs []int64) docSet {
	var highest int64
	for _, doc := range docs {
		highest = max(highest, doc)
	}
	set := make(docSet, highest/64+1)
	for _, doc := range docs {
		set[doc/64] |= 1 << (doc % 64)
	}
	return set
}

// has reports whether the document is in the set.
func (s docSet) has(doc int64) bool {
	return doc/64 < int64(len(s)) && s[doc/64]&(1<<(doc%64)) != 0
}
