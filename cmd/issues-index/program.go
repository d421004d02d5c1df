package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"

	"issues-index/index"
	"issues-index/store"
)

// A program is what the commands share: the global flags, where they write,
// and the environment.
type program struct {
	workspace string
	db        string
	json      bool

	out    io.Writer
	errOut io.Writer
	getenv func(string) string
}

// openWorkspace finds the workspace by the flag, the environment or the
// working directory.
func (p *program) openWorkspace() (*store.Workspace, error) {
	return store.Open(store.Options{Root: p.workspace, Getenv: p.getenv, Getwd: os.Getwd})
}

// indexOptions are those of a command that reads once and ends: it compares
// the files with the index and needs no watcher.
func (p *program) indexOptions() index.Options {
	return index.Options{
		Path: cmp.Or(p.db, p.getenv("ISSUES_INDEX_DB")),
		Mode: index.ModeVerify,
		Log:  p.logger(slog.LevelWarn),
	}
}

// withIndex runs use on the workspace's index and closes both again.
func (p *program) withIndex(ctx context.Context, options index.Options, use func(*index.Index) error) (err error) {
	ws, err := p.openWorkspace()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	ix, err := index.Open(ctx, ws, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	return use(ix)
}

// logger writes to standard error: standard output belongs to answers.
func (p *program) logger(level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if p.json {
		return slog.New(slog.NewJSONHandler(p.errOut, options))
	}
	return slog.New(slog.NewTextHandler(p.errOut, options))
}

// printJSON writes v for scripts: indented, and with < > & as they are.
func (p *program) printJSON(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
