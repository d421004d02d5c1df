package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/tools/config"
)

// A program holds what the commands share: the global flags, the streams and the
// environment.
type program struct {
	workspace string
	config    string
	envFile   string
	json      bool
	jq        string             // filters the JSON; "" for all of it
	filter    *gojq.Code         // of jq
	kind      string             // of the JSON: the command that is run
	forPerson bool               // it prints on a terminal, and in no form for programs
	settings  map[string]*string // by the key that the flag sets
	answered  bool               // JSON has been printed
	root      string             // of the open workspace
	layout    *layout.Layout     // of the workspace, nil until workspaceLayout reads it
	claims    config.Claims      // once the configuration was read
	published string             // by which name the team gets the workspace's documents, "" for not at all; likewise

	in      io.Reader // an *os.File where a terminal may ask, or a server listens
	out     io.Writer
	errOut  io.Writer
	getenv  func(string) string
	environ []string               // all of it; nil where no command lists it
	getwd   func() (string, error) // the working directory
}

// run runs a command and returns the exit code. With --json an error is printed as JSON,
// too, except by serve, whose standard output belongs to its client.
func (p *program) run(ctx context.Context, args []string) int {
	root := newRootCommand(p)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		p.completeFlags(root) // half of the tree's cost, so only where a shell asks
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	err = singleDash(cmd, args, err)
	code := printError(p.errOut, err)
	// An unknown flag ends the parsing, perhaps before --json.
	asked := p.json || code == exitUsage && slices.Contains(args, "--json")
	if code == 0 || !asked || p.answered || p.jq != "" || cmd.Name() == "serve" || strings.HasPrefix(
		cmd.Name(), cobra.ShellCompRequestCmd,
	) {
		return code
	}
	f := asCommandError(err)
	p.kind = "error"
	if err := p.printJSON(failureJSON{Error: errorJSON{f.message, f.hint, code}}); err != nil {
		return printError(p.errOut, err)
	}
	return code
}

// A failureJSON says for scripts why a command failed.
type failureJSON struct {
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	ExitCode int    `json:"exitCode"`
}

// openWorkspace opens the workspace of the flag, the environment or the working directory.
func (p *program) openWorkspace() (*store.Workspace, error) {
	options, err := p.workspaceOptions()
	if err != nil {
		return nil, err
	}
	return store.Open(options)
}

// findWorkspace returns the root of that workspace, without opening it.
func (p *program) findWorkspace() (string, error) {
	options, err := p.workspaceOptions()
	if err != nil {
		return "", err
	}
	return store.Find(options)
}

func (p *program) workspaceOptions() (store.Options, error) {
	root, err := p.namedWorkspace()
	if err != nil {
		return store.Options{}, err
	}
	return store.Options{
		Root: root, Getenv: p.getenv, Getwd: p.getwd,
		Waiting: func() func() { return p.whileWaiting("Waiting for another program that writes…") },
	}, nil
}

// workspaceLayout returns the layout of the workspace. While none can be opened it is the
// default one: whoever needs the workspace says why.
func (p *program) workspaceLayout() *layout.Layout {
	if p.layout == nil {
		if err := p.withWorkspace(func(*store.Workspace) error { return nil }); err != nil {
			return layout.Default()
		}
	}
	return p.layout
}

// withWorkspace calls use with the workspace, without opening its index.
func (p *program) withWorkspace(use func(*store.Workspace) error) (err error) {
	ws, err := p.openWorkspace()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	p.root, p.layout = ws.Root, ws.Layout
	return use(ws)
}

// indexing is what a progress bar calls the work of an index.
const indexing = "Indexing documents"

// indexOptions returns the options of a command that reads once and ends. It compares the
// files with the index, shows progress when that takes long, and needs no watcher.
func (p *program) indexOptions() index.Options {
	return index.Options{
		Mode: index.ModeVerify, Log: p.notes(slog.LevelWarn), Progress: p.progress(indexing, progressDelay),
	}
}

