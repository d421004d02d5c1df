// Package dashboard serves the health of the server over HTTP: figures as JSON, Prometheus
// metrics and a health check. Package web shows the figures as a page.
//
// It knows nothing about single tools, about SQL or about how calls are recorded: it
// asks package telemetry for figures and the index for its health. Its invariants:
//
//   - nothing can be changed through it, and no document is shown;
//   - the number of metrics does not depend on what clients send.
package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"issues-index/tools/auth"
	"issues-index/tools/telemetry"

	"golang.org/x/sync/singleflight"
)

// A BackendFunc returns the current backend and a function that releases it. It is called
// for each request, because the configuration may change.
type BackendFunc func(context.Context) (b Backend, release func())

// A Dashboard answers requests of pages and of monitoring systems.
type Dashboard struct {
	backend BackendFunc
	metrics *Metrics
	version string

	life  context.Context // of the server
	asked singleflight.Group
}

// New returns a dashboard that shows a backend and the metrics of this process. life ends
// the work that requests have started.
func New(life context.Context, backend BackendFunc, metrics *Metrics, version string) *Dashboard {
	return &Dashboard{backend: backend, metrics: metrics, version: version, life: life}
}

// Register serves the paths of the dashboard.
func (d *Dashboard) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", d.health)
	mux.HandleFunc("GET /metrics", d.exposition)
	mux.HandleFunc("GET /api/overview", d.overview)
}

// health answers 200 while the index can be read, and 503 otherwise.
func (d *Dashboard) health(w http.ResponseWriter, r *http.Request) {
	report := d.report(r.Context())
	status := http.StatusOK
	if !report.Index.Readable() {
		status = http.StatusServiceUnavailable
	}
	if !auth.PrincipalOf(r.Context()).May(auth.Read) { // who may know no more
		writeJSON(w, status, map[string]bool{"ok": status == http.StatusOK})
		return
	}
	writeJSON(w, status, report)
}

// overview answers with the figures of a range, and the health of the server.
func (d *Dashboard) overview(w http.ResponseWriter, r *http.Request) {
	name := cmp.Or(r.URL.Query().Get("range"), DefaultRange)
	if !slices.Contains(Ranges, name) {
		http.Error(w, NoSuchRange, http.StatusBadRequest)
		return
	}
	report := d.report(r.Context())
	b, release := d.backend(r.Context())
	defer release()
	writeJSON(w, http.StatusOK, b.overview(r.Context(), name, report, d.version))
}

// Figures returns the figures of one of the Ranges, without a look at the index.
func (d *Dashboard) Figures(ctx context.Context, name string) RangeOverview {
	b, release := d.backend(ctx)
	defer release()
	report := b.without(IndexState{})
	if b.Calls != nil { // where they cannot be read, the overview says why
		hour, _ := b.Calls.Total(ctx, telemetry.CallFilter{Since: b.now().Add(-time.Hour)})
		report.Alert = hour.Alert()
	}
	return b.overview(ctx, name, report, d.version)
}

// Clients says what each client has called today and in the last hour, the last caller first:
// none where the calls cannot be read, of which Figures has the reason.
func (d *Dashboard) Clients(ctx context.Context) []telemetry.ClientActivity {
	b, release := d.backend(ctx)
	defer release()
	if b.Calls == nil {
		return nil
	}
	now := b.now()
	year, month, day := now.Date()
	clients, err := b.Calls.Clients(ctx, time.Date(year, month, day, 0, 0, 0, 0, now.Location()), now)
	if err != nil {
		return nil
	}
	return clients
}

// exposition answers with the metrics for Prometheus.
func (d *Dashboard) exposition(w http.ResponseWriter, r *http.Request) {
	var e exposition
	d.report(r.Context()).write(&e, d.version)
	d.metrics.write(&e)
	w.Header().Set("Content-Type", expositionType)
	_, _ = w.Write(e.Bytes())
}

// patience is how long a request waits for the index.
const patience = 5 * time.Second

// report returns the report of the backend. Concurrent requests share one report, which
// continues when a client has gone: the first one may open or even build the index,
// and that has to be finished.
func (d *Dashboard) report(ctx context.Context) HealthReport {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer := d.asked.DoChan("report", func() (any, error) {
		b, release := d.backend(d.life)
		defer release()
		return b.Report(d.life), nil
	})
	select {
	case result := <-answer:
		if report, ok := result.Val.(HealthReport); ok {
			return report
		}
	case <-ctx.Done():
	}
	b, release := d.backend(d.life)
	defer release()
	return b.notReady()
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "The answer cannot be written as JSON.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
