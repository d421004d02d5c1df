package config

import (
	"errors"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"

	"issues-index/store/follow"
	"issues-index/tools/answer"
)

// A Live is the configuration of a running server. Each method but Last looks at the files first, the
// workspace's and the user's, so that a change holds for the next call. It is safe for concurrent use.
type Live struct {
	options LiveOptions
	file    *follow.Follower
	user    *follow.Follower // the user's own file
	current atomic.Pointer[Config]

	mu     sync.Mutex // held while the files are read
	loaded []any      // the values of the keys as last read, including those that need a restart
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
	first, err := l.load()
	if err != nil {
		return nil, err
	}
	l.loaded = first.values()
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

// Last returns the configuration as last looked at: what comes at the end of a call goes by what its
// beginning has seen.
func (l *Live) Last() *Config { return l.current.Load() }

// Settings returns the current settings of the response guard.
func (l *Live) Settings() *answer.Settings { return l.Config().Settings() }

// load reads the layers, with what the followers last read of the files.
func (l *Live) load() (*Config, error) {
	return l.options.load(contentOf(l.user.Content()), contentOf(l.file.Content()))
}

// values are the values of all keys.
func (c *Config) values() (list []any) {
	for _, k := range c.keys {
		list = append(list, k.get())
	}
	return list
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
	if next, err := l.load(); err != nil {
		l.logInvalid(err)
	} else {
		l.apply(next)
	}
}

// apply makes a configuration the current one, except for keys that need a restart, and
// logs what has changed.
func (l *Live) apply(next *Config) {
	running, before := l.current.Load(), l.loaded
	l.loaded = next.values()
	for i, k := range next.keys {
		old, now := running.keys[i], k.Text()
		switch log := l.options.Log; {
		case reflect.DeepEqual(l.loaded[i], before[i]):
		case !k.Restart:
			log.Info("configuration changed", "key", k.Name, "old", old.Text(), "new", now, "from", k.Source.String())
		case reflect.DeepEqual(l.loaded[i], old.get()):
			log.Info("configuration is again what the server was started with", "key", k.Name, "value", now)
		default:
			log.Warn("configuration change needs a restart of the server", "key", k.Name,
				"now", old.Text(), "then", now, "from", k.Source.String())
		}
		if k.Restart {
			k.set(old.get())
			k.Source = old.Source
		}
	}
	l.current.Store(next)
	l.options.Changed(next) // at the end, because it may change the level of the log
}

// logInvalid logs why a configuration is invalid.
func (l *Live) logInvalid(err error) {
	const message = "configuration is refused and the last good one stays"
	var problems Problems
	_ = errors.As(err, &problems) // load returns no other
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
