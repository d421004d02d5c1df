package answer

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rowsOf is a list of rows of these sizes, each of which can be narrowed to half its size
// once, in an answer that takes 20 bytes beside them, and 10 more for a cursor.
func rowsOf(room int, flags Flags, sizes ...int) (list *Rows, narrowed map[int]bool) {
	narrowed = make(map[int]bool)
	space := func(bytes int) Space { return Space{bytes, 1, bytes} }
	list = &Rows{Room: Space{room, 1000, room}, Flags: flags, Wide: 50}
	for _, size := range sizes {
		list.Sizes = append(list.Sizes, space(size))
	}
	list.Around = func(n int) Space {
		if n < len(sizes) {
			return space(30)
		}
		return space(20)
	}
	list.Narrow = func(i int) (Space, bool) {
		if narrowed[i] {
			return Space{}, false
		}
		narrowed[i] = true
		return space(sizes[i] / 2), true
	}
	return list, narrowed
}

func TestRowsFit(t *testing.T) {
	all := Flags{Pagination: true, Summarization: true}
	for _, c := range []struct {
		name     string
		room     int
		flags    Flags
		sizes    []int
		want     int
		narrowed int
	}{
		{"what fits stays as it is, wide rows too", 200, all, []int{90, 90}, 2, 0},
		{"wide rows are narrowed first", 200, all, []int{90, 90, 10}, 3, 2},
		{"then rows at the end are left out", 100, all, []int{40, 30, 30}, 2, 0},
		{"a row that ends the list needs no room for a cursor", 120, all, []int{40, 30, 30}, 3, 0},
		{"one row comes, however wide", 50, all, []int{400, 30}, 1, 1},
		{"without pagination all come, narrowed to equal parts", 100, Flags{Summarization: true}, []int{40, 40, 40}, 3, 3},
		{"without summarization they are as they are", 150, Flags{Pagination: true}, []int{90, 90}, 1, 0},
		{"with neither they all come", 50, Flags{}, []int{90, 90}, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, narrowed := rowsOf(c.room, c.flags, c.sizes...)
			if got := list.Fit(); got != c.want || len(narrowed) != c.narrowed {
				t.Errorf("%d rows, %d narrowed; want %d and %d", got, len(narrowed), c.want, c.narrowed)
			}
		})
	}
}

func TestRowsFitAsManyAsThereIsRoomFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 80), 1, 40).Draw(t, "sizes")
		list, _ := rowsOf(rapid.IntRange(1, 2000).Draw(t, "room"), Flags{Pagination: true, Summarization: true}, sizes...)
		n := list.Fit()
		if n > 1 && !list.Total(n).In(list.Room) {
			t.Errorf("%d rows take %+v of %+v", n, list.Total(n), list.Room)
		}
		if n < len(sizes) && list.Total(n+1).In(list.Room) {
			t.Errorf("there is room for more than %d rows", n)
		}
	})
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		total int
		want  int
	}{
		{[]int{10, 20, 30}, 60, math.MaxInt}, {[]int{10, 20, 30}, 50, 20}, {[]int{10, 20, 30}, 15, 5}, {[]int{1, 100, 100}, 101, 50}, {nil, 0, math.MaxInt},
	} {
		if got := Share(slices.Clone(c.sizes), c.total); got != c.want {
			t.Errorf("Share(%v, %d) = %d, want %d", c.sizes, c.total, got, c.want)
		}
	}
}
