package hub

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

const (
	// usualMostBytes is what the documents of a workspace may have together.
	usualMostBytes = 2 << 30
	// leastCost is what a document takes at least: its file, and its rows in the index.
	leastCost = 8 << 10
)

// documentCost is how much of the room of its workspace a document takes whose file has some
// bytes; -1 is no file.
func documentCost(size int64) int64 {
	if size < 0 {
		return 0
	}
	return max(size, leastCost)
}

// A quota counts what the documents of each workspace take. One goroutine uses it.
type quota struct {
	most int64 // of one workspace, in bytes
	used map[string]int64
}

func newQuota(most int64) *quota { return &quota{most: most, used: map[string]int64{}} }

// has reports whether there is room for some more bytes of a workspace.
func (q *quota) has(workspace string, more int64) bool {
	return more <= 0 || q.used[workspace]+more <= q.most
}

func (q *quota) take(workspace string, more int64) { q.used[workspace] += more }

// documents is how many documents a workspace may have.
func (q *quota) documents() int { return int(q.most / leastCost) }

// full says why a document is left out; it completes "it …".
func (q *quota) full() string {
	return fmt.Sprintf("has no room here: the documents of a workspace may have %s together, each at least %s; "+
		"delete some, or give folders of it a workspace of their own, and start the hub again",
		humanize.IBytes(uint64(q.most)), humanize.IBytes(leastCost)) //nolint:gosec // not negative
}
