// Package dashboard shows people and their monitoring how the server does: a
// page with its figures, the same as JSON, Prometheus metrics and a health check,
// over HTTP on this machine.
//
// It knows nothing about single tools, about SQL or about how calls are kept: it
// asks package telemetry for figures and the index for its health. Its invariants:
//
//   - nothing can be changed through it, and no document is shown;
//   - a page of another origin or host name gets nothing from it;
//   - it needs no network: all that the page loads is part of the program;
//   - metrics do not grow with what clients send.
package dashboard

import (
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"time"

	"golang.org/x/sync/singleflight"
)

//go:embed assets
var assets embed.FS

// Sources returns the source of the moment, which may be another one at the next
// request, and what to do when it has been asked.
type Sources func(context.Context) (s Source, release func())

// A Handler answers the requests of the page and of monitoring.
type Handler struct {
	source  Sources
	metrics *Metrics
	version string

	life  context.Context // of the server
	asked singleflight.Group
}

// New returns a handler that shows what source knows, and the metrics of this
// process. life
// ends the work that requests have started.
func New(life context.Context, source Sources, metrics *Metrics, version string) *Handler {
	return &Handler{source: source, metrics: metrics, version: version, life: life}
}

// For returns the handler for a server that listens on a host. It refuses
// requests for other host names: a page elsewhere may have its own name lead
// here, to be let in as if it came from here.
func (h *Handler) For(host string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", h.health)
	mux.HandleFunc("/metrics", h.exposition)
	mux.HandleFunc("/api/overview", h.overview)
	mux.HandleFunc("/{$}", file("index.html", "text/html; charset=utf-8"))
	mux.HandleFunc("/style.css", file("style.css", "text/css; charset=utf-8"))
	mux.HandleFunc("/app.js", file("app.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("/icon.svg", file("icon.svg", "image/svg+xml"))
	return guarded(namesOf(host), mux)
}

// file serves one of the page's own files.
func file(name, mediaType string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		data, err := assets.ReadFile(path.Join("assets", name))
		if err != nil {
			http.NotFound(w, nil)
			return
		}
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write(data) // who has gone away needs no answer
	}
}

// health is 200 as long as the index can be read, and 503 otherwise.
func (h *Handler) health(w http.ResponseWriter, r *http.Request) {
	report := h.report(r.Context())
	status := http.StatusOK
	if !report.Index.Readable() {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, report)
}

// overview is what the page draws.
func (h *Handler) overview(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("range")
	if name == "" {
		name = defaultRange
	}
	span, ok := ranges[name]
	if !ok {
		http.Error(w, "No such range. There are 1h, 24h, 7d and 30d.", http.StatusBadRequest)
		return
	}
	report := h.report(r.Context())
	source, release := h.source(r.Context())
	defer release()
	writeJSON(w, http.StatusOK, source.overview(r.Context(), name, span, report, h.version))
}

// exposition is for Prometheus.
func (h *Handler) exposition(w http.ResponseWriter, r *http.Request) {
	var e exposition
	h.report(r.Context()).write(&e, h.version)
	h.metrics.write(&e)
	w.Header().Set("Content-Type", expositionType)
	_, _ = w.Write(e.Bytes())
}

// patience is how long a request waits for the index.
const patience = 5 * time.Second

// report asks how the index does. It shares the question with all who ask at the
// moment, and goes on with it when one of them has gone away: the first one may
// have the index opened, or even built, and that must come to an end.
func (h *Handler) report(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer := h.asked.DoChan("report", func() (any, error) {
		source, release := h.source(h.life)
		defer release()
		return source.Report(h.life), nil
	})
	select {
	case result := <-answer:
		if report, ok := result.Val.(Report); ok {
			return report
		}
	case <-ctx.Done():
	}
	source, release := h.source(h.life)
	defer release()
	return source.notReady()
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
