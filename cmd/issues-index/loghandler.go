package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// notes writes what a package logs for a person who ran one command: a sentence
// of its own, without the time and the level that a server's log has.
type noteHandler struct {
	out   io.Writer
	level slog.Level
}

func (n noteHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= n.level }

func (n noteHandler) Handle(_ context.Context, r slog.Record) error {
	var details []string
	r.Attrs(func(a slog.Attr) bool {
		details = append(details, a.Key+" "+strings.ReplaceAll(a.Value.String(), "\n", "; "))
		return true
	})
	line := r.Message
	if len(details) > 0 {
		line += " (" + strings.Join(details, ", ") + ")"
	}
	_, err := fmt.Fprintf(n.out, "note: %s\n", oneLine(line))
	return err
}

// WithAttrs and WithGroup keep nothing: no package here gives a logger either.
func (n noteHandler) WithAttrs([]slog.Attr) slog.Handler { return n }
func (n noteHandler) WithGroup(string) slog.Handler      { return n }
