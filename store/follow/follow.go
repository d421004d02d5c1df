// Package follow tells when a small file has changed, for a server that looks at it before
// each call.
//
// It knows nothing of what is in the file. Invariants: looking at an unchanged file costs
// one system call; a change that was finished before a look shows in it; a file that is empty
// while another program replaces it is waited for, but not for long.
package follow

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// replacing is how long a file that is empty or missing, and was not before, may be between the
// two steps of being replaced.
const replacing = 40 * time.Millisecond

// clockStep is the coarsest resolution of a file system's times, that of FAT: two
// changes within it may leave the same size and time.
const clockStep = 2 * time.Second

// A Follower looks at one file. It is safe for concurrent use.
type Follower struct {
	stat func() (os.FileInfo, error)
	read func() ([]byte, error)

	seen atomic.Pointer[state] // when the file was last read

	mu   sync.Mutex // held while the file is read
	data []byte
	err  error
}

// New reads a file and follows it from then on.
func New(stat func() (os.FileInfo, error), read func() ([]byte, error)) *Follower {
	f := &Follower{stat: stat, read: read}
	f.reread()
	return f
}

// Content is what was last read of the file, or the error of reading it.
func (f *Follower) Content() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.data, f.err
}

// Unchanged reports whether the file is certain to be as when it was last read.
func (f *Follower) Unchanged() bool {
	seen := f.seen.Load()
	return seen.settled && seen.same(f.state())
}

// Reread reads the file, and reports whether its content is new.
func (f *Follower) Reread() (changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, err := f.data, f.err
	f.reread()
	if len(f.data) == 0 && len(data) > 0 {
		time.Sleep(replacing)
		f.reread()
	}
	return !bytes.Equal(f.data, data) || fmt.Sprint(f.err) != fmt.Sprint(err)
}

// reread reads the file. It takes the state first, so that a later change shows.
func (f *Follower) reread() {
	seen := f.state()
	f.data, f.err = f.read()
	f.seen.Store(seen)
}

// A state is what shows that a file has changed, without reading it.
type state struct {
	info    os.FileInfo // nil when the file cannot be found
	failed  string      // why it cannot
	settled bool        // a later change will show
}

// state returns the state of the file now.
func (f *Follower) state() *state {
	info, err := f.stat()
	if err != nil {
		return &state{failed: err.Error(), settled: true}
	}
	age := time.Since(info.ModTime())
	return &state{info: info, settled: age > clockStep || age < -clockStep}
}

// same reports whether a file looks unchanged.
func (s *state) same(now *state) bool {
	if s.info == nil || now.info == nil {
		return s.info == nil && now.info == nil && s.failed == now.failed
	}
	return os.SameFile(s.info, now.info) && s.info.Size() == now.info.Size() && s.info.ModTime().Equal(now.info.ModTime())
}
