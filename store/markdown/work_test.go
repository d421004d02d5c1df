package markdown

import (
	"iter"
	"runtime"
	"testing"

	"issues-index/store/storetest"
)

// TestNoTextTakesMuchMemory counts the bytes that are allocated while a text is read, which
// grow with its length: no part of it is copied for each place that names it.
func TestNoTextTakesMuchMemory(t *testing.T) {
	const size, each = 64 << 10, 2500
	nowhere := func(string) iter.Seq2[int, int] { return func(func(int, int) bool) {} }
	for name, text := range storetest.Few(storetest.MarkdownBombs(size), 8) {
		for what, read := range map[string]func(){
			"outline": func() { Outline(text) }, "boxes": func() { Boxes(text) },
			"references": func() { References(text, nowhere) }, "cost": func() { CostlyToRender(text) },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			read()
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > each*size {
				t.Errorf("the %s of %s: %d bytes of memory for one of the text", what, name, taken/size)
			}
		}
	}
}
