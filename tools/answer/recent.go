package answer

import (
	"hash/maphash"
	"slices"
	"sync"
)

// A spot is a place in a text that is cut into chunks within limits. The text is
// known by its hash, which is another in each process.
type spot struct {
	text   uint64
	size   int
	at     int
	limits ChunkLimits
}

var seed = maphash.MakeSeed()

func spotOf(text string, at int, limits ChunkLimits) spot {
	return spot{maphash.String(seed, text), len(text), at, limits}
}

// A reading is where somebody stands who reads a text chunk by chunk: what is
// before need not be looked at again to go on, nor what is behind to count it.
type reading struct {
	spot
	chunker *Chunker // without its text
	left    int      // chunks behind the spot
}

// begin is a reading of which nothing is known yet but the spot.
func begin(s spot, text string) *reading {
	return &reading{spot: s, chunker: NewChunker(text, s.at, s.limits), left: Count(text, s.at, s.limits)}
}

// next goes on behind the next chunk, which of an empty text is empty.
func (r *reading) next(text string) {
	r.chunker.SetText(text)
	r.at = r.chunker.Next()
	r.chunker.SetText("")
	r.left = max(0, r.left-1)
}

// readings are the last ones. What they do not hold is found out anew, so they
// change what an answer costs and never what it says.
type readings struct {
	mu     sync.Mutex
	latest []*reading // in the order of their last chunk
}

// maxReadings is how many readings are remembered.
const maxReadings = 8

var recent readings

// take returns the reading that stands at a spot, which is the caller's alone
// from then on, nil when there is none.
func (r *readings) take(s spot) *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.latest, func(one *reading) bool { return one.spot == s })
	if i < 0 {
		return nil
	}
	found := r.latest[i]
	r.latest = slices.Delete(r.latest, i, i+1)
	return found
}

// keep remembers a reading, and forgets the oldest when there are many.
func (r *readings) keep(one *reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.latest = append(r.latest, one); len(r.latest) > maxReadings {
		r.latest = slices.Delete(r.latest, 0, 1)
	}
}
