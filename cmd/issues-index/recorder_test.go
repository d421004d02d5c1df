package main

import (
	"os"
	"path/filepath"
	"testing"

	"issues-index/store"
	"issues-index/tools/config"
)

// A server may end before its index is built. The calls that it has answered by then are
// recorded, since their place does not depend on the index.
func TestTelemetryDoesNotWaitForTheIndex(t *testing.T) {
	for _, variable := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(variable, t.TempDir())
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	opened := func(root string) string {
		t.Helper()
		ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		dir, name, err := openTelemetryFolder(&config.Config{}, ws)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		return dir.Join(name)
	}

	sample := filepath.Join(t.TempDir(), "sample")
	if err := copySample(sample); err != nil {
		t.Fatal(err)
	}
	if got, want := opened(sample), filepath.Join(sample, ".wrangler", "cache", "telemetry.db"); got != want {
		t.Errorf("the file is %s, not %s", got, want)
	}
	if _, err := os.Stat(filepath.Join(sample, ".wrangler", "cache", ".gitignore")); err != nil {
		t.Error("git sees the folder:", err)
	}

	empty := t.TempDir()
	if got, want := filepath.Dir(opened(empty)), filepath.Join(cache, "issues-index"); got != want {
		t.Errorf("calls in a folder without documents are recorded in %s, not %s", got, want)
	}
	if made, err := os.ReadDir(empty); err != nil || len(made) > 0 {
		t.Errorf("%v was made in a folder without documents: %v", made, err)
	}
}