// withIndex calls use with the index of the workspace as it is now, and closes both.
func (p *program) withIndex(ctx context.Context, use func(*index.Index) error) error {
	return p.withIndexAs(ctx, p.indexOptions(), use)
}

// withIndexAs is withIndex with other options. The configuration says where the index is.
func (p *program) withIndexAs(ctx context.Context, options index.Options, use func(*index.Index) error) error {
	return p.withWorkspace(func(ws *store.Workspace) (err error) {
		c, err := p.readConfig(ws.Root, options.Log)
		if err != nil {
			return err
		}
		options.Path, options.CacheTTL, p.claims = c.DB, c.CacheTTL, c.Claims
		link := teamOf(c, options.Log)
		defer func() { err = errors.Join(err, link.Close()) }()
		name := sharedAs(c, ws.Root, true)
		options.Team, p.published = link.teamOptions(name), publishedAs(c, ws, name)
		waited := p.whileWaiting("Opening the index…")
		if tell := options.Progress; tell != nil {
			options.Progress = func(done, total int) {
				waited()
				tell(done, total)
			}
		}
		ix, err := index.Open(ctx, ws, options)
		waited()
		if err != nil {
			return err
		}
		defer closeIndex(ix, options.Log)
		return use(ix)
	})
}

// closeIndex closes an index. An error is only logged, since the next start repairs it.
func closeIndex(ix io.Closer, log *slog.Logger) {
	if err := ix.Close(); err != nil {
		log.Warn("the index could not be closed properly; the next start repairs it", "reason", err)
	}
}

// notes returns a logger for a person who runs a command.
func (p *program) notes(level slog.Level) *slog.Logger {
	return terminal.Notes(p.errOut, level)
}

// logger returns the logger of a server, which writes time and level.
func (p *program) logger(level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if p.json {
		return slog.New(slog.NewJSONHandler(p.errOut, options))
	}
	return slog.New(slog.NewTextHandler(p.errOut, options))
}

// progressDelay is how long a command that has to index first may be silent. The first one
// in a large workspace takes some seconds.
const progressDelay = 500 * time.Millisecond

// whileWaiting says on a terminal what takes longer than progressDelay, until end.
func (p *program) whileWaiting(what string) (end func()) {
	return terminal.Waiting(p.errOut, what, progressDelay)
}

// progress returns what draws a bar of some work on a terminal; nil elsewhere.
func (p *program) progress(work string, after time.Duration) func(done, total int) {
	return terminal.Progress(p.errOut, work, after)
}

// screen describes standard output.
func (p *program) screen() terminal.Screen { return terminal.ScreenOf(p.out, p.getenv) }

// timeText is a time for people.
func (p *program) timeText(t time.Time) string { return p.screen().Time(t) }

// tell prints a line beside the answer, without what would control the terminal.
func (p *program) tell(format string, args ...any) {
	fmt.Fprintf(p.errOut, format+"\n", terminal.Harmlessly(args)...)
}

// note prints a note beside the answer.
func (p *program) note(format string, args ...any) { p.tell("note: "+format, args...) }

// asks reports whether there is a terminal to ask a person on.
func (p *program) asks() bool { return terminal.Is(p.in) }

// printLong prints a text, by the pager where it may and the text is longer than the window.
func (p *program) printLong(ctx context.Context, text string, paged bool) error {
	if s := p.screen(); paged && s.Person && strings.Count(text, "\n") > s.Height {
		return terminal.PrintPaged(ctx, text, p.out, p.errOut, p.getenv)
	}
	_, err := io.WriteString(p.out, text)
	return err
}

// print prints an answer: a value as JSON, or a page.
func (p *program) print(v any, lay func(*terminal.Page)) error {
	if p.json {
		return p.printJSON(v)
	}
	page := &terminal.Page{Screen: p.screen()}
	lay(page)
	_, err := io.WriteString(p.out, page.String())
	return err
}
