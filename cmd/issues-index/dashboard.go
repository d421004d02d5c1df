package main

import (
	"context"
	"errors"
	"log/slog"

	"issues-index/index"
	"issues-index/tools"
	"issues-index/tools/config"
	"issues-index/tools/dashboard"
	"issues-index/tools/telemetry"
)

// serveDashboard serves the dashboard at the configured address, until shut is called.
// record counts calls for its metrics; it is nil when there is no address.
//
// If the address comes from the flag and is in use, the server does not start. An address
// in a file or in the environment may be shared by all servers of a workspace: the first
// server gets it, and the others run without a dashboard.
func (p *program) serveDashboard(ctx context.Context, live *config.Live, current *index.Current, log *slog.Logger) (record func(tools.Call), shut func() error, err error) {
	shut = func() error { return nil }
	c := live.Config()
	if c.HTTPAddr == "" {
		return nil, shut, nil
	}
	metrics := dashboard.NewMetrics()
	backend := func(ctx context.Context) (dashboard.Backend, func()) { // telemetry may be switched on and off, and moved
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
	server, err := dashboard.Listen(ctx, c.HTTPAddr, dashboard.New(ctx, backend, metrics, version), log)
	switch flag := p.settings["httpAddr"]; {
	case err != nil && (flag == nil || *flag == ""):
		log.Error("there is no dashboard", "error", err)
		return nil, shut, nil
	case errors.Is(err, dashboard.ErrInUse):
		return nil, shut, &commandError{code: exitFailed, message: err.Error(), hint: "choose another --http-addr; with port 0 the system chooses one and the log names it"}
	case err != nil:
		return nil, shut, &commandError{code: exitFailed, message: err.Error(), hint: "--http-addr must be an address of this machine"}
	}
	log.Info("serving the dashboard", "url", server.URL())
	return metrics.Record, server.Close, nil
}
