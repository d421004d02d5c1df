package index

import (
	"database/sql"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// packed hands bodies of these sizes to a packer as a build does, and returns
// them in its order.
func packed(sizes []int) []int {
	var p packer
	var order []int
	for batch := range slices.Chunk(sizes, batchSize) {
		for _, size := range batch {
			p.add(&record{text: make([]byte, size)})
		}
		for len(p.waiting) > packedAtOnce {
			order = append(order, len(p.next().text))
		}
	}
	for len(p.waiting) > 0 {
		order = append(order, len(p.next().text))
	}
	return order
}

// pagesFor is how many pages roomFor has rows begin that are written in this order.
func pagesFor(sizes []int) int {
	pages, left := 0, 0
	for _, size := range sizes {
		if roomFor(size) > left {
			pages, left = pages+1, pageRoom
		}
		left -= roomFor(size)
	}
	return pages
}

// leavesOf writes bodies to a table as a build does, and asks SQLite how many
// pages begin with a row.
func leavesOf(t interface{ Fatal(args ...any) }, sizes []int) int {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each would have a database of its own
	if _, err := db.Exec(`CREATE TABLE body (doc INTEGER PRIMARY KEY, text BLOB NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	for i, size := range sizes {
		if _, err := db.Exec(`INSERT INTO body VALUES (?, zeroblob(?))`, i+1, size); err != nil {
			t.Fatal(err)
		}
	}
	var leaves int
	if err := db.QueryRow(`SELECT count(*) FROM dbstat WHERE name = 'body' AND pagetype = 'leaf'`).Scan(&leaves); err != nil {
		t.Fatal(err)
	}
	return leaves
}

func TestPackerHandsOutEachRecordOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOf(rapid.IntRange(0, 3*pageSize)).Draw(t, "sizes")
		if order := packed(sizes); !slices.Equal(slices.Sorted(slices.Values(order)), slices.Sorted(slices.Values(sizes))) {
			t.Fatalf("of %v came %v", sizes, order)
		}
	})
}

// SQLite's rows take the room that the packer counts with.
func TestRowsHaveTheRoomTheyTake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 3*pageSize), 1, 60).Draw(t, "sizes")
		predicted := pagesFor(sizes)
		// A row may take some bytes less than counted, and now and then fit where it
		// was not thought to.
		if leaves := leavesOf(t, sizes); leaves > predicted || leaves < predicted-1-len(sizes)/20 {
			t.Fatalf("bodies of %v begin on %d pages, not %d", sizes, leaves, predicted)
		}
	})
}

func TestBodiesFillTheirPages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var sizes []int
	for range 2000 {
		sizes = append(sizes, int(random.ExpFloat64()*2000))
	}
	total := 0
	for _, size := range sizes {
		total += roomFor(size)
	}
	as, by := leavesOf(t, sizes), leavesOf(t, packed(sizes))
	if full := float64(total) / float64(by*pageRoom); full < 0.97 || by >= as {
		t.Errorf("bodies begin on %d pages and fill %.1f %% of them; unsorted on %d", by, 100*full, as)
	}
}
