package config

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"issues-index/tools/answer"
)

// How long a reader waits for a program that may be writing the file.
const (
	quiet    = 10 * time.Millisecond // without a further change
	patience = 40 * time.Millisecond // with further changes
	// An empty or missing file is probably between the two steps of being replaced.
	replacing = 40 * time.Millisecond
)

// clockStep is the coarsest resolution of a file system's times, that of FAT: two
// changes within it may leave the same size and time.
const clockStep = 2 * time.Second

// A Live is the configuration of a running server. Each method looks at the file first,
// so that a change holds for the next call. It is safe for concurrent use.
type Live struct {
	options LiveOptions
	file    configFile
	current atomic.Pointer[Config]
	seen    atomic.Pointer[fileState] // when the file was last read

	mu      sync.Mutex // held while the file is read
	loaded  []Setting  // of the file as last read, including those that need a restart
	data    []byte
	readErr error
}

// LiveOptions configure a [Live].
type LiveOptions struct {
	Options
	Log *slog.Logger // nil discards
	// Changed, if not nil, is called with each new configuration, including the first
	// one. It must not call methods of the Live.
	Changed func(*Config)
}

// Open loads a configuration that follows its file. It returns the error of Load for a
// configuration that is invalid.
func Open(o LiveOptions) (*Live, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Changed == nil {
		o.Changed = func(*Config) {}
	}
	l := &Live{options: o, file: o.file()}
	l.read()
	first, err := o.layers(l.data, l.readErr).build(o.Draw, nil)
	if err != nil {
		return nil, err
	}
	l.loaded = first.settings
	l.current.Store(first)
	o.Changed(first)
	return l, nil
}

// Config returns the current configuration.
func (l *Live) Config() *Config {
	if seen := l.seen.Load(); !seen.settled || !seen.same(l.file.state()) {
		l.reread(false)
	}
	return l.current.Load()
}

// Settings returns the current settings of the response guard.
func (l *Live) Settings() *answer.Settings { return l.Config().Settings() }

// Reread reads the file even if it looks unchanged.
func (l *Live) Reread() {
	l.options.Log.Info("configuration is read again, as asked")
	l.reread(true)
}

// reread reads the file, and applies it if its content is new or always is set.
func (l *Live) reread(always bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	data, readErr := l.data, l.readErr
	l.file.awaitWriter()
	l.read()
	if len(l.data) == 0 && len(data) > 0 {
		time.Sleep(replacing)
		l.read()
	}
	if !always && bytes.Equal(l.data, data) && fmt.Sprint(l.readErr) == fmt.Sprint(readErr) {
		return
	}
	if err := l.apply(l.options.layers(l.data, l.readErr)); err != nil {
		l.logInvalid(err)
	}
}

// read reads the file. It takes the state first, so that a later change shows.
func (l *Live) read() {
	seen := l.file.state()
	l.data, l.readErr = l.file.read()
	l.seen.Store(seen)
}

// apply makes a configuration the current one, except for keys that need a restart, and
// logs what has changed.
func (l *Live) apply(layers *layers) error {
	wanted, err := layers.build(l.options.Draw, nil)
	if err != nil {
		return err
	}
	running := l.current.Load().settings
	next, err := layers.build(l.options.Draw, running)
	if err != nil {
		return err
	}
	before := l.loaded
	l.loaded = wanted.settings
	l.current.Store(next)
	// At the end, because it may change the level of the log.
	defer l.options.Changed(next)
	for i, s := range wanted.settings {
		old := running[i]
		switch {
		case s.value.exact == before[i].value.exact:
		case s.Key.Restart && s.value.exact == old.value.exact:
			l.options.Log.Info("configuration is again what the server was started with", "key", s.Key.Name, "value", s.Text())
		case s.Key.Restart:
			l.options.Log.Warn("configuration change needs a restart of the server", "key", s.Key.Name, "now", old.Text(), "then", s.Text(), "from", s.Source.String())
		default:
			l.options.Log.Info("configuration changed", "key", s.Key.Name, "old", old.Text(), "new", s.Text(), "from", s.Source.String())
		}
	}
	return nil
}

// logInvalid logs why a configuration is invalid.
func (l *Live) logInvalid(err error) {
	const message = "configuration is refused and the last good one stays"
	var problems Problems
	_ = errors.As(err, &problems) // build returns no other
	for _, p := range problems {
		source := []any{"file", p.Name}
		if p.Layer != LayerFile {
			source[0] = "from"
		} else if p.Line > 0 {
			source = append(source, "line", p.Line)
		}
		l.options.Log.Error(message, append(source, "reason", p.Message)...)
	}
}

// A fileState is what shows that a file has changed, without reading it.
type fileState struct {
	info    os.FileInfo // nil when the file cannot be found
	failed  string      // why it cannot
	settled bool        // a later change will show
}

// state returns the state of the file that the path leads to now.
func (f configFile) state() *fileState {
	if f.path == "" {
		return &fileState{settled: true}
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return &fileState{failed: cause(err), settled: true}
	}
	age := time.Since(info.ModTime())
	return &fileState{info: info, settled: age > clockStep || age < -clockStep}
}

// same reports whether a file looks unchanged.
func (s *fileState) same(now *fileState) bool {
	if s.info == nil || now.info == nil {
		return s.info == nil && now.info == nil && s.failed == now.failed
	}
	return os.SameFile(s.info, now.info) && s.info.Size() == now.info.Size() && s.info.ModTime().Equal(now.info.ModTime())
}

// awaitWriter waits until no program writes the file any more, for patience at most.
func (f configFile) awaitWriter() {
	for began := time.Now(); time.Since(began) < patience; {
		now := f.state()
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
