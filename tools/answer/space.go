package answer

import (
	"math"
	"slices"
	"strings"
)

// A Space is how much an answer, or a part of one, takes in each channel.
type Space struct {
	Text   int // bytes
	Lines  int // of the text
	Object int // bytes of JSON
}

// Endless is the room of an answer without a budget.
var Endless = Space{math.MaxInt, math.MaxInt, math.MaxInt}

// SpaceOf returns what a text and a JSON value take.
func SpaceOf(text string, object []byte) Space {
	return Space{len(text), strings.Count(text, "\n") + 1, len(object)}
}

// Plus returns the space of two parts together.
func (s Space) Plus(other Space) Space {
	return Space{s.Text + other.Text, s.Lines + other.Lines, s.Object + other.Object}
}

// In reports whether there is room for it.
func (s Space) In(room Space) bool {
	return s.Text <= room.Text && s.Lines <= room.Lines && s.Object <= room.Object
}

// Larger returns the bytes of the larger channel.
func (s Space) Larger() int { return max(s.Text, s.Object) }

// Bytes returns the room of the channel that has less of it.
func (s Space) Bytes() int { return min(s.Text, s.Object) }

// Share returns the most that each of some things may take so that together they take no
// more than total. Those that take less than an equal part leave the rest to the others.
func Share(sizes []int, total int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		equal := total / (len(sorted) - i)
		if size > equal {
			return equal
		}
		total -= size
	}
	return math.MaxInt
}
