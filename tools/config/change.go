package config

import (
	"errors"
	"log/slog"
)

// change takes what the layers say now, but for what needs a restart, and logs
// what is another thing than before.
func (l *Live) change(said *layers) error {
	wanted, err := said.build(l.options.Draw, nil)
	if err != nil {
		return err
	}
	running := l.current.Load().byKey()
	keep := map[string]Setting{}
	for name, s := range running {
		if s.Key.Restart {
			keep[name] = s
		}
	}
	next, err := said.build(l.options.Draw, keep)
	if err != nil {
		return err
	}
	before := l.loaded
	l.loaded = wanted.byKey()
	l.current.Store(next)
	// Told last: it may be the level of the log that changes.
	defer l.tell(next)
	for _, s := range wanted.values {
		old := running[s.Key.Name]
		switch {
		case s.value.same(before[s.Key.Name].value):
		case s.Key.Restart && s.value.same(old.value):
			l.options.Log.Info("configuration is again what the server was started with", "key", s.Key.Name, "value", s.Text())
		case s.Key.Restart:
			l.options.Log.Warn("configuration change needs a restart of the server", "key", s.Key.Name, "now", old.Text(), "then", s.Text(), "from", s.Source.String())
		default:
			l.options.Log.Info("configuration changed", "key", s.Key.Name, "old", old.Text(), "new", s.Text(), "from", s.Source.String())
		}
	}
	return nil
}

// refuse logs what is wrong. What held goes on holding.
func (l *Live) refuse(err error) {
	const message = "configuration is refused and the last good one stays"
	var problems Problems
	if !errors.As(err, &problems) {
		l.options.Log.Error(message, "reason", err)
		return
	}
	for _, p := range problems {
		place := []any{slog.String("file", p.Source.Name)}
		if p.Source.Layer != LayerFile {
			place[0] = slog.String("from", p.Source.Name)
		} else if p.Source.Line > 0 {
			place = append(place, slog.Int("line", p.Source.Line))
		}
		l.options.Log.Error(message, append(place, slog.String("reason", p.Message))...)
	}
}

func (c *Config) byKey() map[string]Setting {
	all := make(map[string]Setting, len(c.values))
	for _, s := range c.values {
		all[s.Key.Name] = s
	}
	return all
}
