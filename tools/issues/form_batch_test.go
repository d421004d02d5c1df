package issues

import (
	"fmt"
	"testing"

	"issues-index/tools"
	"issues-index/tools/answer"
)

func TestABatchKnowsWhatItTakes(t *testing.T) {
	f := &batchForm{level: levels[0], notFound: []string{"no \"such\""}, ambiguous: []ambiguity{{"two", []string{"a.md", "b.md"}}}}
	for i, text := range []string{"", "A <text> & \"more\".\n", "\x00\xff\u2028字"} {
		labels := []string{"l", text}
		whole := document{ID: fmt.Sprint("ISS-", i), Title: text, Labels: &labels, Description: &text}
		f.found = append(f.found, &batchItem{row: row{ID: whole.ID, Title: text, Labels: labels, Updated: "2026-02-15"}, size: answer.Escaped(text), forms: [...]batchEntry{
			complete: {batchDocument: batchDocument{document: whole}},
		}})
		f.found[i].list(rowWidths[i%len(rowWidths)])
	}
	for first := omitted; first <= complete; first++ {
		for others := omitted; others <= complete; others++ {
			f.setAll(others)
			f.found[0].shown = first
			shown := f.show()
			if written := (tools.Result{Structured: shown.Structured}).Size(); shown.Object != written {
				t.Errorf("forms %d and %d: it says %d bytes, and takes %d", first, others, shown.Object, written)
			}
		}
	}
}
