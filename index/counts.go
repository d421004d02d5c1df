package index

import "sync"

// maxCounts bounds the counts that are remembered.
const maxCounts = 256

// counts remembers how many documents a filter lets through, for as long as the
// index does not change: paging asks for the same count with every page.
type counts struct {
	mu  sync.Mutex
	rev int64
	of  map[string]int
}

func (c *counts) get(key string, rev int64) (n int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rev != rev {
		return 0, false
	}
	n, ok = c.of[key]
	return n, ok
}

// reset forgets everything: a rebuilt index counts its changes anew.
func (c *counts) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of = nil
	c.rev = 0
}

func (c *counts) put(key string, rev int64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rev != rev || len(c.of) >= maxCounts {
		c.rev, c.of = rev, map[string]int{}
	}
	c.of[key] = n
}
