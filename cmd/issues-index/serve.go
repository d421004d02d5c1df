package main

import (
	"cmp"
	"context"
	"errors"
	"io"
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
	"issues-index/tools/auth"
	"issues-index/tools/config"
	"issues-index/tools/dashboard"
	"issues-index/tools/issues"
	"issues-index/tools/pdpp"
	"issues-index/tools/prompts"
	"issues-index/tools/resources"
	"issues-index/tools/session"
	"issues-index/tools/transport"
	"issues-index/tools/wagtail"
)

func newServeCommand(p *program) *cobra.Command {
	var noStdio bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the workspace to MCP clients over stdio or HTTP",
		Long: `Serve speaks MCP, one JSON-RPC message per line, on standard input and output, and logs
to standard error. At the end of its input, or at SIGTERM, it answers the requests that it
has read and exits. It waits only a few seconds for a client that does not read the
answers. A changed configuration file takes effect with the next call. SIGHUP makes serve
read the file again; see issues-index config.

One server serves all your projects and their git worktrees: each call finds its
workspace. With --workspace it serves one alone.

With --http it also serves MCP over HTTP at /mcp, the pages of issues-index web at /, and
/healthz and /metrics. Only this machine can reach them. With --http-edit the pages can change
documents. With --no-stdio, or where standard
input is closed or the null device, it serves over HTTP alone, until SIGTERM or Ctrl-C.

MCP clients start serve themselves. docs/clients.md shows how to configure each of them.`,
		Example: `  issues-index serve
  issues-index serve --workspace /path/to/your/repository
  issues-index serve --output text --toolsets issues
  issues-index serve --http :8080
  issues-index serve --http :8080 --no-stdio`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Reset(syscall.SIGPIPE) // a client that reads no more has gone
			return p.serve(cmd.Context(), serveOptions{noStdio: noStdio})
		},
	}
	p.settingFlags(cmd.Flags(), servedFlags...)
	cmd.Flags().StringVar(p.settings["httpAddr"], "http", "", "the same as --http-addr")
	cmd.Flags().BoolVar(&noStdio, "no-stdio", false, "serve over HTTP alone")
	return cmd
}

// serveOptions are how a server serves, beside the configuration.
type serveOptions struct {
	noStdio bool
	hub     *hubService // that keeps the documents; nil for those of a workspace
}

// serve answers at once. The index is opened in the background, and the first call that
// reads it waits for that.
func (p *program) serve(ctx context.Context, o serveOptions) error {
	return p.withWorkspace(func(ws *store.Workspace) (err error) {
		level := new(slog.LevelVar)
		log := p.logger(level)
		serving, stop := context.WithCancel(ctx)
		var background sync.WaitGroup
		defer background.Wait()
		defer stop()
		live, err := p.followConfig(serving, ws, log, level)
		if err != nil {
			return err
		}
		if c := live.Config(); c.HasToolset("wagtail") && !c.Wagtail.EnableStdio {
			return errNoStdio
		}
		overHTTP := live.Config().HTTPAddr != ""
		if o.noStdio && !overHTTP {
			return misused("--no-stdio leaves nothing to serve over", "give the address to serve at as well, as in --http :8080")
		}
		overStdio := !o.noStdio && !(overHTTP && hasNoInput(p.in))
		link := teamOf(live.Config(), log)
		defer func() { err = errors.Join(err, link.Close()) }()
		name := ""
		if !ws.Mirror() { // copies are shared by those who have the files
			name = sharedAs(live.Config(), ws.Root, true)
		}
		options := servedIndex(live.Config(), log)
		options.Team = link.teamOptions(name)
		current, err := index.Serve(ctx, ws, options)
		if err != nil {
			return err
		}
		defer closeIndex(current, log)
		pool := p.workspacePool(current, live, link, log)
		defer pool.Close()
		from, err := p.connect(live.Config(), current)
		if err != nil {
			return err
		}
		if o.hub != nil {
			from.pinned = false // its workspaces have names
			o.hub.keep(ctx, current)
			defer o.hub.stop()
		}
		if from.pdpp != nil && from.pdpp.Exposed() != "" {
			log.Warn(
				"other users of this machine may have the PDPP credential; chmod 600 keeps it yours", "file", from.pdpp.Exposed(),
			)
		}
		calls := recorder(live, current, log)
		defer calls.Close()
		records := []func(tools.Call){calls.Record}
		var service httpService
		if overHTTP {
			service.metrics = dashboard.NewMetrics()
			records = append(records, service.metrics.Record)
		}
		offered := offers(live, pool, from, log, records...)
		offered.Getenv = p.getenv
		if !p.isPinned() { // a server of one workspace has no use for open folders
			offered.RootsPatience = tools.RootsPatience
		}
		if o.hub != nil {
			o.hub.offer(&offered, current, live, pool)
		}
		server, err := tools.NewServer(offered)
		if err != nil {
			return err
		}
		if link != nil {
			link.calls.Store(&calledServer{server, offered.Workspaces})
		}
		if overHTTP {
			service.mcp, service.pool, service.link, service.hub = transport.NewEndpoint(
				server.Handle, server.ScopeOf, log,
			), pool, link, o.hub
			shut, failed := p.serveHTTP(ctx, live, current, service, overStdio, log)
			if failed != nil {
				return failed
			}
			defer func() { err = errors.Join(err, shut()) }()
		}
		begin := func(ctx context.Context) {
			openIndex(ctx, current, log)
			background.Go(func() { link.share(serving, current, name, log) })
		}
		first := begin
		if overHTTP { // where nobody may ever write to standard input
			background.Go(func() { begin(serving) })
			first = nil
		}
		if !overStdio {
			<-ctx.Done()
			return nil
		}
		if p.asks() {
			p.printBanner(ws, live.Config())
		}
		return p.serveStdio(ctx, server, first, log)
	})
}

