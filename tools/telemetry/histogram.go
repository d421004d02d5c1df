package telemetry

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/bits"
	"slices"
)

// Values below exact have a bucket each; from there on every power of two is cut
// into halves: half as many buckets as exact. A bucket stands for its middle, so
// that a percentile is off by half a bucket at most: 1/64, or 1.6 %.
const (
	exactBits = 6
	exact     = 1 << exactBits
	halves    = exact / 2
)

// A histogram is how many values fell in each bucket.
type histogram map[int]int

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

func (h histogram) add(value int) { h[bucket(value)]++ }

func (h histogram) merge(other histogram) {
	for bucket, count := range other {
		h[bucket] += count
	}
}

// percentile is the smallest value that so many percent of all values do not
// exceed; 0 when there are none.
func (h histogram) percentile(percent int) int {
	buckets := slices.Sorted(maps.Keys(h))
	total := 0
	for _, bucket := range buckets {
		total += h[bucket]
	}
	seen := 0
	for _, bucket := range buckets {
		if seen += h[bucket]; seen*100 >= percent*total {
			return middle(bucket)
		}
	}
	return 0
}

// encode writes a histogram as the schema has it.
func (h histogram) encode() []byte {
	blob, last := []byte{}, 0
	for _, bucket := range slices.Sorted(maps.Keys(h)) {
		blob = binary.AppendUvarint(blob, uint64(bucket-last))
		blob = binary.AppendUvarint(blob, uint64(h[bucket]))
		last = bucket
	}
	return blob
}

// maxBucket is the one of the largest int.
var maxBucket = bucket(int(^uint(0) >> 1))

var errBlob = errors.New("a histogram in the telemetry file is damaged")

// decode adds an encoded histogram.
func (h histogram) decode(blob []byte) error {
	at := 0
	for len(blob) > 0 {
		step, n := binary.Uvarint(blob)
		if n <= 0 || step > uint64(maxBucket-at) {
			return errBlob
		}
		count, m := binary.Uvarint(blob[n:])
		if m <= 0 || count > 1<<40 {
			return errBlob
		}
		at += int(step)
		h[at] += int(count)
		blob = blob[n+m:]
	}
	return nil
}
