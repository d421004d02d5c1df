package config

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"issues-index/tools/guard"
)

// A Live is a configuration whose file is followed. Its methods may be called
// from several goroutines at once.
type Live struct {
	options LiveOptions
	current atomic.Pointer[Config]

	// What follows belongs to the goroutine that follows the file.
	loaded   map[string]Setting // what the layers said last, restarts included
	contents []byte
	unread   error // why the file could not be read, the last time

	end   chan struct{}
	ended sync.Once
	done  chan struct{}
}

// LiveOptions say how a file is followed.
type LiveOptions struct {
	Options
	Log *slog.Logger // nil discards
	// Changed, when set, is told of each configuration once it holds, the first
	// one included.
	Changed func(*Config)
	// Reread has the file read again, whether or not a change of it was seen.
	Reread <-chan os.Signal

	// For tests: of a system without watches, and without patience.
	watcher func() (*fsnotify.Watcher, error)
	poll    time.Duration
}

// How long the file is left alone after a change of it was seen: a writer is
// given the time to finish, and yet the change is to hold within 100 ms.
const (
	quiet    = 10 * time.Millisecond // without a further change
	patience = 40 * time.Millisecond // with further changes
	// A file that is empty or gone is likely to be between the two steps of
	// being replaced.
	replacing = 40 * time.Millisecond
)

// How often the file is looked at though nothing was said of it.
const (
	pollAlone   = time.Second      // when it cannot be watched
	pollBesides = 10 * time.Second // when it can, for what no watch reports
)

// Follow loads the configuration and follows its file. Its error is that of
// Load: a server is not started on a configuration that is refused.
func Follow(o LiveOptions) (*Live, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.watcher == nil {
		o.watcher, o.poll = fsnotify.NewWatcher, pollAlone
	}
	l := &Live{options: o, end: make(chan struct{}), done: make(chan struct{})}
	// The watch begins before the file is read, so that no change is missed.
	w := newWatch(o.file(), o.watcher)
	l.contents, l.unread = o.file().read()
	first, err := o.load(l.contents, l.unread)
	if err != nil {
		w.close()
		return nil, err
	}
	l.loaded = first.byKey()
	l.current.Store(first)
	l.tell(first)
	if w.err != nil {
		o.Log.Warn("configuration file cannot be watched and is looked at every second", "error", w.err)
	}
	go l.follow(w)
	return l, nil
}

// Config is the configuration of the moment.
func (l *Live) Config() *Config { return l.current.Load() }

// Settings are those of the response guard of the moment.
func (l *Live) Settings() *guard.Settings { return l.Config().Settings() }

// Close stops following. What holds goes on holding.
func (l *Live) Close() {
	l.ended.Do(func() { close(l.end) })
	<-l.done
}

func (l *Live) tell(c *Config) {
	if l.options.Changed != nil {
		l.options.Changed(c)
	}
}

// follow waits for changes until the end.
func (l *Live) follow(w *watch) {
	defer close(l.done)
	defer w.close()
	poll := time.NewTimer(l.pause(w))
	defer poll.Stop()
	for {
		select {
		case <-l.end:
			return
		case <-l.options.Reread:
			l.options.Log.Info("configuration is read again, as asked")
			w.renew()
			l.reread(true)
		case <-poll.C:
			w.renew()
			l.reread(false)
			poll.Reset(l.pause(w))
		case <-w.changed():
			if !l.settle(w) {
				return
			}
			w.renew()
			l.reread(false)
		}
	}
}

// pause is how long to wait until the file is looked at unasked.
func (l *Live) pause(w *watch) time.Duration {
	if w.err != nil {
		return l.options.poll
	}
	return pollBesides
}

// settle waits until the file is left alone; false at the end.
func (l *Live) settle(w *watch) bool {
	latest := time.NewTimer(patience)
	defer latest.Stop()
	still := time.NewTimer(quiet)
	defer still.Stop()
	for {
		select {
		case <-l.end:
			return false
		case <-latest.C:
			return true
		case <-still.C:
			return true
		case <-w.changed():
			still.Reset(quiet)
		}
	}
}

// reread reads the file, and takes what it says when that is another thing than
// before, or in any case.
func (l *Live) reread(anyway bool) {
	contents, err := l.options.file().read()
	if len(contents) == 0 && len(l.contents) > 0 {
		select {
		case <-l.end:
			return
		case <-time.After(replacing):
		}
		contents, err = l.options.file().read()
	}
	if !anyway && bytes.Equal(contents, l.contents) && fmt.Sprint(err) == fmt.Sprint(l.unread) {
		return
	}
	l.contents, l.unread = contents, err
	if err := l.change(l.options.layers(contents, err)); err != nil {
		l.refuse(err)
	}
}
