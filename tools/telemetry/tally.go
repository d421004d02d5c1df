package telemetry

import (
	"issues-index/tools"
)

// The spans of roll-ups, in seconds.
const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

// A series is what calls have in common.
type series struct {
	tool, client, outcome string
	failed                bool
	variant               string
}

// An entry is a call as it is kept.
type entry struct {
	tools.Call
	real    int // tokens, counted
	counted bool
}

// A tally is a roll-up: what is kept of several calls together.
type tally struct {
	calls, over, items      int
	bytes, original, tokens int64
	sampled, low, error     int // error in thousandths

	latencies, costs, sizes, errors histogram
}

func newTally() *tally {
	return &tally{latencies: histogram{}, costs: histogram{}, sizes: histogram{}, errors: histogram{}}
}

func (t *tally) add(e *entry) {
	t.calls++
	t.items += e.Items
	t.bytes += int64(e.Bytes)
	t.original += int64(e.Original)
	t.tokens += int64(e.Tokens)
	if e.Over {
		t.over++
	}
	t.latencies.add(int(e.Latency.Microseconds()))
	t.costs.add(e.Tokens)
	t.sizes.add(e.Bytes)
	if !e.counted || e.real == 0 {
		return
	}
	off := (e.Tokens - e.real) * 1000 / e.real
	t.sampled++
	t.error += off
	t.errors.add(max(off, -off))
	if e.Tokens < e.real {
		t.low++
	}
}

func (t *tally) merge(other *tally) {
	t.calls += other.calls
	t.over += other.over
	t.items += other.items
	t.bytes += other.bytes
	t.original += other.original
	t.tokens += other.tokens
	t.sampled += other.sampled
	t.low += other.low
	t.error += other.error
	t.latencies.merge(other.latencies)
	t.costs.merge(other.costs)
	t.sizes.merge(other.sizes)
	t.errors.merge(other.errors)
}
