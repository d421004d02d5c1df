package issues

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"issues-index/store/storetest"
	"issues-index/tools/toolstest"
)

// TestADocumentThatMovesAllTheTimeIsFound moves a document between two folders a
// hundred times a second, as another program may. It looks thousands of times, since
// one look in a thousand falls between two folders.
func TestADocumentThatMovesAllTheTimeIsFound(t *testing.T) {
	if !storetest.Long() {
		t.Skip("takes a while; run it with -long")
	}
	root := t.TempDir()
	const here, there = ".wrangler/issues/ISS-000001.md", ".wrangler/issues/archived/ISS-000001.md"
	toolstest.Write(t, root, here, "---\nid: ISS-000001\nlabels: [a]\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/archived/other.md", "# Other\n")
	f := serve(t, root)
	stop := make(chan struct{})
	var moving sync.WaitGroup
	moving.Go(func() {
		from, to := here, there
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				_ = os.Rename(filepath.Join(root, from), filepath.Join(root, to))
				from, to = to, from
			}
		}
	})
	defer moving.Wait()
	defer close(stop)
	for i := range 4000 {
		for tool, arguments := range map[string]map[string]any{
			"issues_get":    {"id": "ISS-000001"},
			"issues_labels": {"operation": "list", "issueId": "ISS-000001"},
		} {
			if answer := f.Call(t, tool, arguments); answer.IsError {
				t.Fatalf("call %d of %s: %s", i, tool, answer.Text())
			}
		}
		b, text := toolstest.Must[batchAnswer](t, f.Client, "issues_get_batch", map[string]any{"ids": []string{"ISS-000001"}})
		if len(b.Issues) != 1 {
			t.Fatalf("call %d: %s", i, text)
		}
	}
}
