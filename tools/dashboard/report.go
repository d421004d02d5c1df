package dashboard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/index/team/publish"
	"issues-index/tools/telemetry"
)

// A HealthReport is the health of a server and of its answers.
type HealthReport struct {
	Status    string            `json:"status"` // ok or unreadable: the index's
	Index     IndexState        `json:"index"`
	Telemetry TelemetryState    `json:"telemetry"`
	LastHour  telemetry.Figures `json:"lastHour"`
	LastDay   telemetry.Figures `json:"lastDay"`
	Alert     telemetry.Alert   `json:"alert"` // for LastHour
	// Team is how the documents are published to the team, nil where they are not.
	Team *publish.PublisherStatus `json:"team,omitempty"`
	Hub  *HubHealth               `json:"hub,omitempty"` // nil for no hub
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

// A Backend is where the figures come from.
type Backend struct {
	Index   *index.Index     // nil when it cannot be opened
	Missing error            // why it cannot be opened
	Root    string           // of the workspace
	Calls   *telemetry.Log   // nil when telemetry is off
	Now     func() time.Time // nil is time.Now
	// Team is how the documents are published to the team, nil where they are not.
	Team *publish.PublisherStatus
	Hub  *HubHealth // nil for no hub
}

func (b Backend) now() time.Time {
	if b.Now == nil {
		return time.Now()
	}
	return b.Now()
}

// Report asks the index and the telemetry. It says which of them cannot be read.
func (b Backend) Report(ctx context.Context) HealthReport {
	r := b.without(b.indexState(ctx))
	if b.Calls == nil {
		return r
	}
	var err error
	now := b.now()
	if r.LastHour, err = b.Calls.Total(ctx, telemetry.CallFilter{Since: now.Add(-time.Hour)}); err == nil {
		r.Alert = r.LastHour.Alert()
		r.LastDay, err = b.Calls.Total(ctx, telemetry.CallFilter{Since: now.Add(-24 * time.Hour)})
	}
	if err != nil && !errors.Is(err, telemetry.ErrNone) {
		r.Telemetry.Problem = "The calls on record cannot be read: " + b.plain(err)
	}
	return r
}

// without returns a report without figures of calls.
func (b Backend) without(state IndexState) HealthReport {
	return HealthReport{
		Status: state.Status, Index: state,
		Telemetry: TelemetryState{On: b.Calls != nil},
		Alert:     telemetry.Figures{}.Alert(), Team: b.Team, Hub: b.Hub,
	}
}

// notReady returns the report for an index that does not answer in time.
func (b Backend) notReady() HealthReport {
	return b.without(IndexState{
		Status: statusUnreadable, Problem: "The index does not answer in time: it is being opened or built.",
	})
}

func (b Backend) indexState(ctx context.Context) IndexState {
	if b.Index == nil {
		return IndexState{Status: statusUnreadable, Problem: b.plain(b.Missing)}
	}
	health, err := b.Index.Health(ctx)
	if err != nil {
		return IndexState{Status: statusUnreadable, Problem: b.plain(err)}
	}
	problems, err := b.Index.ProblemDocuments(ctx)
	if err != nil {
		return IndexState{Status: statusUnreadable, Problem: b.plain(err)}
	}
	state := IndexState{
		Status: statusOK, Freshness: health.Freshness, Reason: health.Reason,
		Path: b.short(health.Path), Documents: health.Documents, Problems: problems,
	}
	for _, part := range []string{health.Path, health.Path + "-wal"} {
		if info, err := os.Stat(part); err == nil {
			state.Bytes += info.Size()
		}
	}
	return state
}

// plain returns the text of an error with paths relative to the workspace.
func (b Backend) plain(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "The index does not answer in time."
	}
	return strings.ReplaceAll(err.Error(), b.Root+string(filepath.Separator), "")
}

// short returns a path relative to the workspace if it is inside.
func (b Backend) short(path string) string {
	if relative, err := filepath.Rel(b.Root, path); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return path
}

// write adds the report to the metrics.
func (r HealthReport) write(e *exposition, version string) {
	e.gauge("issues_index_build_info", "Always 1, with the program's version.", 1, "version", version)
	e.gauge("issues_index_readable", "Whether the index can be read: 1 or 0.", oneIf(r.Index.Readable()))
	if r.Index.Readable() {
		e.gauge("issues_index_documents", "Documents in the index.", float64(r.Index.Documents))
		e.gauge("issues_index_problem_documents", "Documents with problems, as issues-index check lists them.",
			float64(r.Index.Problems))
		e.gauge("issues_index_size_bytes", "Size of the index file and its log.", float64(r.Index.Bytes))
		e.family("issues_index_freshness", "gauge", "How changes of files are noticed: 1 for the mode in use.")
		for _, mode := range []index.Mode{index.ModeWatch, index.ModeVerify, index.ModePoll} {
			e.sample("issues_index_freshness", oneIf(mode.String() == r.Index.Freshness), "mode", mode.String())
		}
	}
	r.Hub.write(e)
	if t := r.Team; t != nil {
		e.gauge("issues_index_team_connected", "Whether the team's cluster can be reached: 1 or 0.", oneIf(t.Connected))
		e.gauge("issues_index_team_waiting_documents", "Documents that are to be published to the team.", float64(t.Waiting))
		e.gauge("issues_index_team_problem_documents", "Documents that cannot be published to the team.",
			float64(len(t.Problems)))
		e.gauge("issues_index_team_position", "Position of the newest version of the published line.",
			float64(t.Position), "line", t.Branch)
	}
	if r.Telemetry.On && r.Telemetry.Problem == "" {
		e.gauge("issues_index_oversized_ratio", "Share of the answers of the last hour, of all processes of the workspace, "+
			"that would have been larger than their budget if sent uncut.", r.Alert.Share)
		estimate := r.LastDay.Estimate
		e.gauge("issues_index_estimate_samples", "Answers of the last 24 hours whose tokens were counted, to compare "+
			"them with the estimate.", float64(estimate.Sampled))
		if estimate.Sampled > 0 {
			e.family("issues_index_estimate_error_ratio", "gauge", "Error of the estimated tokens of these answers: "+
				"(estimated - counted) / counted, its mean and the 95th percentile of its size.")
			e.sample("issues_index_estimate_error_ratio", estimate.MeanError, "of", "mean")
			e.sample("issues_index_estimate_error_ratio", estimate.P95Error, "of", "p95")
		}
	}
}

// oneIf returns 1 for true and 0 for false.
func oneIf(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}