// errNoStdio is the error of a site whose operator has switched off stdio.
var errNoStdio = failed(
	"serving over standard input and output is switched off by MCP_ENABLE_STDIO=false, but a Wagtail site can be "+
		"served in no other way",
	"set MCP_ENABLE_STDIO=true or leave it out, or serve without WAGTAIL_BASE_URL")

// servedIndex returns the options of the index of a server.
func servedIndex(c *config.Config, log *slog.Logger) index.Options {
	options := index.Options{Path: c.DB, CacheTTL: c.CacheTTL, Mode: index.ModeVerify, Log: log, Deferred: true}
	if c.Cache {
		options.Mode = index.ModeWatch
	}
	return options
}

// hasNoInput reports whether nobody can have written to a standard input: it is the null
// device, which also takes the place of one that was closed.
func hasNoInput(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	is, err := f.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	// On Windows every pipe passes for the same file as the null device.
	return err == nil && is.Mode().Type() == null.Mode().Type() && os.SameFile(is, null)
}

// offers returns what the MCP server offers. Each of records gets every call.
func offers(
	live *config.Live, pool *workspacePool, from connectors, log *slog.Logger, records ...func(tools.Call),
) tools.Config {
	c := live.Config()
	offered := tools.Config{
		Name:       cmp.Or(c.Name, "issues-index"),
		Version:    cmp.Or(c.Version, version),
		Output:     tools.Output(c.Output),
		Toolsets:   toolsets(from, c.HasToolset),
		Session:    c.Claims.Holder,
		Log:        log,
		Settings:   live.Settings,
		Workspaces: bind(pool), WorkspaceNames: func(ctx context.Context) []string {
			return pool.Names(auth.PrincipalOf(ctx).Only())
		},
		Record: func(call tools.Call) {
			for _, record := range records {
				record(call)
			}
		},
	}
	if c.HasToolset("resources") {
		offered.Resources = resources.Set(c.HasToolset("issues"))
	}
	if c.HasToolset("prompts") {
		offered.Prompts = prompts.All()
	}
	offered.Elicit = c.HasToolset("elicitation")
	return offered
}

// toolsets returns the wanted toolsets. Their definitions need no connectors.
func toolsets(from connectors, wanted func(name string) bool) []tools.Toolset {
	var list []tools.Toolset
	for _, set := range []tools.Toolset{
		tools.PerWorkspace(
			from.index, from.pinned, issues.Toolset,
		), tools.PerWorkspace(from.index, from.pinned, sessionTools),
		wagtail.Toolset(from.site), pdpp.Toolset(from.pdpp),
	} {
		if wanted(set.Name) {
			list = append(list, set)
		}
	}
	return list
}

