package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/config"
	"issues-index/tools/issues"
	"issues-index/tools/pdpp"
	"issues-index/tools/session"
	"issues-index/tools/stdio"
	"issues-index/tools/wagtail"
)

func newServeCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the workspace to an MCP client over stdio",
		Long: `Serve speaks MCP, one JSON-RPC message per line, on standard input and output, and
logs to standard error. At the end of its input, or at SIGTERM, it answers every request
that it has read and exits; it waits only a few seconds for a client that reads no
answers. It follows its configuration file, and SIGHUP makes it read the file
again; see issues-index config.

MCP clients start it by themselves. The README shows how to configure each of them.`,
		Example: `  issues-index serve --workspace /path/to/your/repository
  issues-index serve --output text --toolsets issues
  issues-index serve --http-addr :8080`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Reset(syscall.SIGPIPE) // a client that reads no more is gone
			return p.serve(cmd.Context())
		},
	}
	p.settingFlags(cmd.Flags(), servedFlags...)
	return cmd
}

// serve answers at once: the index is opened in the background, and the first
// call that reads it waits for that.
func (p *program) serve(ctx context.Context) error {
	return p.withWorkspace(func(ws *store.Workspace) (err error) {
		level := new(slog.LevelVar)
		log := p.logger(level)
		serving, stop := context.WithCancel(ctx)
		defer stop()
		live, err := p.followConfig(serving, ws, log, level)
		if err != nil {
			return err
		}
		if c := live.Config(); c.HasToolset("wagtail") && !c.Wagtail.EnableStdio {
			return errNoStdio
		}
		current, err := index.Serve(ctx, ws, servedIndex(live.Config(), log))
		if err != nil {
			return err
		}
		defer closeIndex(current, log)
		from, err := p.connect(live.Config(), current)
		if err != nil {
			return err
		}
		if from.pdpp != nil && from.pdpp.Exposed() != "" {
			log.Warn("other users of this machine may have the PDPP credential; chmod 600 keeps it yours", "file", from.pdpp.Exposed())
		}
		counted, shut, err := p.serveDashboard(ctx, live, current, log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, shut()) }()
		calls := recorder(live, current, log)
		defer calls.Close()
		server, err := newServer(live, from, log, counted, calls.Record)
		if err != nil {
			return err
		}
		if isTerminal(os.Stdin) {
			p.printBanner(ws, live.Config())
		}
		return p.speak(ctx, server, current, log)
	})
}

// errNoStdio is for a site whose operator wants no server of this kind.
var errNoStdio = &commandError{exitFailed,
	"serving over standard input and output is switched off by MCP_ENABLE_STDIO=false, and there is no other way to serve a Wagtail site",
	"set MCP_ENABLE_STDIO=true or leave it out, or serve without WAGTAIL_BASE_URL"}

// servedIndex are the options of an index that many answers come from.
func servedIndex(c *config.Config, log *slog.Logger) index.Options {
	options := index.Options{Path: c.DB, CacheTTL: c.CacheTTL, Mode: index.ModeVerify, Log: log, Deferred: true}
	if c.Cache {
		options.Mode = index.ModeWatch
	}
	return options
}

// newServer assembles what is served. Each of records that is not nil is told of
// every call.
func newServer(live *config.Live, from connectors, log *slog.Logger, records ...func(tools.Call)) (*tools.Server, error) {
	c := live.Config()
	return tools.NewServer(tools.Config{
		Name:     cmp.Or(c.Name, "issues-index"),
		Version:  cmp.Or(c.Version, version),
		Output:   tools.Output(c.Output),
		Toolsets: toolsets(from, c.HasToolset),
		Log:      log,
		Settings: live.Settings,
		Record: func(call tools.Call) {
			for _, record := range records {
				if record != nil {
					record(call)
				}
			}
		},
	})
}

// toolsets returns those that are wanted. Their definitions need no sources.
func toolsets(from connectors, wanted func(name string) bool) []tools.Toolset {
	var list []tools.Toolset
	for _, set := range []tools.Toolset{
		tools.Current(from.index, issues.Toolset), tools.Current(from.index, sessionTools), wagtail.Toolset(from.site), pdpp.Toolset(from.pdpp),
	} {
		if wanted(set.Name) {
			list = append(list, set)
		}
	}
	return list
}

// sessionTools serves the sessions of an index's workspace.
func sessionTools(ix *index.Index) tools.Toolset {
	if ix == nil {
		return session.Toolset(nil)
	}
	return session.Toolset(ix.Workspace())
}

// speak serves over standard input and output until the input ends.
func (p *program) speak(ctx context.Context, server *tools.Server, current *index.Current, log *slog.Logger) error {
	// A client that goes away closes our output; that ends the serving in
	// an orderly way, and must not kill the process before.
	signal.Ignore(syscall.SIGPIPE)
	life, end := context.WithCancel(ctx)
	defer end()
	var start sync.WaitGroup
	err := stdio.Serve(ctx, os.Stdin, p.out, stdio.Options{
		Handler: afterFirst(answering(server), func() { start.Go(func() { open(life, current, log) }) }),
		Log:     log,
	})
	defer time.AfterFunc(tidyTime, end).Stop()
	start.Wait()
	if errors.Is(err, stdio.ErrBlocked) {
		return &commandError{exitFailed, err.Error(), "a client reads standard output until serve ends"}
	}
	return err
}

// answering hands messages to a server, which can tell their client how far it is.
func answering(server *tools.Server) stdio.Handler {
	return func(ctx context.Context, message json.RawMessage) any {
		return server.HandleMessage(tools.WithNotifier(ctx, stdio.Notifier(ctx)), message)
	}
}

// tidyTime is how long tidying up may go on when the serving has ended.
const tidyTime = 500 * time.Millisecond

// afterFirst has something started when the first message has its answer. Started
// earlier, it would compete with the answer to initialize for the processor, and
// that is what a client waits for; started later, it would not use the time in
// which the client reads that.
func afterFirst(handle stdio.Handler, start func()) stdio.Handler {
	var once sync.Once
	return func(ctx context.Context, message json.RawMessage) any {
		defer once.Do(start)
		return handle(ctx, message)
	}
}

// open opens the index, and then removes what writers who were killed have left
// of their temporary files.
func open(ctx context.Context, current *index.Current, log *slog.Logger) {
	ix, release, err := current.Acquire(ctx)
	if err != nil {
		return // each call gets the error
	}
	defer release()
	if _, err := ix.Health(ctx); err != nil {
		return // whoever reads the index next gets the error
	}
	removeStaleTempFiles(ctx, ix, log)
}

// sweep removes what writers who were killed have left of their temporary files.
func removeStaleTempFiles(ctx context.Context, ix *index.Index, log *slog.Logger) {
	removed, err := ix.Sweep(ctx)
	if removed > 0 {
		log.Info("removed temporary files of writers that were killed", "files", removed)
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("look for temporary files of writers that were killed", "error", err)
	}
	// What the comparison of all files took goes back to the system, when those who
	// waited for it have their answers.
	time.AfterFunc(answerTime, debug.FreeOSMemory)
}

// answerTime is in which the calls that waited for the index are surely answered.
const answerTime = 100 * time.Millisecond
