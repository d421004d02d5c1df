package telemetry

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// Values below exact have a bucket each; from there on every power of two is cut
// into halves: half as many buckets as exact. A bucket stands for its middle, so
// that a percentile is off by half a bucket at most: 1/64, or 1.6 %.
const (
	exactBits = 6
	exact     = 1 << exactBits
	halves    = exact / 2
)

// A histogram is how many values fell in each bucket, up to the largest that has
// any.
type histogram []int

// bucket is where a value falls; negative values count as 0.
func bucket(value int) int {
	if value < exact {
		return max(0, value)
	}
	power := bits.Len64(uint64(value)) - 1
	return exact + (power-exactBits)*halves + value>>(power-exactBits+1) - halves
}

// middle is the value that a bucket stands for.
func middle(bucket int) int {
	if bucket < exact {
		return bucket
	}
	power := exactBits + (bucket-exact)/halves
	width := 1 << (power - exactBits + 1)
	low := ((bucket-exact)%halves + halves) * width
	return low + (width-1)/2
}

func (h *histogram) add(value int) { h.count(bucket(value), 1) }

func (h *histogram) count(bucket, calls int) {
	if missing := bucket + 1 - len(*h); missing > 0 {
		*h = append(*h, make([]int, missing)...)
	}
	(*h)[bucket] += calls
}

func (h *histogram) merge(other histogram) {
	for bucket, calls := range other {
		if calls > 0 {
			h.count(bucket, calls)
		}
	}
}

// percentile is the smallest value that so many percent of all values do not
// exceed; 0 when there are none.
func (h histogram) percentile(percent int) int {
	total := 0
	for _, calls := range h {
		total += calls
	}
	seen := 0
	for bucket, calls := range h {
		if seen += calls; calls > 0 && seen*100 >= percent*total {
			return middle(bucket)
		}
	}
	return 0
}

// append writes a histogram as the schema has it.
func (h histogram) append(blob []byte) []byte {
	used := 0
	for _, calls := range h {
		if calls > 0 {
			used++
		}
	}
	blob = binary.AppendUvarint(blob, uint64(used))
	last := 0
	for bucket, calls := range h {
		if calls > 0 {
			blob = binary.AppendUvarint(blob, uint64(bucket-last))
			blob = binary.AppendUvarint(blob, uint64(calls))
			last = bucket
		}
	}
	return blob
}

// maxBucket is the one of the largest int.
var maxBucket = bucket(int(^uint(0) >> 1))

// take adds a histogram that was written.
func (h *histogram) take(r *reader) {
	at := 0
	for used := r.uint(); used > 0 && !r.damaged; used-- {
		step, calls := r.uint(), r.uint()
		if step > maxBucket-at {
			r.damaged = true
			return
		}
		at += step
		h.count(at, calls)
	}
}

// errTally says that a tally in the file is not as it was written.
var errTally = errors.New("a tally in the telemetry file is damaged")

// A reader takes numbers from a tally.
type reader struct {
	blob    []byte
	damaged bool
}

// uint takes a number; 0 when there is none, or none that could have been
// written.
func (r *reader) uint() int {
	n, size := binary.Uvarint(r.blob)
	if size <= 0 || n > 1<<56 {
		r.blob, r.damaged = nil, true
		return 0
	}
	r.blob = r.blob[size:]
	return int(n)
}
