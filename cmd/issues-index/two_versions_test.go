//go:build !windows

package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"issues-index/store/storetest"
)

// olderCommit is the last one whose program keeps its leases, numbers and published hashes in
// three databases, and whose index has another schema.
const olderCommit = "f156bc9"

var olderProgram = flag.String("older", "", "the program of "+olderCommit+"; with -long it is built when this is empty")

// TestTwoVersionsShareAWorkspace runs servers of an older program beside servers of this one, on one
// workspace, and kills them: all that was acknowledged is on disk, no document has two holders, fences
// never fall, and neither program rebuilds the index of the other.
func TestTwoVersionsShareAWorkspace(t *testing.T) {
	t.Parallel()
	older := buildOlder(t)
	const present = "issues-index"
	t.Run("claims of four servers", func(t *testing.T) {
		claimsAgainstModel(t, 1000, 60, [claimProcesses]string{older, present, older, present})
	})
	t.Run("changes of servers that are killed", func(t *testing.T) {
		killServers(t, t.TempDir(), 40, []string{older, present})
	})
	t.Run("each keeps its index", func(t *testing.T) {
		root := t.TempDir()
		plant(t, root, "ISS-000001")
		list := func(program string) {
			t.Helper()
			server := startAgentOf(t, program, root)
			var listed struct{ TotalCount int }
			server.must(t, "issues_list", map[string]any{"limit": 1}, &listed)
			server.end()
			if listed.TotalCount != 1 {
				t.Errorf("%s lists %d documents, want 1", program, listed.TotalCount)
			}
		}
		for range 2 {
			list(older)
			list(present)
		}
		before := indexFiles(t, root)
		for range 2 {
			list(older)
			list(present)
		}
		for path, file := range indexFiles(t, root) {
			if !os.SameFile(file, before[path]) {
				t.Errorf("%s was made anew", path)
			}
		}
	})
}

// indexFiles describes the index files of a workspace, by path.
func indexFiles(t *testing.T, root string) map[string]os.FileInfo {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, ".wrangler", "cache", "issues-index*"))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]os.FileInfo)
	for _, path := range paths {
		beginning := make([]byte, len(sqliteHeader))
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, readErr := io.ReadFull(file, beginning)
		info, err := file.Stat()
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		if readErr == nil && string(beginning) == sqliteHeader {
			files[path] = info
		}
	}
	return files
}

// sqliteHeader begins every SQLite file.
const sqliteHeader = "SQLite format 3\x00"

// buildOlder returns the path of the older program. It is built from the repository's history.
func buildOlder(t *testing.T) string {
	t.Helper()
	if *olderProgram != "" {
		return *olderProgram
	}
	if !storetest.Long() {
		t.Skip("builds a program of another version: run with -long, or pass -older")
	}
	source, program := t.TempDir(), filepath.Join(t.TempDir(), "older")
	archive := filepath.Join(source, "older.tar")
	fromHistory := exec.Command("git", "archive", "-o", archive, olderCommit)
	fromHistory.Dir = filepath.Join("..", "..") // of a folder in the repository, git would take that folder alone
	if out, err := fromHistory.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the history of this clone has no %s: %v\n%s", olderCommit, err, out)
	}
	for _, command := range []*exec.Cmd{exec.Command("tar", "-xf", archive), exec.Command("go", "build", "-o", program, "./cmd/issues-index")} {
		command.Dir = source
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return program
}
