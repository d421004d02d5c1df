package dashboard

import (
	"context"
	"errors"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/publish"
	"issues-index/store/cachedir"
	"issues-index/tools"
	"issues-index/tools/telemetry"
)

// unused is a source whose telemetry has seen no call.
func unused(t *testing.T, ix *index.Index) Backend {
	t.Helper()
	s := source(ix)
	s.Calls = &telemetry.Log{Paths: []string{filepath.Join(t.TempDir(), "telemetry.db")}}
	return s
}

// seeded is a source whose telemetry has seen 120 calls: 30 in the hour before
// noon, 80 more in the day, 10 more in the month. All are a quarter of what they
// would have been.
func seeded(t *testing.T, ix *index.Index) Backend {
	t.Helper()
	s := unused(t, ix)
	recorder := telemetry.New(telemetry.Options{
		Place: func(context.Context) (*cachedir.Dir, string, error) {
			dir, err := cachedir.Open(filepath.Dir(s.Calls.Paths[0]), 0o777)
			return dir, filepath.Base(s.Calls.Paths[0]), err
		},
		Settings: func() telemetry.RecorderSettings {
			return telemetry.RecorderSettings{Enabled: true, MaxAge: 30 * 24 * time.Hour, MaxSize: 50_000_000}
		},
		Now: s.Now,
	})
	defer recorder.Close()
	for _, calls := range []struct {
		number  int
		from    time.Duration // before noon; a minute lies between two calls
		tool    string
		outcome tools.Outcome
		over    bool
	}{
		{20, 40 * time.Minute, "issues_list", tools.OutcomePaginated, false},
		{10, 15 * time.Minute, "issues_list", tools.OutcomePlain, true},
		{30, 6 * time.Hour, "issues_list", tools.OutcomePaginated, false},
		{10, 5 * time.Hour, "issues_get", tools.Outcome(tools.CodeIssueNotFound), false},
		{20, 4 * time.Hour, "issues_get", tools.OutcomeChunked, false},
		{10, 3 * time.Hour, "issues_search", tools.OutcomeSummarized, false},
		{10, 3 * time.Hour, "issues_search", tools.OutcomePlain, false},
		{10, 240 * time.Hour, "issues_stats", tools.OutcomePlain, false},
	} {
		for i := range calls.number {
			recorder.Record(tools.Call{
				Time: noon.Add(time.Duration(i)*time.Minute - calls.from), Tool: calls.tool, Client: "test 1",
				Outcome: calls.outcome, Failed: calls.outcome == tools.Outcome(tools.CodeIssueNotFound),
				Bytes: 2000, Original: 8000, Tokens: 600, Budget: 4000, Over: calls.over, Latency: 2 * time.Millisecond,
			})
		}
	}
	check(t, recorder.Flush(t.Context()))
	return s
}

func TestOverviewCountsCalls(t *testing.T) {
	h := New(t.Context(), always(seeded(t, workspace(t))), NewMetrics(), "1.0")
	for _, c := range []struct {
		name                 string
		calls, steps, drawn  int // drawn: steps that have calls
		paginated, oversized int
		tools                []string // the most called first
	}{
		{"1h", 30, 30, 16, 20, 10, []string{"issues_list"}},
		{"24h", 110, 24, 6, 50, 10, []string{"issues_list", "issues_get", "issues_search"}},
		{"7d", 110, 28, 2, 50, 10, []string{"issues_list", "issues_get", "issues_search"}},
		{"30d", 120, 30, 2, 50, 10, []string{"issues_list", "issues_get", "issues_search", "issues_stats"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := get(t, h, "/api/overview?range="+c.name)
			if w.Code != http.StatusOK {
				t.Fatalf("%d: %s", w.Code, w.Body)
			}
			o := decode[RangeOverview](t, w)
			if o.Total.Calls != c.calls || o.Total.Paginated != c.paginated || o.Total.Oversized != c.oversized || o.Total.Bytes != int64(c.calls)*2000 {
				t.Errorf("total %+v", o.Total)
			}
			if math.Abs(o.Total.Reduction-0.75) > 1e-9 {
				t.Errorf("reduction %v", o.Total.Reduction)
			}
			step := time.Duration(o.StepSeconds) * time.Second
			if len(o.Series) != c.steps || !o.From.Add(time.Duration(c.steps)*step).Equal(o.To) || o.To.Before(noon) || o.At != noon {
				t.Errorf("%d steps of %v from %v to %v, at %v", len(o.Series), step, o.From, o.To, o.At)
			}
			var calls, drawn int
			for i, p := range o.Series {
				if !p.Start.Equal(o.From.Add(time.Duration(i) * step)) {
					t.Errorf("step %d starts at %v", i, p.Start)
				}
				calls += p.Calls
				if p.Calls > 0 {
					drawn++
				}
			}
			if calls != c.calls || drawn != c.drawn {
				t.Errorf("%d calls in %d steps, want %d in %d", calls, drawn, c.calls, c.drawn)
			}
			calls = 0
			for i, row := range o.Tools {
				calls += row.Calls
				if i < len(c.tools) && row.Tool != c.tools[i] {
					t.Errorf("tool %d is %s, want %s", i, row.Tool, c.tools[i])
				}
			}
			if calls != c.calls || len(o.Tools) != len(c.tools) {
				t.Errorf("%d calls of %d tools", calls, len(o.Tools))
			}
		})
	}
}

