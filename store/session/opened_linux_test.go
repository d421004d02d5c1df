package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"issues-index/store"

	"golang.org/x/sys/unix"
)

// openedFiles counts the openings, by file name, of the files in some directories
// while f runs.
func openedFiles(t *testing.T, dirs []string, f func()) map[string]int {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	for _, dir := range dirs {
		// The closing, too, or two openings in a row would come as one.
		if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN|unix.IN_CLOSE); err != nil {
			t.Fatal(err)
		}
	}
	f()
	counts := map[string]int{}
	buffer := make([]byte, 1<<16)
	for {
		n, err := unix.Read(fd, buffer)
		if errors.Is(err, unix.EAGAIN) {
			return counts
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
			if mask&(unix.IN_OPEN|unix.IN_ISDIR) == unix.IN_OPEN {
				counts[string(name)]++
			}
		}
	}
}

// TestSessionsThatAreNotShownHaveOnlyTheirContextRead counts the files that are
// opened among 100 sessions.
func TestSessionsThatAreNotShownHaveOnlyTheirContextRead(t *testing.T) {
	const sessions = 100
	files := map[string]string{}
	var dirs []string
	w := newWorkspace(t, nil)
	for i := range sessions {
		id := fmt.Sprintf("2026-01-02-abcdef0-%04x", i)
		files[sessionFile(id, contextFile)] = fmt.Sprintf(`{"id":%q,"status":"paused","startedAt":"2026-01-02T00:00:%02dZ"}`, id, i%60)
		files[sessionFile(id, checkpointFile)] = `{}`
		files[sessionFile(id, auditFile)] = "{}\n"
		dirs = append(dirs, filepath.Join(w.Root, filepath.FromSlash(store.SessionsDir), id))
	}
	writeFiles(t, w.Root, files)
	for name, c := range map[string]struct {
		call func() error
		want map[string]int
	}{
		"the session to resume": {
			func() error { _, _, err := w.Find(t.Context(), ""); return err },
			map[string]int{contextFile: sessions, checkpointFile: 1, auditFile: 1},
		},
		"one session": {
			func() error { _, _, err := w.Find(t.Context(), "2026-01-02-abcdef0-0003"); return err },
			map[string]int{contextFile: 1, checkpointFile: 1, auditFile: 1},
		},
		"all sessions": {
			func() error { _, err := w.All(t.Context()); return err },
			map[string]int{contextFile: sessions},
		},
		"the newest sessions": {
			func() error { _, err := w.Newest(t.Context(), 3); return err },
			map[string]int{contextFile: sessions},
		},
		"the problems of one": {
			func() error { _, err := w.Problems(t.Context(), "2026-01-02-abcdef0-0003"); return err },
			map[string]int{checkpointFile: 1, auditFile: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := openedFiles(t, dirs, func() {
				if err := c.call(); err != nil {
					t.Error(err)
				}
			})
			if !maps.Equal(got, c.want) {
				t.Errorf("opened %v, want %v", got, c.want)
			}
		})
	}
}
