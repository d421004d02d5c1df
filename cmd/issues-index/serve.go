package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/tools"
	"issues-index/tools/issues"
	"issues-index/tools/session"
	"issues-index/tools/stdio"
)

func newServeCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve the workspace to an MCP client over stdio",
		Long: `Serve speaks MCP, one JSON-RPC message a line, on standard input and output, and
logs to standard error. It ends at the end of its input, or at SIGTERM, once every
request that it has read is answered.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.serve(cmd.Context())
		},
	}
}

// serve answers at once: the index is opened in the background, and the first
// call that reads it waits for that.
func (p *program) serve(ctx context.Context) error {
	output, err := p.output()
	if err != nil {
		return err
	}
	options := p.indexOptions()
	if !strings.EqualFold(p.getenv("WRANGLER_MCP_CACHE"), "false") {
		options.Mode = index.ModeWatch
	}
	options.Log = p.logger(slog.LevelInfo)
	options.Deferred = true
	return p.withIndex(ctx, options, func(ix *index.Index) error {
		toolsets := []tools.Toolset{issues.Toolset(ix), session.Toolset(ix.Workspace())}
		server, err := tools.NewServer(tools.Config{
			Name:     cmp.Or(p.getenv("WRANGLER_MCP_NAME"), "issues-index"),
			Version:  cmp.Or(p.getenv("WRANGLER_MCP_VERSION"), version),
			Output:   output,
			Toolsets: toolsets,
			Log:      options.Log,
		})
		if err != nil {
			return err
		}
		// A client that goes away closes our output; that ends the serving in
		// an orderly way, and must not kill the process before.
		signal.Ignore(syscall.SIGPIPE)
		if isTerminal(os.Stdin) {
			p.greet(ix.Workspace().Root)
		}
		life, end := context.WithCancel(ctx)
		defer end()
		var start sync.WaitGroup
		err = stdio.Serve(ctx, os.Stdin, p.out, stdio.Options{
			Handler: onSecond(func() { start.Go(func() { open(life, ix, options.Log) }) }, server.HandleMessage),
			Log:     options.Log,
		})
		defer time.AfterFunc(tidyTime, end).Stop()
		start.Wait()
		return err
	})
}

// tidyTime is how long tidying up may go on when the serving has ended.
const tidyTime = 500 * time.Millisecond

// onSecond has something started when the second message comes in. Started
// earlier, it would compete with the answer to initialize for the processor,
// and that is what a client waits for before it says anything more.
func onSecond(start func(), handle stdio.Handler) stdio.Handler {
	var messages atomic.Int64
	return func(ctx context.Context, message json.RawMessage) any {
		if messages.Add(1) == 2 {
			start()
		}
		return handle(ctx, message)
	}
}

// open opens the index, and then removes what writers who were killed have left
// of their temporary files.
func open(ctx context.Context, ix *index.Index, log *slog.Logger) {
	if _, err := ix.Health(ctx); err != nil {
		return // whoever reads the index next gets the error
	}
	listing, err := ix.Workspace().List(ctx)
	if err == nil {
		var removed int
		removed, err = ix.Workspace().Sweep(ctx, listing)
		if removed > 0 {
			log.Info("removed temporary files of writers that were killed", "files", removed)
		}
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("look for temporary files of writers that were killed", "error", err)
	}
}

// greet tells a person who started the server by hand what is happening.
func (p *program) greet(root string) {
	program, err := os.Executable()
	if err != nil {
		program = "issues-index"
	}
	fmt.Fprintf(p.errOut, `Serving %s over MCP on standard input and output.
A client starts this by itself; tell it so, for example:
  claude mcp add issues-index -- %s serve --workspace %s
or in its configuration: {"command": %q, "args": ["serve", "--workspace", %q]}
Ctrl-D or Ctrl-C ends it.
`, root, program, root, program, root)
}

// output reads the channels to answer in.
func (p *program) output() (tools.Output, error) {
	modes := tools.Outputs()
	output := tools.Output(cmp.Or(p.getenv("ISSUES_INDEX_OUTPUT"), string(modes[0])))
	if !slices.Contains(modes, output) {
		return "", &failure{code: exitUsage, message: fmt.Sprintf("invalid ISSUES_INDEX_OUTPUT %q", output), hint: fmt.Sprintf("valid values: %v", modes)}
	}
	return output, nil
}
