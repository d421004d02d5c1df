package config

import (
	"os"
	"time"
)

// How long a reader waits for who may be writing the file.
const (
	quiet    = 10 * time.Millisecond // without a further change
	patience = 40 * time.Millisecond // with further changes
	// A file that is empty or gone is likely to be between the two steps of
	// being replaced.
	replacing = 40 * time.Millisecond
)

// clockStep is the coarsest step of a file system's clock, FAT's: two changes within it
// may leave a file that looks the same.
const clockStep = 2 * time.Second

// A look is what tells a file from what it was before, without reading it.
type look struct {
	info    os.FileInfo // nil when there is no file to be seen
	failed  string      // why
	settled bool        // the next change is sure to show
}

// look looks at the file that its path leads to now.
func (f file) look() *look {
	if f.path == "" {
		return &look{settled: true}
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return &look{failed: cause(err), settled: true}
	}
	age := time.Since(info.ModTime())
	return &look{info: info, settled: age > clockStep || age < -clockStep}
}

// same reports whether a file looks as it did.
func (l *look) same(now *look) bool {
	if l.info == nil || now.info == nil {
		return l.info == nil && now.info == nil && l.failed == now.failed
	}
	return os.SameFile(l.info, now.info) && l.info.Size() == now.info.Size() && l.info.ModTime().Equal(now.info.ModTime())
}

// awaitWriter waits until the file is left alone, for a moment at most.
func (f file) awaitWriter() {
	for began := time.Now(); time.Since(began) < patience; {
		now := f.look()
		if now.info == nil {
			return
		}
		age := time.Since(now.info.ModTime())
		if age < 0 || age >= quiet {
			return
		}
		time.Sleep(quiet - age)
	}
}
