package config

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"issues-index/tools/answer"
)

// A Live is a configuration whose file is followed: whoever asks for it gets what the
// file says at that moment. Its methods may be called from several goroutines at once.
type Live struct {
	options LiveOptions
	file    file
	current atomic.Pointer[Config]
	seen    atomic.Pointer[look] // how the file looked when it was read the last time

	reading  sync.Mutex         // held by who reads the file, for what follows
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
	// one included. It does not ask for the configuration itself.
	Changed func(*Config)
	// Reread has the file read again, whether or not it looks changed.
	Reread <-chan os.Signal
	// Unasked is how often the file is read though nobody asks for the
	// configuration, so that a change is logged soon; 0 is 1 s.
	Unasked time.Duration
}

// Follow loads the configuration and follows its file. Its error is that of
// Load: a server is not started on a configuration that is refused.
func Follow(o LiveOptions) (*Live, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Unasked == 0 {
		o.Unasked = time.Second
	}
	l := &Live{options: o, file: o.file(), end: make(chan struct{}), done: make(chan struct{})}
	l.read()
	first, err := o.load(l.contents, l.unread)
	if err != nil {
		return nil, err
	}
	l.loaded = first.byKey()
	l.current.Store(first)
	l.tell(first)
	go l.follow()
	return l, nil
}

// Config is the configuration of the moment.
func (l *Live) Config() *Config {
	if seen := l.seen.Load(); !seen.settled || !seen.same(l.file.look()) {
		l.reread(false)
	}
	return l.current.Load()
}

// Settings are those of the response guard of the moment.
func (l *Live) Settings() *answer.Settings { return l.Config().Settings() }

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

// follow reads the file from time to time, and when it is asked to, until the end.
func (l *Live) follow() {
	defer close(l.done)
	unasked := time.NewTicker(l.options.Unasked)
	defer unasked.Stop()
	for {
		select {
		case <-l.end:
			return
		case <-l.options.Reread:
			l.options.Log.Info("configuration is read again, as asked")
			l.reread(true)
		case <-unasked.C:
			l.reread(false)
		}
	}
}

// reread reads the file, and takes what it says when that is another thing than
// before, or in any case.
func (l *Live) reread(anyway bool) {
	l.reading.Lock()
	defer l.reading.Unlock()
	before, failed := l.contents, l.unread
	l.file.awaitWriter()
	l.read()
	if len(l.contents) == 0 && len(before) > 0 {
		time.Sleep(replacing)
		l.read()
	}
	if !anyway && bytes.Equal(l.contents, before) && fmt.Sprint(l.unread) == fmt.Sprint(failed) {
		return
	}
	if err := l.change(l.options.layers(l.contents, l.unread)); err != nil {
		l.refuse(err)
	}
}

// read reads the file and remembers how it looked before.
func (l *Live) read() {
	seen := l.file.look()
	l.contents, l.unread = l.file.read()
	l.seen.Store(seen)
}
