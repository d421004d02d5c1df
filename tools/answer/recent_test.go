package answer

import (
	"fmt"
	"strings"
	"testing"

	"issues-index/store"
)

// TestManyReaders reads more texts in turns than are remembered, each chunk
// twice, the second time with what the first left of the memory.
func TestManyReaders(t *testing.T) {
	limits := ChunkLimits{Tokens: 30, Lines: 20}
	readers := 2 * maxReadings
	texts, places := make([]LongText, readers), make([]ChunkStart, readers)
	for i := range texts {
		texts[i] = LongText{Tool: "read", Name: "it", Seal: "seal", Body: strings.Repeat(fmt.Sprintf("# Part of %d\n\nA sentence. Another one.\n\n- an item\n", i), 10)}
	}
	for chunks := 0; ; chunks++ {
		for i, text := range texts {
			x := Extent{Start: 1, End: store.LineCount(text.Body), To: len(text.Body)}
			first, again := text.Cut(x, places[i], limits), text.Cut(x, places[i], limits)
			end := Next(text.Body, places[i].At, limits)
			if first != again || first.Text != text.Body[places[i].At:end] || first.Chunks != Count(text.Body, 0, limits) {
				t.Fatalf("chunk %d of text %d: %+v, then %+v", chunks, i, first, again)
			}
			if first.Next == "" {
				if i == readers-1 {
					return
				}
				continue
			}
			var err error
			if _, places[i], err = text.Resume(first.Next, Passage{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestReadingsAreForgotten(t *testing.T) {
	var r readings
	text := strings.Repeat("A sentence. ", 100)
	spots := make([]spot, maxReadings+1)
	for i := range spots {
		spots[i] = spotOf(text, i, ChunkLimits{Tokens: 30, Lines: 20})
		r.keep(begin(spots[i], text))
	}
	if r.take(spots[0]) != nil {
		t.Error("the oldest is still there")
	}
	if r.take(spots[1]) == nil || r.take(spots[1]) != nil {
		t.Error("a reading is nobody's, or two readers'")
	}
}
