package edit

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"issues-index/index"
	"issues-index/store"
)

// Whoever deletes the index may do so at any moment of a change.
func TestDocumentsAreMadeWhileTheIndexIsDeleted(t *testing.T) {
	w := serve(t, t.TempDir(), index.Options{})
	cache := filepath.Join(w.root, filepath.FromSlash(index.DefaultPath))
	var done atomic.Bool
	deleted := make(chan error, 1)
	go func() {
		for !done.Load() {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(cache + suffix); err != nil && !os.IsNotExist(err) {
					deleted <- err
					return
				}
			}
		}
		deleted <- nil
	}()
	made := make(map[string]bool)
	for i := range 20 {
		written, err := w.Create(t.Context(), store.NewDocument{Title: fmt.Sprint("Title ", i), Description: "Text"}, false)
		if err != nil {
			t.Errorf("document %d: %v", i, err)
			continue
		}
		made[written.After.ID] = true
	}
	done.Store(true)
	if err := <-deleted; err != nil {
		t.Fatal(err)
	}
	if len(made) != 20 {
		t.Errorf("%d ids for 20 documents", len(made))
	}
}
