package dashboard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/tools/telemetry"
)

// A Report is how the server does at a moment.
type Report struct {
	Status    string            `json:"status"` // ok or unreadable: the index's
	Index     IndexState        `json:"index"`
	Telemetry TelemetryState    `json:"telemetry"`
	LastHour  telemetry.Figures `json:"lastHour"`
	LastDay   telemetry.Figures `json:"lastDay"`
	Alert     Alert             `json:"alert"`
}

// The values of a status.
const (
	statusOK         = "ok"
	statusUnreadable = "unreadable"
)

// An IndexState is the index's health.
type IndexState struct {
	Status    string `json:"status"` // ok or unreadable
	Problem   string `json:"problem,omitempty"`
	Freshness string `json:"freshness,omitempty"` // watch, verify or poll
	Reason    string `json:"reason,omitempty"`    // why not watch
	Path      string `json:"path,omitempty"`      // relative to the workspace when it is inside
	Bytes     int64  `json:"bytes"`
	Documents int    `json:"documents"`
	Problems  int    `json:"problems"` // documents with problems, as check counts them
}

// Readable reports whether the index answers.
func (s IndexState) Readable() bool { return s.Status == statusOK }

// A TelemetryState says whether there are figures of calls.
type TelemetryState struct {
	On      bool   `json:"on"`
	Problem string `json:"problem,omitempty"`
}

// An Alert is telemetry's, with the share above which it fires.
type Alert struct {
	telemetry.Alert
	Limit float64 `json:"limit"`
}

// A Source is where figures come from.
type Source struct {
	Index   *index.Index   // nil when it cannot be had
	Missing error          // why not
	Root    string         // of the workspace
	Calls   *telemetry.Log // nil when telemetry is off
	Now     func() time.Time
}

func (s Source) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// Report asks the index and the telemetry. What cannot be had is said in it.
func (s Source) Report(ctx context.Context) Report {
	r := s.without(s.indexState(ctx))
	if s.Calls == nil {
		return r
	}
	var err error
	now := s.now()
	if r.LastHour, err = s.total(ctx, now.Add(-time.Hour)); err == nil {
		r.LastDay, err = s.total(ctx, now.Add(-24*time.Hour))
	}
	if err == nil {
		r.Alert.Alert, err = s.Calls.LastHour(ctx)
	}
	if err != nil && !errors.Is(err, telemetry.ErrNone) {
		r.Telemetry.Problem = "The calls on record cannot be read: " + s.plain(err)
	}
	return r
}

// total is the figures of all calls since a moment.
func (s Source) total(ctx context.Context, since time.Time) (telemetry.Figures, error) {
	summary, err := s.Calls.Summary(ctx, telemetry.Filter{Since: since}, telemetry.ByTool)
	return summary.Total, err
}

// without is a report that has no figures of calls.
func (s Source) without(state IndexState) Report {
	return Report{
		Status: state.Status, Index: state,
		Telemetry: TelemetryState{On: s.Calls != nil},
		Alert:     Alert{Limit: telemetry.AlertShare},
	}
}

// notReady is the report of an index that does not answer in time.
func (s Source) notReady() Report {
	return s.without(IndexState{Status: statusUnreadable, Problem: "The index does not answer in time: it is being opened or built."})
}

func (s Source) indexState(ctx context.Context) IndexState {
	if s.Index == nil {
		return IndexState{Status: statusUnreadable, Problem: s.plain(s.Missing)}
	}
	health, err := s.Index.Health(ctx)
	if err != nil {
		return IndexState{Status: statusUnreadable, Problem: s.plain(err)}
	}
	problems, err := s.Index.ProblemDocuments(ctx)
	if err != nil {
		return IndexState{Status: statusUnreadable, Problem: s.plain(err)}
	}
	state := IndexState{
		Status: statusOK, Freshness: health.Freshness, Reason: health.Reason,
		Path: s.short(health.Path), Documents: health.Documents, Problems: problems,
	}
	for _, part := range []string{health.Path, health.Path + "-wal"} {
		if info, err := os.Stat(part); err == nil {
			state.Bytes += info.Size()
		}
	}
	return state
}

// plain is an error's text with the workspace's own paths made short.
func (s Source) plain(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "The index does not answer in time."
	}
	return strings.ReplaceAll(err.Error(), s.Root+string(filepath.Separator), "")
}

// short is a path relative to the workspace when it is inside.
func (s Source) short(path string) string {
	if relative, err := filepath.Rel(s.Root, path); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return path
}

// write adds the state to a page of metrics.
func (r Report) write(e *exposition, version string) {
	e.family("issues_index_build_info", "gauge", "Always 1, with the program's version.")
	e.sample("issues_index_build_info", 1, "version", version)
	e.family("issues_index_readable", "gauge", "Whether the index can be read: 1 or 0.")
	readable := 0.0
	if r.Index.Readable() {
		readable = 1
	}
	e.sample("issues_index_readable", readable)
	if r.Index.Readable() {
		e.family("issues_index_documents", "gauge", "Documents in the index.")
		e.sample("issues_index_documents", float64(r.Index.Documents))
		e.family("issues_index_problem_documents", "gauge", "Documents with problems, as issues-index check lists them.")
		e.sample("issues_index_problem_documents", float64(r.Index.Problems))
		e.family("issues_index_size_bytes", "gauge", "Size of the index file and its log.")
		e.sample("issues_index_size_bytes", float64(r.Index.Bytes))
		e.family("issues_index_freshness", "gauge", "How changes of files are noticed: 1 for the mode in use.")
		for _, mode := range []index.Mode{index.ModeWatch, index.ModeVerify, index.ModePoll} {
			value := 0.0
			if mode.String() == r.Index.Freshness {
				value = 1
			}
			e.sample("issues_index_freshness", value, "mode", mode.String())
		}
	}
	if r.Telemetry.On && r.Telemetry.Problem == "" {
		e.family("issues_index_oversized_ratio", "gauge", "Share of the answers of the last hour, of all processes of the workspace, that would have been larger than their budget without the guard.")
		e.sample("issues_index_oversized_ratio", r.Alert.Share)
		estimate := r.LastDay.Estimate
		e.family("issues_index_estimate_samples", "gauge", "Answers of the last 24 hours whose tokens were counted, to compare them with the estimate.")
		e.sample("issues_index_estimate_samples", float64(estimate.Sampled))
		if estimate.Sampled > 0 {
			e.family("issues_index_estimate_error_ratio", "gauge", "Error of the estimated tokens of these answers: (estimated - counted) / counted, its mean and the 95th percentile of its size.")
			e.sample("issues_index_estimate_error_ratio", estimate.MeanError, "of", "mean")
			e.sample("issues_index_estimate_error_ratio", estimate.P95Error, "of", "p95")
		}
	}
}
