package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"issues-index/index"
	"issues-index/tools"
	"issues-index/tools/config"
	"issues-index/tools/dashboard"
	"issues-index/tools/httpserver"
	"issues-index/tools/telemetry"
	"issues-index/tools/web"
)

// serveWeb serves the pages and the figures at the configured address, until shut is called.
// record counts calls for the metrics; it is nil when there is no address.
//
// If the address comes from the flag and is in use, the server does not start. An address
// in a file or in the environment may be shared by all servers of a workspace: the first
// server gets it, and the others run without pages.
func (p *program) serveWeb(ctx context.Context, live *config.Live, current *index.Current, log *slog.Logger) (record func(tools.Call), shut func() error, err error) {
	shut = func() error { return nil }
	c := live.Config()
	if c.HTTPAddr == "" {
		return nil, shut, nil
	}
	metrics := dashboard.NewMetrics()
	server, err := httpserver.Listen(ctx, c.HTTPAddr, p.webPages(ctx, live, current, metrics, log), log)
	switch flag := p.settings["httpAddr"]; {
	case err != nil && (flag == nil || *flag == ""):
		log.Error("no pages are served", "error", err)
		return nil, shut, nil
	case errors.Is(err, httpserver.ErrInUse):
		return nil, shut, &commandError{code: exitFailed, message: err.Error(), hint: "choose another --http-addr; with port 0 the system chooses one and the log names it"}
	case err != nil:
		return nil, shut, &commandError{code: exitFailed, message: err.Error(), hint: "--http-addr must be an address of this machine"}
	}
	log.Info("serving pages", "url", server.URL())
	return metrics.Record, server.Close, nil
}

// webPages are the pages of the workspace that is served, and the figures of its calls.
func (p *program) webPages(ctx context.Context, live *config.Live, current *index.Current, metrics *dashboard.Metrics, log *slog.Logger) http.Handler {
	figures := func(ctx context.Context) (dashboard.Backend, func()) { // telemetry may be switched on and off, and moved
		ix, release, err := current.Acquire(ctx)
		if err != nil {
			missing := dashboard.Backend{Missing: err, Root: current.Root()}
			if live.Config().Telemetry.Enabled {
				missing.Calls = &telemetry.Log{}
			}
			return missing, func() {}
		}
		ws := ix.Workspace()
		return dashboard.Backend{Index: ix, Root: ws.Root, Calls: telemetryLog(live.Config(), ws)}, release
	}
	mux := http.NewServeMux()
	dashboard.New(ctx, figures, metrics, version).Register(mux)
	web.New(web.Options{Acquire: current.Acquire, Me: p.holder, Log: log}).Register(mux)
	return mux
}
