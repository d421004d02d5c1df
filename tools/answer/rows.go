package answer

import (
	"math"
	"slices"
	"sort"
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

// Rows makes a list fit: it narrows the rows that are wide, then leaves out rows at the
// end. It works with sizes alone, so that a row is rendered once, and again only when it
// is narrowed.
type Rows struct {
	Sizes []Space // of each row, with what stands between it and the next
	Room  Space
	Flags
	Wide int // bytes: a row that takes more in a channel is narrowed before rows are left out

	// Around returns the size of all that an answer with the first n rows has beside them.
	Around func(n int) Space
	// Narrow leaves out the next thing that a row can do without and returns the row's
	// new size, and false when there is no such thing.
	Narrow func(row int) (Space, bool)
}

// Fit returns how many rows to show: all of them when rows may not be left out, and
// always one.
func (r *Rows) Fit() int {
	all := len(r.Sizes)
	if r.Total(all).In(r.Room) || !r.Pagination && !r.Summarization {
		return all
	}
	if r.Summarization {
		r.NarrowWide()
	}
	if !r.Pagination {
		return all
	}
	for r.Summarization && !r.Total(1).In(r.Room) && r.narrow(0) {
	}
	if r.Total(all).In(r.Room) {
		return all
	}
	return max(1, sort.Search(all, func(i int) bool { return !r.Total(i + 1).In(r.Room) }))
}

// NarrowWide narrows the rows that are wide: wider than Wide or, when none may be left
// out, than their share of the room.
func (r *Rows) NarrowWide() {
	wide := r.Wide
	if !r.Pagination {
		widths := make([]int, len(r.Sizes))
		for i, size := range r.Sizes {
			widths[i] = size.Larger()
		}
		wide = Share(widths, r.Room.Bytes()-r.Around(len(r.Sizes)).Larger())
	}
	for i := range r.Sizes {
		for r.Sizes[i].Larger() > wide && r.narrow(i) {
		}
	}
}

// Total returns the size of an answer with the first n rows.
func (r *Rows) Total(n int) Space {
	total := r.Around(n)
	for _, size := range r.Sizes[:n] {
		total = total.Plus(size)
	}
	return total
}

func (r *Rows) narrow(i int) bool {
	size, ok := r.Narrow(i)
	if ok {
		r.Sizes[i] = size
	}
	return ok
}

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
