package index_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"issues-index/index"
)

// A lookout sees which documents of a workspace are opened, by whomever.
type lookout struct{ fd int }

func lookOut(t *testing.T, root string) lookout {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	err = filepath.WalkDir(filepath.Join(root, ".wrangler"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		// The closing, too, or two openings in a row would come as one.
		_, err = unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_CLOSE)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lookout{fd}
}

// opened are the names of the documents that were opened since the last call,
// once for each time.
func (l lookout) opened(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(l.all(t), func(name string) bool { return !strings.HasSuffix(name, ".md") })
}

// all are the names of all files that were opened since the last call, likewise.
func (l lookout) all(t *testing.T) []string {
	t.Helper()
	var names []string
	buffer := make([]byte, 1<<16)
	for {
		n, err := unix.Read(l.fd, buffer)
		if errors.Is(err, unix.EAGAIN) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		for events := buffer[:n]; len(events) > 0; {
			mask, length := binary.NativeEndian.Uint32(events[4:]), binary.NativeEndian.Uint32(events[12:])
			name, _, _ := bytes.Cut(events[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length], []byte{0})
			events = events[unix.SizeofInotifyEvent+length:]
			if mask&unix.IN_Q_OVERFLOW != 0 {
				t.Fatal("too many files are opened to be told of each")
			}
			if mask&unix.IN_OPEN != 0 {
				names = append(names, string(name))
			}
		}
	}
}

// bytesRead are all that the process has read so far, of documents, of the index
// and of the system's notices.
func bytesRead(t *testing.T) int {
	t.Helper()
	counters, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skipf("the system does not count: %v", err)
	}
	var count int
	if _, err := fmt.Sscanf(string(counters), "rchar: %d", &count); err != nil {
		t.Fatal(err)
	}
	return count
}

// A reading is what a call usually opens, and at least reads: now and then the
// full-text index merges.
type reading struct{ documents, bytes int }

func (s *served) readings(t *testing.T) map[string]reading {
	t.Helper()
	const rounds = 5
	s.call(t, "issues_stats", `{"groupBy":"type"}`, "") // has the index built
	l := lookOut(t, s.root)
	all := map[string]reading{}
	for _, c := range costedCalls {
		var documents, read []int
		for n := range rounds {
			s.call(t, "issues_stats", `{"groupBy":"type"}`, "")
			l.opened(t)
			before := bytesRead(t)
			s.call(t, c.tool, c.round(n), c.refusal)
			read = append(read, bytesRead(t)-before)
			documents = append(documents, len(l.opened(t)))
		}
		slices.Sort(documents)
		all[c.name] = reading{documents[rounds/2], slices.Min(read)}
	}
	return all
}

// TestDocumentsOpenedByEveryTool is not parallel to others: the bytes are counted
// of the whole process.
func TestDocumentsOpenedByEveryTool(t *testing.T) {
	few := serveDocuments(t, 100).readings(t)
	large := serveDocuments(t, manyDocuments()) // not before: it reads while it starts
	many := large.readings(t)
	var b strings.Builder
	for _, c := range costedCalls {
		few, many := few[c.name], many[c.name]
		t.Logf("%s: with 100 documents %+v, with many %+v", c.name, few, many)
		if few.documents != many.documents {
			t.Errorf("%s opens %d documents in a small workspace, %d in a large one", c.name, few.documents, many.documents)
		}
		// Some pages of the index and notices of the system more or less are no growth.
		if many.bytes > 3*few.bytes+4096 && c.grows == "" {
			t.Errorf("%s reads %d bytes in a small workspace, %d in a large one", c.name, few.bytes, many.bytes)
		}
		fmt.Fprintf(&b, "%3d %s\n", few.documents, c.name)
	}
	compareGolden(t, "opened.golden", b.String())

	t.Run("sees a document that is opened", func(t *testing.T) {
		l := lookOut(t, large.root)
		before := bytesRead(t)
		size := 0
		for range 2 {
			data, err := os.ReadFile(filepath.Join(large.root, ".wrangler/issues/ISS-000001-paper.md"))
			if err != nil {
				t.Fatal(err)
			}
			size += len(data)
		}
		if names, read := l.opened(t), bytesRead(t)-before; len(names) != 2 || read < size {
			t.Errorf("%d bytes, and %q, are seen of two readings", read, names)
		}
	})
}

