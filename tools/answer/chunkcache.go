package answer

import (
	"hash/maphash"
	"slices"
	"sync"
)

// A chunkKey names a text that is cut within limits. Its hash differs in each process.
type chunkKey struct {
	hash   uint64
	size   int
	limits ChunkLimits
}

// A chunkCache remembers where the chunks of the last texts end: to find out takes as
// long as reading all of a text, and each call needs one chunk and the number of them.
type chunkCache struct {
	mu     sync.Mutex
	latest []chunkedText
}

type chunkedText struct {
	chunkKey
	from int
	ends []int
}

const maxChunkedTexts = 8

var (
	seed   = maphash.MakeSeed()
	chunks chunkCache
)

// ends returns where the chunks of a text end, from an offset on.
func (c *chunkCache) ends(text string, from int, limits ChunkLimits) []int {
	key := chunkKey{maphash.String(seed, text), len(text), limits}
	c.mu.Lock()
	ends, found := c.known(key, from)
	c.mu.Unlock()
	if found {
		return ends
	}
	ends = chunkEnds(text, from, limits)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.latest) == maxChunkedTexts {
		c.latest = slices.Delete(c.latest, 0, 1)
	}
	c.latest = append(c.latest, chunkedText{key, from, ends})
	return ends
}

func (c *chunkCache) known(key chunkKey, from int) (ends []int, found bool) {
	for _, text := range c.latest {
		if text.chunkKey != key {
			continue
		}
		if text.from == from {
			return text.ends, true
		}
		if i, found := slices.BinarySearch(text.ends, from); found {
			return text.ends[i+1:], true
		}
	}
	return nil, false
}
