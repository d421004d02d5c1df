package telemetry

import (
	"encoding/binary"

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

// everything is the series that all calls are in, besides their own.
const everything = 0

// An entry is a call as it is kept.
type entry struct {
	tools.Call
	real    int // tokens, counted
	counted bool
}

// missed is by how much the estimate is off, in thousandths of the counted tokens; 0
// where they were not counted.
func (e *entry) missed() int {
	if !e.counted || e.real == 0 {
		return 0
	}
	return (e.Tokens - e.real) * 1000 / e.real
}

// A tally is what is kept of several calls together.
type tally struct {
	calls, errors                  int
	paginated, summarized, chunked int
	oversized, over, items         int
	bytes, original, tokens        int
	sampled, low, off              int // off: the sum of errors, in thousandths

	latencies, costs, sizes, offs histogram
}

func (t *tally) add(e *entry) {
	t.calls++
	if e.Failed {
		t.errors++
	}
	for outcome, n := range map[tools.Outcome]*int{
		tools.OutcomePaginated: &t.paginated, tools.OutcomeSummarized: &t.summarized, tools.OutcomeChunked: &t.chunked,
	} {
		if !e.Failed && e.Outcome.Has(outcome) {
			*n++
		}
	}
	if e.Oversized {
		t.oversized++
	}
	if e.Over {
		t.over++
	}
	t.items += e.Items
	t.bytes += e.Bytes
	t.original += e.Original
	t.tokens += e.Tokens
	t.latencies.add(int(e.Latency.Microseconds()))
	t.costs.add(e.Tokens)
	t.sizes.add(e.Bytes)
	if !e.counted || e.real == 0 {
		return
	}
	off := e.missed()
	t.sampled++
	t.off += off
	t.offs.add(max(off, -off))
	if e.Tokens < e.real {
		t.low++
	}
}

// counts are the numbers of a tally in the order of the schema, but for off,
// which alone may be negative, and oversized, which has a column of its own.
func (t *tally) counts() [12]*int {
	return [...]*int{
		&t.calls, &t.errors, &t.paginated, &t.summarized, &t.chunked, &t.over, &t.items,
		&t.bytes, &t.original, &t.tokens, &t.sampled, &t.low,
	}
}

func (t *tally) histograms() [4]*histogram {
	return [...]*histogram{&t.latencies, &t.costs, &t.sizes, &t.offs}
}

func (t *tally) merge(other *tally) {
	from := other.counts()
	for i, n := range t.counts() {
		*n += *from[i]
	}
	t.off += other.off
	t.oversized += other.oversized
	parts := other.histograms()
	for i, h := range t.histograms() {
		h.merge(*parts[i])
	}
}

// encode writes a tally as the schema has it.
func (t *tally) encode() []byte {
	blob := make([]byte, 0, 64)
	for _, n := range t.counts() {
		blob = binary.AppendUvarint(blob, uint64(max(0, *n)))
	}
	blob = binary.AppendUvarint(blob, uint64(t.off)<<1^uint64(t.off>>63))
	for _, h := range t.histograms() {
		blob = h.append(blob)
	}
	return blob
}

// A kept is a tally as it was written.
type kept struct {
	blob      []byte
	oversized int
}

// take adds a tally that was written.
func (t *tally) take(k kept) error {
	t.oversized += k.oversized
	return t.read(k.blob)
}

// read adds what the blob of a tally has.
func (t *tally) read(blob []byte) error {
	r := &reader{blob: blob}
	for _, n := range t.counts() {
		*n += r.uint()
	}
	off := r.uint()
	t.off += off>>1 ^ -(off & 1)
	for _, h := range t.histograms() {
		h.take(r)
	}
	if r.damaged || len(r.blob) > 0 {
		return errTally
	}
	return nil
}
