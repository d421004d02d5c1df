package answer

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// listOf is a list of rows of these sizes, each of which can be narrowed to half its size once, in
// an answer that takes 20 bytes beside them, and 10 more for a cursor.
func listOf(sizes ...int) (list *List, narrowed map[int]bool) {
	narrowed = make(map[int]bool)
	row := func(bytes int) Row {
		text := strings.Repeat("x", bytes-1)
		return Row{Text: text, Object: json.RawMessage(text)}
	}
	list = &List{Member: "rows", Wide: 50}
	for _, size := range sizes {
		list.Rows = append(list.Rows, row(size))
	}
	list.Around = func(n int) Around {
		head := strings.Repeat("h", 20)
		if n < len(sizes) {
			head += strings.Repeat("c", 10)
		}
		object := fmt.Sprintf(`{"rows":[],%q:0}`, head)
		return Around{Head: head, Object: json.RawMessage(object[:len(head)])}
	}
	list.Narrow = func(i int) (Row, bool) {
		if narrowed[i] {
			return Row{}, false
		}
		narrowed[i] = true
		return row(max(1, sizes[i]/2)), true
	}
	return list, narrowed
}

func TestListFits(t *testing.T) {
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
			list, narrowed := listOf(c.sizes...)
			if got, _ := list.Fit(Space{c.room, 1000, c.room}, c.flags); got != c.want || len(narrowed) != c.narrowed {
				t.Errorf("%d rows, %d narrowed; want %d and %d", got, len(narrowed), c.want, c.narrowed)
			}
		})
	}
	t.Run("rows that the caller asked for are narrowed from the last on before any is left out", func(t *testing.T) {
		list, narrowed := listOf(40, 40, 40)
		list.Asked = true
		if got, _ := list.Fit(Space{110, 1000, 110}, all); got != 3 || len(narrowed) != 2 || narrowed[0] {
			t.Errorf("%d rows, narrowed %v", got, narrowed)
		}
	})
}

// An answer that is measured again for each row that is narrowed takes time for the square of them.
func TestAListIsMeasuredOnceForEachStepOfAllRows(t *testing.T) {
	const steps = 5
	for _, rows := range []int{50, 500, 5000} {
		list, _ := listOf(slices.Repeat([]int{64}, rows)...)
		list.Asked, list.Wide = true, math.MaxInt
		measured, narrowed := 0, 0
		around := list.Around
		list.Around = func(n int) Around { measured++; return around(n) }
		list.Narrow = func(i int) (Row, bool) {
			narrowed++
			text := list.Rows[i].Text[len(list.Rows[i].Text)/2:]
			return Row{Text: text, Object: json.RawMessage(text)}, len(text) > 1
		}
		list.Fit(Space{1000, 1000, 1000}, Flags{Pagination: true, Summarization: true})
		if narrowed > (steps+1)*rows || measured > steps+20 {
			t.Errorf("%d rows: narrowed %d times, measured %d times", rows, narrowed, measured)
		}
	}
}

func TestAListHasAsManyRowsAsThereIsRoomFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 80), 1, 40).Draw(t, "sizes")
		list, _ := listOf(sizes...)
		bytes := rapid.IntRange(1, 2000).Draw(t, "room")
		room := Space{bytes, 1000, bytes}
		n, _ := list.Fit(room, Flags{Pagination: true, Summarization: true})
		if n > 1 && !list.total(n, room).In(room) {
			t.Errorf("%d rows take %+v of %+v", n, list.total(n, room), room)
		}
		if n < len(sizes) && list.total(n+1, room).In(room) {
			t.Errorf("there is room for more than %d rows", n)
		}
	})
}

// TestAListIsWrittenAsItWasMeasured draws rows that are lines and documents, with texts that look
// like marks, and holds what is written to what was measured.
func TestAListIsWrittenAsItWasMeasured(t *testing.T) {
	text := rapid.StringMatching(`(=|x|\n|é){1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		list := List{Member: "rows", Around: func(n int) Around {
			return Around{Head: fmt.Sprint(n, " rows"), Object: json.RawMessage(`{"n":1,"rows":[]}`)}
		}}
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			row := Row{Text: strings.ReplaceAll(text.Draw(t, "text"), "\n", ""), Object: json.RawMessage(`{"a":1}`), Block: rapid.Bool().Draw(t, "block")}
			if body := text.Draw(t, "body"); row.Block && rapid.Bool().Draw(t, "has a body") {
				row.Body = &body
			}
			list.Rows = append(list.Rows, row)
		}
		room := Space{math.MaxInt, math.MaxInt, math.MaxInt}
		n, whole := list.Fit(room, Flags{Pagination: true})
		f := list.Write(n)
		if written := SpaceOf(f.Text, f.Object); !written.In(whole) {
			t.Errorf("written %+v, measured %+v: %q", written, whole, f.Text)
		}
		var object struct{ Rows []json.RawMessage }
		if err := json.Unmarshal(f.Object, &object); err != nil || len(object.Rows) != n {
			t.Errorf("%d rows of %d: %s (%v)", len(object.Rows), n, f.Object, err)
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

func TestRowsStandInListsOfTheirOwn(t *testing.T) {
	list := List{
		Rows: []Row{
			{Text: "a page", Object: json.RawMessage(`{"images":[]}`), Member: "pages"},
			{Text: "an image", Object: json.RawMessage(`2`), Member: "images"},
			{Text: "another", Object: json.RawMessage(`3`), Member: "images"},
		},
		Around: func(int) Around {
			return Around{Head: "3 found.", Object: json.RawMessage(`{"pages":[],"images":[],"note":"x"}`)}
		},
	}
	f := list.Write(3)
	if got, want := string(f.Object), `{"pages":[{"images":[]}],"images":[2,3],"note":"x"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := "3 found.\na page\nan image\nanother"; f.Text != want {
		t.Errorf("got %s", f.Text)
	}
}

func TestAListWithoutRowsHasNone(t *testing.T) {
	list := List{Member: "rows", Around: func(int) Around {
		return Around{Head: strings.Repeat("h", 100), Object: json.RawMessage(`{"rows":[]}`)}
	}}
	if n, _ := list.Fit(Space{50, 5, 50}, Flags{Pagination: true, Summarization: true}); n != 0 {
		t.Errorf("it shows %d rows", n)
	}
}
