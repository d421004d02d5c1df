package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/tools/auth"
	"issues-index/tools/config"
	"issues-index/tools/dashboard"
	"issues-index/tools/telemetry"
	"issues-index/tools/transport"
	"issues-index/tools/web"
)

// An httpService is what a server offers at its address. Its parts are made before it
// listens, because the MCP server records its calls in the metrics.
type httpService struct {
	metrics *dashboard.Metrics
	mcp     *transport.Endpoint
	pool    *workspacePool
	link    *teamLink   // nil for no team
	hub     *hubService // nil for no hub
}

// serveHTTP serves the pages, the figures and MCP at the configured address, until shut is
// called.
//
// If the address comes from the flag and is in use, the server does not start. An address
// in a file or in the environment may be shared by all servers of a workspace: the first
// server gets it, and the others run without one, if they have standard input.
func (p *program) serveHTTP(
	ctx context.Context, live *config.Live, current *index.Current, service httpService, stdio bool, log *slog.Logger,
) (shut func() error, err error) {
	mux := http.NewServeMux()
	mux.Handle("/mcp", service.mcp)
	pages, endPages := p.webPages(ctx, live, current, service, log)
	mux.Handle("/", forTheirs(service.pool, pages))
	gate, err := p.authorized(live.Config(), log, mux)
	if err != nil {
		return nil, err
	}
	options, err := listenOptions(live.Config(), gate, log)
	if err != nil {
		return nil, err
	}
	server, err := transport.Listen(ctx, options, gate, log)
	switch flag := p.settings["httpAddr"]; {
	case errors.Is(err, transport.ErrExposed):
		return nil, exposed(
			err,
			"make a token with issues-index token new NAME, so that each request needs one; or use an address of this "+
				"machine, such as :8080",
		)
	case err != nil && stdio && (flag == nil || *flag == ""):
		log.Error("nothing is served over HTTP", "error", err)
		return func() error { return nil }, nil
	case errors.Is(err, transport.ErrInUse):
		return nil, failed(err.Error(), "choose another --http; with port 0 the system chooses one and the log names it")
	case err != nil:
		return nil, failed(err.Error(), "--http must be an address of this machine")
	}
	server.OnClose(endPages)
	log.Info("serving pages", "url", server.URL())
	log.Info("serving MCP", "url", server.URL()+"mcp")
	return func() error {
		// The calls in progress are answered before the connections are closed.
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		service.mcp.Drain(ending)
		return server.Close()
	}, nil
}

// drainTimeout is how long calls over HTTP may take after the server was told to end: longer
// than any call does, so that each gets its answer. A second signal ends the program at once.
const drainTimeout = 55 * time.Second

// exposed is the error for an address that others could reach.
func exposed(err error, hint string) error {
	return failed(err.Error(), hint)
}

// person is who looks at the pages: whoever has signed in, else the user of this machine.
func (p *program) person(ctx context.Context) string {
	if s := auth.PrincipalOf(ctx); s != nil {
		return claims.HolderName(s.Name)
	}
	return p.holder()
}

// webPages are the pages of the workspace that is served, and the figures of its calls. end
// ends what they are told while they are open.
func (p *program) webPages(
	ctx context.Context, live *config.Live, current *index.Current, service httpService, log *slog.Logger,
) (pages http.Handler, end func()) {
	figures := func(ctx context.Context) (dashboard.Backend, func()) { // telemetry may be switched on and off, and moved
		ix, release, err := current.Acquire(ctx)
		if err != nil {
			missing := dashboard.Backend{Missing: err, Root: current.Root(), Hub: service.hub.health()}
			if live.Config().Telemetry.Enabled {
				missing.Calls = &telemetry.Log{}
			}
			return missing, func() {}
		}
		ws := ix.Workspace()
		return dashboard.Backend{
			Index: ix, Root: ws.Root, Calls: telemetryLog(live.Config(), ws),
			Team: service.link.status(ctx, current, ix), Hub: service.hub.health(),
		}, release
	}
	mux := http.NewServeMux()
	calls := dashboard.New(ctx, figures, service.metrics, version)
	calls.Register(mux)
	edit := live.Config().HTTPEdit && !current.Served().Workspace().Mirror()
	documents := web.New(web.Options{Acquire: current.Acquire, Me: p.person, Edit: edit, Figures: calls, Log: log})
	documents.Register(mux)
	return mux, documents.End
}