// sessionTools returns the toolset over the sessions of a workspace.
func sessionTools(ix *index.Index) tools.Toolset {
	if ix == nil {
		return session.Toolset(nil)
	}
	return session.Toolset(ix.Workspace())
}

// serveStdio serves over standard input and output until the input ends. After the first message
// it begins what begin does, if that is not nil.
func (p *program) serveStdio(
	ctx context.Context, server *tools.Server, begin func(context.Context), log *slog.Logger,
) error {
	// A client that goes away closes our output. That must not kill the process: the
	// failed write ends the serving in order.
	signal.Ignore(syscall.SIGPIPE)
	life, end := context.WithCancel(ctx)
	defer end()
	var start sync.WaitGroup
	handle := transport.Handler(server.Handle)
	if begin != nil {
		handle = afterFirst(handle, func() { start.Go(func() { begin(life) }) })
	}
	err := transport.ServeStdio(ctx, p.in, p.out, transport.StdioOptions{Handler: handle, Log: log})
	defer time.AfterFunc(closeTimeout, end).Stop()
	start.Wait()
	if errors.Is(err, transport.ErrBlocked) {
		return failed(err.Error(), "a client has to read standard output until serve ends")
	}
	return err
}

// closeTimeout is how long background work may go on after the serving has ended.
const closeTimeout = 500 * time.Millisecond

// afterFirst calls start when the first message is answered. Earlier, it would slow down
// the answer to initialize, which the client waits for. Later, it would not use the time in
// which the client reads that answer.
func afterFirst(handle transport.Handler, start func()) transport.Handler {
	var once sync.Once
	return func(ctx context.Context, conn tools.Conn, m tools.Message) *tools.Response {
		defer once.Do(start)
		return handle(ctx, conn, m)
	}
}

// openIndex opens the index, and then removes temporary files of killed writers.
func openIndex(ctx context.Context, current *index.Current, log *slog.Logger) {
	ix, release, err := current.Acquire(ctx)
	if err != nil {
		return // each call gets the error
	}
	defer release()
	if err := ix.CatchUp(ctx); err != nil {
		return // the next call gets the error
	}
	removeStaleTempFiles(ctx, ix, log)
}

// removeStaleTempFiles removes temporary files of killed writers.
func removeStaleTempFiles(ctx context.Context, ix *index.Index, log *slog.Logger) {
	removed, err := ix.Sweep(ctx)
	if removed > 0 {
		log.Info("removed temporary files of writers that were killed", "files", removed)
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("look for temporary files of writers that were killed", "error", err)
	}
	// The memory of the comparison of all files goes back to the system, after the calls
	// that waited for it are answered.
	time.AfterFunc(answerTime, debug.FreeOSMemory)
}

// answerTime is enough to answer the calls that waited for the index.
const answerTime = 100 * time.Millisecond

// printBanner tells a person who starts the server by hand what it serves, and how to
// configure a client.
func (p *program) printBanner(ws *store.Workspace, c *config.Config) {
	program, err := os.Executable()
	if err != nil {
		program = "issues-index"
	}
	command, all := program+" serve", "That serves all your projects; with --workspace DIRECTORY it serves one alone."
	if p.isPinned() {
		command, all = command+" --workspace "+shellWord(ws.Root), "That serves this workspace alone."
	}
	p.tell("Serving over MCP on standard input and output:")
	if c.HasToolset("issues") || c.HasToolset("session") {
		p.tell("  the documents below %s", ws.Root)
	}
	if c.HasToolset("wagtail") {
		p.tell("  the Wagtail site %s", c.Wagtail.BaseURL)
	}
	if c.HasToolset("pdpp") {
		p.tell("  the PDPP resource server %s", c.PDPP.ProviderURL)
	}
	p.tell("MCP clients start this command themselves. issues-index init --client NAME configures one, for example by:")
	p.tell("  claude mcp add issues -- %s --output text", command)
	p.tell("%s Ctrl-D or Ctrl-C ends it.", all)
}
