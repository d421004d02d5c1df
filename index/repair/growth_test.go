package repair

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// The work of a repair grows as the documents do, however many share an id and whatever they name.
// It is counted in allocations: what compares each document with each other one makes some for each
// pair. The test is not parallel, since all of the process's are counted.
func TestRepairingDuplicateIDsGrowsAsTheDocumentsDo(t *testing.T) {
	forms := map[string]func(i, n int) (keys, body string){
		"one id":          func(int, int) (string, string) { return "", "" },
		"different texts": func(i, _ int) (string, string) { return "", fmt.Sprint("text ", i) },
		"equal texts":     func(i, _ int) (string, string) { return fmt.Sprintf("labels: [l%d]\n", i), "text" },
		"mentions":        func(int, int) (string, string) { return "", strings.Repeat("ISS-000001 is, ISS-000001-doc1 too\n", 20) },
		"links": func(i, n int) (string, string) {
			return fmt.Sprintf("dependsOn: [1, ISS-000001, ISS-000001-doc%d]\n", (i+1)%n), ""
		},
		"earlier ids": func(i, _ int) (string, string) {
			return fmt.Sprintf("formerIds: [ISS-000001, ISS-%06d, ISS-%06d]\n", 1000+i, 5000+i), fmt.Sprint("text ", i)
		},
	}
	for name, form := range storetest.Few(forms, 1) {
		t.Run(name, func(t *testing.T) {
			work := func(n int) uint64 {
				files := map[string]string{}
				for i := range n {
					keys, body := form(i, n)
					file := fmt.Sprintf(".wrangler/issues/ISS-000001-doc%d.md", i)
					files[file] = fmt.Sprintf("---\nid: ISS-000001\ntitle: Doc %d\ncreatedAt: 2026-01-01\n%s---\n%s\n", i%7, keys, body)
				}
				w := newWorkspace(t, "", files)
				w.duplicates(DuplicateOptions{}) // has everything read once
				least := uint64(math.MaxUint64)  // the index may look at the files meanwhile
				for range 3 {
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					r := w.duplicates(DuplicateOptions{Keep: []string{".wrangler/issues/ISS-000001-doc0.md"}})
					runtime.ReadMemStats(&after)
					if len(r.Changes)+len(r.Undecided) == 0 {
						t.Error("nothing is repaired")
					}
					least = min(least, after.Mallocs-before.Mallocs)
				}
				return least
			}
			small, large := work(100), work(200)
			for tries := 0; large > small*5/2 && tries < 5; tries++ { // the index may have looked each time
				small, large = work(100), work(200)
			}
			if large > small*5/2 {
				t.Errorf("%d allocations for 100 documents, %d for 200", small, large)
			}
		})
	}
}