// The journal for undo costs a call that changes documents two files, whatever it changes, and other
// calls none.
func TestTheJournalIsOpenedByChangesAlone(t *testing.T) {
	s := serveDocuments(t, 100)
	s.call(t, "issues_update", `{"id":"ISS-000001","project":"first"}`, "") // makes the files
	l := lookOut(t, s.root)
	for _, c := range []struct {
		tool, arguments string
		opens           []string
	}{
		{"issues_list", `{"limit":20}`, nil},
		{"issues_get", `{"id":"ISS-000001"}`, nil},
		{"issues_update", `{"id":"ISS-000001","project":"new"}`, []string{"undo.lock", "undo.jsonl"}},
		{"issues_update", `{"id":"ISS-000001","project":"new"}`, nil},
		{"issues_update_batch", `{"updates":[{"id":"ISS-000001","project":"a"},{"id":"ISS-000002","project":"b"}]}`, []string{"undo.lock", "undo.jsonl"}},
	} {
		s.call(t, "issues_stats", `{"groupBy":"type"}`, "")
		l.all(t)
		s.call(t, c.tool, c.arguments, "")
		opened := slices.DeleteFunc(l.all(t), func(name string) bool { return !strings.HasPrefix(name, "undo") })
		if !slices.Equal(opened, c.opens) {
			t.Errorf("%s %s opens %q", c.tool, c.arguments, opened)
		}
	}
}

// TestOneChangeOpensOneFile: whichever way changes are noticed, only what has
// changed is opened.
func TestOneChangeOpensOneFile(t *testing.T) {
	t.Parallel()
	const changed = "ISS-000021-paper.md"
	for _, mode := range []index.Mode{index.ModeWatch, index.ModeVerify} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			writeDocuments(t, root, 300)
			s := serveRoot(t, root, mode)
			s.call(t, "issues_list", `{}`, "")
			if err := s.Rest(t.Context()); err != nil {
				t.Fatal(err)
			}
			l := lookOut(t, root)
			s.call(t, "issues_list", `{}`, "")
			if names := l.opened(t); len(names) > 0 {
				t.Errorf("nothing has changed, and %q are opened", names)
			}
			addLine(t, root, changed)
			l.opened(t) // by us
			found, err := s.Find(t.Context(), index.Query{Search: true, Text: "onemore", Limit: 5})
			if err != nil || found.Total != 1 {
				t.Errorf("%v: %d documents have the new word", err, found.Total)
			}
			if names := slices.Compact(l.opened(t)); len(names) > 1 || len(names) == 1 && names[0] != changed {
				t.Errorf("%s has changed, and %q are opened", changed, names)
			}
		})
	}
}

// TestStartOpensOnlyWhatHasChanged: an index that was left in order is taken as
// it is.
func TestStartOpensOnlyWhatHasChanged(t *testing.T) {
	t.Parallel()
	const changed = "ISS-000021-paper.md"
	root := t.TempDir()
	writeDocuments(t, root, 300)
	l := lookOut(t, root)
	for _, start := range []struct {
		name   string
		before func()
		opened func(names []string) bool
	}{
		{"without an index", func() {}, func(names []string) bool { return len(names) >= 300 }},
		{"with an index", func() {}, func(names []string) bool { return len(names) == 0 }},
		{"after a change", func() { addLine(t, root, changed) }, func(names []string) bool {
			return slices.Equal(slices.Compact(names), []string{changed})
		}},
	} {
		start.before()
		l.opened(t)
		s := serveRoot(t, root, index.ModeWatch)
		s.call(t, "issues_list", `{}`, "")
		if names := l.opened(t); !start.opened(names) {
			t.Errorf("a start %s opens %d documents: %q", start.name, len(names), names[:min(len(names), 3)])
		}
		if err := errors.Join(s.Rest(t.Context()), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func addLine(t *testing.T, root, name string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(root, ".wrangler/issues", name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("And onemore line.\n")
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
