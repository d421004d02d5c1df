package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// hold opens a file or a folder of a workspace as another program does that shares it with
// nobody, or with readers and writers alone.
func hold(t *testing.T, root, path string, share uint32) (letGo func()) {
	t.Helper()
	name, err := windows.UTF16PtrFromString(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return func() { _ = windows.CloseHandle(h) }
}

// TestWindowsFileHeld has an editor or a virus scanner hold a file. Commands say so and change
// nothing, and all other documents are as always. Once the file is let go, the commands work.
func TestWindowsFileHeld(t *testing.T) {
	const first = ".wrangler/issues/ISS-000001-shared.md"
	const held = "another program has the file open: close it there, then try again"
	root := t.TempDir()
	plant(t, root, "ISS-000001")
	plant(t, root, "ISS-000002")
	run := func(code int, says string, args ...string) {
		t.Helper()
		p := runIn(t, root, args...)
		if p.code != code || !strings.Contains(p.out+p.errOut, says) {
			t.Errorf("%v: exit code %d, not %d with %q\n%s%s", args, p.code, code, says, p.out, p.errOut)
		}
	}
	all := func() {
		t.Helper()
		run(0, "Shared ISS-000001", "list")
		run(0, "No problems in 2 documents", "check")
	}
	run(0, "", "claim", "2", "--as", "ann") // makes all files of the cache
	run(0, "", "release", "2", "--as", "ann")
	all()

	t.Run("a document that nobody else may replace", func(t *testing.T) {
		letGo := hold(t, root, first, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE)
		all()
		run(0, "Text of ISS-000001", "show", "1")
		run(1, held, "set", "1", "project=P")
		run(1, held, "done", "1")
		all()
		letGo()
		run(0, "", "set", "1", "project=P")
		run(0, "", "undo")
	})
	t.Run("a document that nobody else may read", func(t *testing.T) {
		letGo := hold(t, root, first, 0)
		run(0, "2 documents", "stats")
		run(0, held, "show", "1")
		run(1, held, "check")
		run(1, held, "set", "1", "project=P")
		run(0, "", "set", "2", "project=P")
		letGo()
		all()
		run(0, "", "set", "1", "project=P")
		run(0, "", "undo")
	})
	t.Run("the folder of the documents", func(t *testing.T) {
		letGo := hold(t, root, ".wrangler/issues", 0)
		run(0, "No document can be read.", "list")
		run(1, held, "check")
		run(1, held, "new", "More")
		letGo()
		all()
	})
	for _, file := range []string{"write.lock", "undo.lock", "leases.db", "issues-index.db"} {
		t.Run("the file "+file, func(t *testing.T) {
			letGo := hold(t, root, ".wrangler/cache/"+file, 0)
			run(0, "Shared ISS-000001", "list")
			switch file {
			case "write.lock":
				run(1, held, "set", "1", "project=P")
			case "undo.lock":
				run(0, held, "set", "1", "project=P")
				run(1, held, "undo")
			case "leases.db":
				run(1, "try again in some seconds", "claim", "1", "--as", "ann")
			default:
				run(0, "keeping the index elsewhere", "set", "1", "project=Q")
			}
			letGo()
			run(0, "", "claim", "1", "--as", "ann")
			run(0, "", "undo", "--of", "ann")
			all()
		})
	}
	t.Run("a document that a server reads", func(t *testing.T) {
		a := startAgent(t, root)
		list := func() string { return a.must(t, "issues_list", map[string]any{}, nil) }
		list()
		full := filepath.Join(root, first)
		text, err := os.ReadFile(full)
		if err == nil {
			err = os.WriteFile(full, bytes.Replace(text, []byte("title: Shared"), []byte("title: Later"), 1), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		letGo := hold(t, root, first, 0)
		list()
		letGo()
		if now := list(); !strings.Contains(now, "Later ISS-000001") {
			t.Errorf("let go, the list is\n%s", now)
		}
		a.end()
	})
}
