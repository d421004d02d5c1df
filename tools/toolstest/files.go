package toolstest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Same compares what somebody reads with the file that records it. With
// UPDATE_GOLDEN=1 in the environment it writes the file.
func Same(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		Write(t, filepath.Dir(file), filepath.Base(file), string(got))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("read golden file: %v (UPDATE_GOLDEN=1 writes it)", err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("not what %s has (UPDATE_GOLDEN=1 rewrites it):\n%s", file, got)
	}
}

// Write writes a file below a directory.
func Write(t *testing.T, root, path, content string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
