package index

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/markdown"
)

// checkBoxes holds the index's counts to the boxes that each document has, and the filter
// to the counts, in every order and with other filters.
func checkBoxes(w *tree, ix *Index) {
	w.Helper()
	page, err := ix.Find(w.Context(), Query{Limit: math.MaxInt32})
	w.must(err)
	open := map[string]bool{}
	for _, row := range page.Rows {
		doc, _, err := ix.Workspace().Load(row.Path)
		w.must(err)
		var want markdown.BoxCount
		for _, box := range markdown.Boxes(doc.Body) {
			want.Total++
			if box.Checked {
				want.Checked++
			}
		}
		if row.Boxes != want {
			w.Errorf("%s has the boxes %v, the index %v", row.Path, want, row.Boxes)
		}
		if want.Checked < want.Total {
			open[row.Path+" "+row.Status] = true
		}
	}
	for _, key := range []SortKey{SortUpdated, SortPriority} {
		for _, statuses := range [][]string{nil, {"open"}, {"closed"}} {
			page, err := ix.Find(w.Context(), Query{Filter: Filter{Boxes: BoxesOpen, Statuses: statuses}, Sort: Sort{Key: key}, Limit: math.MaxInt32})
			w.must(err)
			want := 0
			for document := range open {
				if len(statuses) == 0 || strings.HasSuffix(document, " "+statuses[0]) {
					want++
				}
			}
			wrong := slices.ContainsFunc(page.Rows, func(r Row) bool { return !open[r.Path+" "+r.Status] })
			if len(page.Rows) != want || page.Total != want || wrong {
				w.Errorf("by %s, %v: %d of %d documents with open boxes", key, statuses, len(page.Rows), want)
			}
		}
	}
}

func TestTheIndexCountsTheBoxesOfRealDocuments(t *testing.T) {
	w := newTree(t, 0)
	n := 0
	err := fs.WalkDir(os.DirFS("../testdata"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(path.Join("../testdata", name))
		n++
		w.write(fmt.Sprintf(".wrangler/issues/%03d-%s", n, path.Base(name)), string(bytes.ToValidUTF8(text, nil)))
		return err
	})
	w.must(err)
	ix, _ := w.open(Options{Mode: ModeVerify})
	defer w.close(ix)
	checkBoxes(w, ix)
	boxed, err := ix.Find(t.Context(), Query{Filter: Filter{Boxes: BoxesOpen}, Limit: 1})
	w.must(err)
	if n < 40 || boxed.Total == 0 {
		t.Errorf("%d of %d documents have open boxes", boxed.Total, n)
	}
}

func TestTheIndexCountsBoxesAfterEveryEdit(t *testing.T) {
	w := newTree(t, 0)
	ix, _ := w.open(Options{Mode: ModeVerify})
	defer w.close(ix)
	lines := []string{
		"- [ ] open", "- [x] checked", "  - [X] nested", "1. [ ] numbered", "- item", "- [ ](link)", "text [ ]", "# Heading", "```", "<div>", "", "", "> - [ ] quoted", "---",
	}
	rapid.Check(t, func(r *rapid.T) {
		for range rapid.IntRange(1, 3).Draw(r, "edits") {
			id := fmt.Sprintf("ISS-%06d", rapid.IntRange(1, 4).Draw(r, "document"))
			status := rapid.SampledFrom([]string{"open", "closed"}).Draw(r, "status")
			body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 8).Draw(r, "lines"), "\n")
			file := ".wrangler/issues/" + id + ".md"
			w.write(file, fmt.Sprintf("---\nid: %s\ntitle: A title\nstatus: %s\n---\n%s", id, status, body))
			if rapid.IntRange(0, 4).Draw(r, "delete") == 0 {
				w.remove(file)
			}
		}
		checkBoxes(w, ix)
		if t.Failed() {
			r.Fatal("see above")
		}
	})
}
