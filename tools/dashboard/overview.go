package dashboard

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"issues-index/tools/telemetry"
)

// A timeRange is a length of time, and the steps in which its figures are summed.
type timeRange struct{ length, step time.Duration }

// Ranges are the names of the time ranges, the shortest first.
var Ranges = []string{"1h", "24h", "7d", "30d"}

// NoSuchRange says that a range is none of the Ranges.
const NoSuchRange = "No such range. There are 1h, 24h, 7d and 30d."

// DefaultRange is the range where none is named.
const DefaultRange = "24h"

// ranges are the time ranges, by their names.
var ranges = map[string]timeRange{
	"1h":  {time.Hour, 2 * time.Minute},
	"24h": {24 * time.Hour, time.Hour},
	"7d":  {7 * 24 * time.Hour, 6 * time.Hour},
	"30d": {30 * 24 * time.Hour, 24 * time.Hour},
}

// A Point is the figures of one step of a range.
type Point struct {
	Start time.Time `json:"start"`
	telemetry.Figures
}

// A ToolRow is the figures of one tool.
type ToolRow struct {
	Tool string `json:"tool"`
	telemetry.Figures
}

// A RangeOverview is the figures of a range, and the health of the server.
type RangeOverview struct {
	Workspace   string    `json:"workspace"`
	Version     string    `json:"version"`
	Range       string    `json:"range"`
	At          time.Time `json:"at"`
	From        time.Time `json:"from"`
	To          time.Time `json:"to"`
	StepSeconds int       `json:"stepSeconds"`

	Index     IndexState      `json:"index"`
	Telemetry TelemetryState  `json:"telemetry"`
	Alert     telemetry.Alert `json:"alert"`

	Total  telemetry.Figures `json:"total"`
	Series []Point           `json:"series"` // every step of the range, in order
	Tools  []ToolRow         `json:"tools"`  // sorted by their calls, the largest first
}

// overview returns the figures of the time range with this name, which ends with the
// current step.
func (b Backend) overview(ctx context.Context, name string, report HealthReport, version string) RangeOverview {
	span, now := ranges[name], b.now().UTC()
	to := now.Truncate(span.step).Add(span.step)
	o := RangeOverview{
		Workspace: filepath.Base(b.Root), Version: "issues-index " + version,
		Range: name, At: now, From: to.Add(-span.length), To: to, StepSeconds: int(span.step / time.Second),
		Index: report.Index, Telemetry: report.Telemetry, Alert: report.Alert, Tools: []ToolRow{},
	}
	for start := o.From; start.Before(to); start = start.Add(span.step) {
		o.Series = append(o.Series, Point{Start: start})
	}
	if b.Calls == nil {
		return o
	}
	if err := b.fill(ctx, &o, span.step); err != nil && !errors.Is(err, telemetry.ErrNone) {
		o.Telemetry.Problem = "The calls on record cannot be read: " + b.plain(err)
	}
	return o
}

// fill adds the figures of the calls to an overview.
func (b Backend) fill(ctx context.Context, o *RangeOverview, step time.Duration) error {
	filter := telemetry.CallFilter{Since: o.From, Until: o.To}
	byTool, err := b.Calls.Summary(ctx, filter, telemetry.ByTool)
	if err != nil {
		return err
	}
	o.Total = byTool.Total
	for _, group := range byTool.Groups {
		o.Tools = append(o.Tools, ToolRow{group.Key, group.Figures})
	}
	bySteps, err := b.Calls.Groups(ctx, filter, telemetry.BySteps(step))
	for _, group := range bySteps {
		o.Series[group.Start.Sub(o.From)/step].Figures = group.Figures
	}
	return err
}
