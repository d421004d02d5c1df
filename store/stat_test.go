package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What is said of a file is the same whoever asks, and tells it from every other state of it
// and from every other file, whose times anybody may set.
func TestNoEditAndNoCopyLooksLikeTheFile(t *testing.T) {
	const copied = ".wrangler/issues/copied.md"
	w := newWorkspace(t, map[string]string{aPath: openIssue, copied: openIssue})
	old := time.Now().Add(-time.Hour)
	look := func(p string) Stat {
		t.Helper()
		if err := os.Chtimes(filepath.Join(w.Root, p), old, old); err != nil {
			t.Fatal(err)
		}
		st, err := w.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	before, other := look(aPath), look(copied)
	if before.Inode == other.Inode || before.Device != other.Device || before.Links != 1 {
		t.Errorf("the file is %+v, its copy %+v", before, other)
	}
	if _, read, err := w.Read(aPath); err != nil || read != before {
		t.Errorf("read as %+v, %v, looked at as %+v", read, err, before)
	}
	l, err := w.List(t.Context())
	if err != nil || len(l.Files) != 2 || l.Files[0].Stat != before || l.Files[1].Stat != other {
		t.Errorf("listed as %+v, %v, looked at as %+v and %+v", l.Files, err, before, other)
	}
	after := before
	for range 1000 { // until the system's clock has gone on
		writeFiles(t, w.Root, map[string]string{aPath: openIssue})
		if after = look(aPath); after != before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if after.Size != before.Size || after.Mtime != before.Mtime || after.Ctime == before.Ctime {
		t.Errorf("after an edit it is %+v, before it %+v", after, before)
	}
}
