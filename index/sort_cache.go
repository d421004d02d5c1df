package index

import (
	"context"
	"sync"

	"issues-index/index/db"
)

// scanShare: to look up the places of some documents in an order takes longer
// than to go through the order of all when they are more than one in this many.
const scanShare = 24

// sortCache remember how all documents are ordered by a column, for as long as the
// index does not change: a search for a common word finds thousands that are
// equally good. Each takes four bytes a document, and there are as many as there
// are sort keys, at most.
type sortCache struct {
	mu         sync.Mutex
	generation string
	rev        int64
	places     map[string][]int32 // by the column and the document's number
}

// byPath is the column of an order by the path alone.
const byPath = "path"

// placesBy returns numbers by which documents can be compared as by a column and
// their paths. documents is how many there are in all.
func (e *engine) placesBy(ctx context.Context, tx *db.Snapshot, column string, docs []int64, documents int) (func(doc int64) int, error) {
	by := column
	if column != byPath {
		by += ", path"
	}
	o := &e.sorts
	o.mu.Lock()
	defer o.mu.Unlock()
	current := o.generation == tx.Generation && o.rev == tx.Rev
	if current && o.places[column] != nil {
		return placesIn(o.places[column]), nil
	}
	if len(docs)*scanShare < documents {
		ordered, err := numbers(ctx, tx, `SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE doc IN (SELECT value FROM json_each(?)) ORDER BY `+by+`)`, jsonNumbers(docs))
		places := make(map[int64]int, len(ordered))
		for place, doc := range ordered {
			places[doc] = place
		}
		return func(doc int64) int { return places[doc] }, err
	}
	ordered, err := numbers(ctx, tx, `SELECT group_concat(doc) FROM (SELECT doc FROM document ORDER BY `+by+`)`)
	if err != nil {
		return nil, err
	}
	if !current {
		o.generation, o.rev, o.places = tx.Generation, tx.Rev, map[string][]int32{}
	}
	o.places[column] = placesOf(ordered)
	return placesIn(o.places[column]), nil
}

// placesIn looks places up. They are never changed.
func placesIn(places []int32) func(doc int64) int {
	return func(doc int64) int { return int(places[doc]) }
}

// placesOf turns an order round: it returns the place of each document.
func placesOf(docs []int64) []int32 {
	var highest int64
	for _, doc := range docs {
		highest = max(highest, doc)
	}
	places := make([]int32, highest+1)
	for place, doc := range docs {
		places[doc] = int32(place) //nolint:gosec // there are not so many documents
	}
	return places
}
