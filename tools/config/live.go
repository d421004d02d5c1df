package config

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"issues-index/store/follow"
	"issues-index/tools/answer"
)

// A Live is the configuration of a running server. Each method looks at the files first, the
// workspace's and the user's, so that a change holds for the next call. It is safe for concurrent use.
type Live struct {
	options LiveOptions
	file    *follow.Follower
	user    *follow.Follower // the user's own file
	current atomic.Pointer[Config]

	mu     sync.Mutex // held while the files are read
	loaded []Setting  // of the files as last read, including those that need a restart
}

// LiveOptions configure a [Live].
type LiveOptions struct {
	Options
	Log *slog.Logger // nil discards
	// Changed, if not nil, is called with each new configuration, including the first
	// one. It must not call methods of the Live.
	Changed func(*Config)
}

// Open loads a configuration that follows its files. It returns the error of Load for a
// configuration that is invalid.
func Open(o LiveOptions) (*Live, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Changed == nil {
		o.Changed = func(*Config) {}
	}
	file, user := o.file(), o.userFile()
	l := &Live{options: o, file: follow.New(file.stat, file.read), user: follow.New(user.stat, user.read)}
	first, err := l.layers().build(o.Draw, nil)
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
	if !l.file.Unchanged() || !l.user.Unchanged() {
		l.reread(false)
	}
	return l.current.Load()
}

// Settings returns the current settings of the response guard.
func (l *Live) Settings() *answer.Settings { return l.Config().Settings() }

// layers reads the layers, with what the followers last read of the files.
func (l *Live) layers() *layers {
	return l.options.layers(contentOf(l.user.Content()), contentOf(l.file.Content()))
}

// Reread reads the files even if they look unchanged.
func (l *Live) Reread() {
	l.options.Log.Info("configuration is read again, as asked")
	l.reread(true)
}

// reread reads the files, and applies them if their content is new or always is set.
func (l *Live) reread(always bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, user := l.file.Reread(), l.user.Reread()
	if !file && !user && !always {
		return
	}
	if err := l.apply(l.layers()); err != nil {
		l.logInvalid(err)
	}
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
		if !p.inFile() {
			source[0] = "from"
		} else if p.Line > 0 {
			source = append(source, "line", p.Line)
		}
		l.options.Log.Error(message, append(source, "reason", p.Message)...)
	}
}
