package answer

import (
	"fmt"
	"issues-index/store/markdown"
	"strings"
	"testing"
)

// More texts are read in turns than the cache holds, and each chunk is read twice.
func TestChunksOfManyTextsInTurns(t *testing.T) {
	limits := ChunkLimits{Tokens: 30, Lines: 20}
	readers := 2 * maxChunkedTexts
	texts, places := make([]LongText, readers), make([]ChunkStart, readers)
	for i := range texts {
		texts[i] = LongText{Tool: "read", Name: "it", Seal: "seal", Body: strings.Repeat(fmt.Sprintf("# Part of %d\n\nA sentence. Another one.\n\n- an item\n", i), 10)}
	}
	for chunks := 0; ; chunks++ {
		for i, text := range texts {
			x := Extent{Start: 1, End: markdown.LineCount(text.Body), To: len(text.Body)}
			first, again := text.Cut(x, places[i], limits), text.Cut(x, places[i], limits)
			ends := chunkEnds(text.Body, 0, limits)
			if first != again || first.Text != text.Body[places[i].At:ends[chunks]] || first.Chunks != len(ends) {
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