func TestClientsHaveTheCallsOfTheDay(t *testing.T) {
	ix := workspace(t)
	clients := func(b Backend) []telemetry.ClientActivity {
		return New(t.Context(), always(b), NewMetrics(), "1.0").Clients(t.Context())
	}
	all := clients(seeded(t, ix))
	if len(all) != 1 || all[0].Client != "test 1" || all[0].Calls != 110 || all[0].Tokens != 110*600 || !all[0].Last.Equal(noon.Add(-6*time.Minute)) {
		t.Errorf("%+v", all)
	}
	for _, b := range []Backend{source(ix), unused(t, ix), foreign(t, ix), nowhere(t, ix)} {
		if all := clients(b); len(all) > 0 {
			t.Errorf("%+v of %+v", all, b.Calls)
		}
	}
}

func TestAlertIsInEveryAnswer(t *testing.T) {
	h := New(t.Context(), always(seeded(t, workspace(t))), NewMetrics(), "1.0")
	report := decode[HealthReport](t, get(t, h, "/healthz"))
	if a := report.Alert; !a.Firing || a.Calls != 30 || a.Oversized != 10 || a.Limit != 0.05 {
		t.Errorf("health: %+v", a)
	}
	if report.LastHour.Calls != 30 || report.LastDay.Calls != 110 {
		t.Errorf("%d calls in the last hour, %d in the last day", report.LastHour.Calls, report.LastDay.Calls)
	}
	if o := decode[RangeOverview](t, get(t, h, "/api/overview")); !o.Alert.Firing || o.Range != "24h" {
		t.Errorf("overview: %+v", o.Alert)
	}
	samples, err := parse(get(t, h, "/metrics").Body.String())
	check(t, err)
	if got := samples["issues_index_oversized_ratio"]; math.Abs(got-1.0/3) > 1e-9 {
		t.Errorf("metrics: %v", got)
	}
}

func TestMetricsIncludeEstimateError(t *testing.T) {
	r := HealthReport{Telemetry: TelemetryState{On: true}}
	samples := func() map[string]float64 {
		var e exposition
		r.write(&e, "1.0")
		found, err := parse(e.String())
		check(t, err)
		return found
	}
	if got := samples(); got["issues_index_estimate_samples"] != 0 || len(got) != 4 {
		t.Errorf("without a sample: %v", got)
	}
	r.LastDay.Estimate = telemetry.Estimate{Sampled: 7, MeanError: -0.1, P95Error: 0.4}
	got := samples()
	for sample, want := range map[string]float64{
		`issues_index_estimate_samples`: 7, `issues_index_estimate_error_ratio{of="mean"}`: -0.1, `issues_index_estimate_error_ratio{of="p95"}`: 0.4,
	} {
		if got[sample] != want {
			t.Errorf("%s is %v, want %v", sample, got[sample], want)
		}
	}
}

func TestPublishingToATeamIsShown(t *testing.T) {
	var without, with exposition
	Backend{Missing: errors.New("closed")}.notReady().write(&without, "1.0")
	if strings.Contains(without.String(), "team") {
		t.Errorf("without a team: %s", without.String())
	}
	status := publish.PublisherStatus{Branch: "main", Connected: true, Waiting: 3, Position: 41, Problems: []publish.PublicationProblem{{Path: "a.md"}}}
	report := Backend{Missing: errors.New("closed"), Team: &status}.notReady()
	report.write(&with, "1.0")
	got, err := parse(with.String())
	check(t, err)
	for sample, want := range map[string]float64{
		`issues_index_team_connected`: 1, `issues_index_team_waiting_documents`: 3, `issues_index_team_problem_documents`: 1, `issues_index_team_position{line="main"}`: 41,
	} {
		if value, ok := got[sample]; !ok || value != want {
			t.Errorf("%s is %v, want %v", sample, value, want)
		}
	}
	if report.Team == nil || report.Team.Waiting != 3 {
		t.Errorf("%+v", report.Team)
	}
}

func TestWithoutTelemetryTheIndexIsStillShown(t *testing.T) {
	for why, c := range map[string]struct {
		source func(*testing.T, *index.Index) Backend
		on     bool
	}{
		"switched off":  {func(_ *testing.T, ix *index.Index) Backend { return source(ix) }, false},
		"no call yet":   {unused, true},
		"not its file":  {foreign, true},
		"no file there": {nowhere, true},
	} {
		t.Run(why, func(t *testing.T) {
			h := New(t.Context(), always(c.source(t, workspace(t))), NewMetrics(), "1.0")
			for name := range ranges {
				o := decode[RangeOverview](t, get(t, h, "/api/overview?range="+name))
				if o.Telemetry.On != c.on || o.Index.Documents != 3 || o.Total.Calls != 0 || o.Series == nil || o.Tools == nil {
					t.Errorf("%s: %+v", name, o)
				}
				if (why == "not its file") != (o.Telemetry.Problem != "") {
					t.Errorf("%s: problem %q", name, o.Telemetry.Problem)
				}
			}
			if w := get(t, h, "/healthz"); w.Code != http.StatusOK {
				t.Errorf("health: %d", w.Code)
			}
		})
	}
}

// foreign is a source whose telemetry file is something else.
func foreign(t *testing.T, ix *index.Index) Backend {
	t.Helper()
	s := unused(t, ix)
	s.Calls.Paths = []string{filepath.Join(ix.Workspace().Root, ".wrangler", "issues", "broken.md")}
	return s
}

func nowhere(t *testing.T, ix *index.Index) Backend {
	t.Helper()
	s := unused(t, ix)
	s.Calls.Paths = []string{filepath.Join(t.TempDir(), "no", "folder", "telemetry.db")}
	return s
}
