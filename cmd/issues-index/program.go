package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
)

// A program is what the commands share: the global flags, where they write,
// and the environment.
type program struct {
	workspace string
	config    string
	envFile   string
	json      bool
	settings  map[string]*string // of flags that set a key, by its name
	answered  bool               // JSON was printed
	root      string             // of the workspace that is open

	out    io.Writer
	errOut io.Writer
	getenv func(string) string
}

// run carries out a command and returns the exit code. With --json a failure is an
// answer, too, but of serve, whose standard output is its client's.
func (p *program) run(ctx context.Context, args []string) int {
	root := newRootCommand(p)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	code := report(p.errOut, err)
	// A wrong flag ends their reading, perhaps before --json.
	asked := p.json || code == exitUsage && slices.Contains(args, "--json")
	if code == 0 || !asked || p.answered || cmd.Name() == "serve" || strings.HasPrefix(cmd.Name(), cobra.ShellCompRequestCmd) {
		return code
	}
	f := explain(err)
	if err := p.printJSON(failureJSON{Error: errorJSON{f.message, f.hint, code}}); err != nil {
		return report(p.errOut, err)
	}
	return code
}

// A failureJSON is why a command has no answer, for scripts.
type failureJSON struct {
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	ExitCode int    `json:"exitCode"`
}

// openWorkspace finds the workspace by the flag, the environment or the
// working directory.
func (p *program) openWorkspace() (*store.Workspace, error) {
	return store.Open(store.Options{Root: p.workspace, Getenv: p.getenv, Getwd: os.Getwd})
}

// withWorkspace runs use on the workspace without its index.
func (p *program) withWorkspace(use func(*store.Workspace) error) (err error) {
	ws, err := p.openWorkspace()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	p.root = ws.Root
	return use(ws)
}

// indexOptions are those of a command that reads once and ends: it compares
// the files with the index and needs no watcher. Where that takes long, it says so.
func (p *program) indexOptions() index.Options {
	return index.Options{Mode: index.ModeVerify, Log: p.notes(slog.LevelWarn), Progress: p.progress(unexplained)}
}

// withIndex runs use on the workspace's index, which lies where the
// configuration says, and closes both again. An index that cannot be closed
// properly is no failure of what was done: the next start repairs it.
func (p *program) withIndex(ctx context.Context, options index.Options, use func(*index.Index) error) error {
	return p.withWorkspace(func(ws *store.Workspace) (err error) {
		c, err := p.readConfig(ws.Root, options.Log)
		if err != nil {
			return err
		}
		options.Path, options.CacheTTL = c.DB, c.CacheTTL
		ix, err := index.Open(ctx, ws, options)
		if err != nil {
			return err
		}
		defer closeIndex(ix, options.Log)
		return use(ix)
	})
}

// closeIndex closes an index. What goes wrong with it is told and no more.
func closeIndex(ix io.Closer, log *slog.Logger) {
	if err := ix.Close(); err != nil {
		log.Warn("the index could not be closed properly; the next start repairs it", "reason", err)
	}
}

// notes logs to standard error what a person who ran a command has to know.
func (p *program) notes(level slog.Level) *slog.Logger {
	return slog.New(noteHandler{p.errOut, level})
}

// logger is a server's: a line with time and level to standard error, for standard
// output belongs to answers.
func (p *program) logger(level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if p.json {
		return slog.New(slog.NewJSONHandler(p.errOut, options))
	}
	return slog.New(slog.NewTextHandler(p.errOut, options))
}

// printJSON writes v for scripts: indented, and with < > & as they are.
func (p *program) printJSON(v any) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	p.answered = true
	_, err := io.WriteString(p.out, escaped(text.String()))
	return err
}

// escaped writes the characters that could drive a terminal, and that JSON allows
// as they are, as it writes the others: they stand in strings alone.
func escaped(json string) string {
	control := func(r rune) bool { return r >= 0x7f && unprintable(r) }
	if strings.IndexFunc(json, control) < 0 {
		return json
	}
	var out strings.Builder
	for _, r := range json {
		if control(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
