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

// serveDashboard listens where the configuration says, until it is closed.
// record counts the calls for its metrics. Without an address nothing listens,
// and record is nil.
//
// An address that is taken ends the start for who asked for it with the flag. In
// the file or the environment it may well be that of all servers of a workspace:
// there the first one has it, and the others serve their clients all the same.
func (p *program) serveDashboard(ctx context.Context, live *config.Live, current *index.Current, log *slog.Logger) (record func(tools.Call), shut func() error, err error) {
	shut = func() error { return nil }
	c := live.Config()
	if c.HTTPAddr == "" {
		return nil, shut, nil
	}
	metrics := dashboard.NewMetrics()
	source := func(ctx context.Context) (dashboard.Backend, func()) { // telemetry may be switched on and off, and moved
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
	server, err := dashboard.Listen(ctx, c.HTTPAddr, dashboard.New(ctx, source, metrics, version), log)
	var wrong *dashboard.AddressError
	switch asked := p.settings["httpAddr"]; {
	case err != nil && (asked == nil || *asked == ""):
		log.Error("there is no dashboard", "error", err)
		return nil, shut, nil
	case errors.As(err, &wrong):
		return nil, shut, &commandError{code: exitFailed, message: wrong.Error(), hint: "choose another --http-addr; with port 0 the system chooses one and the log names it"}
	case err != nil:
		return nil, shut, &commandError{code: exitFailed, message: err.Error(), hint: "--http-addr is where others reach this machine, or a port of this machine alone"}
	}
	log.Info("serving the dashboard", "url", server.URL())
	return metrics.Record, server.Close, nil
}
