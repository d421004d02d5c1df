package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools"
)

// noon is when all tests take place.
var noon = time.Date(2026, 3, 5, 12, 10, 0, 0, time.UTC)

// workspace is an index over three documents, one of them with a problem.
func workspace(t *testing.T) *index.Index {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, ".wrangler", "issues")
	check(t, os.MkdirAll(dir, 0o755))
	for name, text := range map[string]string{
		"ISS-000001-one.md": "---\nid: ISS-000001\ntitle: One\nstatus: open\n---\n",
		"ISS-000002-two.md": "---\nid: ISS-000002\ntitle: Two\nstatus: open\n---\n",
		"broken.md":         "---\nid: [\n---\n",
	} {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	ws, err := store.Open(store.Options{Root: root})
	check(t, err)
	t.Cleanup(func() { ws.Close() })
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: index.ModeVerify})
	check(t, err)
	t.Cleanup(func() { ix.Close() })
	return ix
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func source(ix *index.Index) Backend {
	return Backend{Index: ix, Root: ix.Workspace().Root, Now: func() time.Time { return noon }}
}

// always is the source of a server whose configuration stays.
func always(s Backend) BackendFunc {
	return func(context.Context) (Backend, func()) { return s, func() {} }
}

func get(t *testing.T, h *Dashboard, target string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, http.NoBody)
	r.Host = "localhost:8080"
	w := httptest.NewRecorder()
	handler(h).ServeHTTP(w, r)
	return w
}

// handler serves the paths of a dashboard.
func handler(d *Dashboard) http.Handler {
	mux := http.NewServeMux()
	d.Register(mux)
	return mux
}

func decode[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("media type %q", got)
	}
	check(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

func TestHealthz(t *testing.T) {
	ix := workspace(t)
	h := New(t.Context(), always(source(ix)), NewMetrics(), "1.0")
	w := get(t, h, "/healthz")
	report := decode[HealthReport](t, w)
	if w.Code != http.StatusOK || report.Status != "ok" || report.Index.Documents != 3 || report.Index.Problems != 1 || report.Index.Freshness != "verify" {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	if report.Index.Path != index.DefaultPath || report.Index.Bytes == 0 {
		t.Errorf("file %s of %d bytes", report.Index.Path, report.Index.Bytes)
	}

	t.Run("an index that cannot be read is 503, and the page goes on", func(t *testing.T) {
		check(t, ix.Close())
		w := get(t, h, "/healthz")
		if report := decode[HealthReport](t, w); w.Code != http.StatusServiceUnavailable || report.Status != "unreadable" || report.Index.Problem == "" {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
		if w := get(t, h, "/api/overview"); w.Code != http.StatusOK || decode[RangeOverview](t, w).Index.Readable() {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
		w = get(t, h, "/metrics")
		samples, err := parse(w.Body.String())
		if value, ok := samples["issues_index_readable"]; err != nil || !ok || value != 0 {
			t.Errorf("%v: %s", err, w.Body)
		}
	})
}

func TestMetricsPage(t *testing.T) {
	m := NewMetrics()
	m.Record(tools.Call{Tool: "issues_list", Bytes: 100})
	w := get(t, New(t.Context(), always(source(workspace(t))), m, `1.0 "quoted"`), "/metrics")
	if got := w.Header().Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("media type %q", got)
	}
	samples, err := parse(w.Body.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, w.Body)
	}
	for sample, want := range map[string]float64{
		`issues_index_build_info{version="1.0 \"quoted\""}`:                1,
		`issues_index_readable`:                                            1,
		`issues_index_documents`:                                           3,
		`issues_index_problem_documents`:                                   1,
		`issues_index_freshness{mode="verify"}`:                            1,
		`issues_index_freshness{mode="watch"}`:                             0,
		`issues_index_calls_total{tool="issues_list",outcome="plain"}`:     1,
		`issues_index_response_bytes_bucket{tool="issues_list",le="+Inf"}`: 1,
	} {
		if got, ok := samples[sample]; !ok || got != want {
			t.Errorf("%s: %v (there: %v), want %v", sample, got, ok, want)
		}
	}
}

func TestOtherPathsAreNotServed(t *testing.T) {
	h := New(t.Context(), always(source(workspace(t))), NewMetrics(), "1.0")
	for _, target := range []string{"/", "/index.html", "/figures", "/assets/app.js", "/../listen.go", "/api", "/nothing"} {
		if w := get(t, h, target); w.Code == http.StatusOK {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
}

func TestUnknownRangeIsRefused(t *testing.T) {
	w := get(t, New(t.Context(), always(source(workspace(t))), NewMetrics(), "1.0"), "/api/overview?range=1y")
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "30d") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}
