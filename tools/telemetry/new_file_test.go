package telemetry

import (
	"os"
	"path/filepath"
	"testing"
)

// Another process may look at the file before its log is moved into it.
func TestANewFileIsMarkedAsOursBeforeItHasALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	at := databaseOf(t, path)
	f, err := openFile(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !at.Ours(head) {
		t.Errorf("the file of %d bytes is not ours", len(head))
	}
}
