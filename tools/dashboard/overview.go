package dashboard

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"issues-index/tools/telemetry"
)

// A span is a range of time that the page shows, and the steps it is drawn in.
type span struct {
	length, step time.Duration
	by           telemetry.By // what groups calls in such steps; "" asks step by step
}

// ranges are by the names that the page and its addresses use.
var ranges = map[string]span{
	"1h":  {time.Hour, 2 * time.Minute, ""},
	"24h": {24 * time.Hour, time.Hour, telemetry.ByHour},
	"7d":  {7 * 24 * time.Hour, 6 * time.Hour, ""},
	"30d": {30 * 24 * time.Hour, 24 * time.Hour, telemetry.ByDay},
}

const defaultRange = "24h"

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

// An Overview is all that the page draws.
type Overview struct {
	Workspace   string    `json:"workspace"`
	Version     string    `json:"version"`
	Range       string    `json:"range"`
	At          time.Time `json:"at"`
	From        time.Time `json:"from"`
	To          time.Time `json:"to"`
	StepSeconds int       `json:"stepSeconds"`

	Index     IndexState     `json:"index"`
	Telemetry TelemetryState `json:"telemetry"`
	Alert     Alert          `json:"alert"`

	Total  telemetry.Figures `json:"total"`
	Series []Point           `json:"series"` // every step of the range, in order
	Tools  []ToolRow         `json:"tools"`  // the one with the most calls first
}

// overview makes the figures of a range that ends with the step that is now.
func (s Source) overview(ctx context.Context, name string, span span, report Report, version string) Overview {
	now := s.now().UTC()
	to := now.Truncate(span.step).Add(span.step)
	o := Overview{
		Workspace: filepath.Base(s.Root), Version: "issues-index " + version,
		Range: name, At: now, From: to.Add(-span.length), To: to, StepSeconds: int(span.step / time.Second),
		Index: report.Index, Telemetry: report.Telemetry, Alert: report.Alert, Tools: []ToolRow{},
	}
	for start := o.From; start.Before(to); start = start.Add(span.step) {
		o.Series = append(o.Series, Point{Start: start})
	}
	if s.Calls == nil {
		return o
	}
	if err := s.fill(ctx, &o, span); err != nil && !errors.Is(err, telemetry.ErrNone) {
		o.Telemetry.Problem = "The calls on record cannot be read: " + s.plain(err)
	}
	return o
}

// fill asks for the figures of an overview.
func (s Source) fill(ctx context.Context, o *Overview, span span) error {
	all := telemetry.Filter{Since: o.From, Until: o.To}
	summary, err := s.Calls.Summary(ctx, all, telemetry.ByTool)
	if err != nil {
		return err
	}
	o.Total = summary.Total
	for _, group := range summary.Groups {
		o.Tools = append(o.Tools, ToolRow{group.Key, group.Figures})
	}
	if o.Total.Calls == 0 {
		return nil
	}
	if span.by != "" {
		summary, err := s.Calls.Summary(ctx, all, span.by)
		if err != nil {
			return err
		}
		for _, group := range summary.Groups {
			if i := int(group.Start.Sub(o.From) / span.step); i >= 0 && i < len(o.Series) {
				o.Series[i].Figures = group.Figures
			}
		}
		return nil
	}
	for i := range o.Series {
		start := o.Series[i].Start
		step, err := s.Calls.Summary(ctx, telemetry.Filter{Since: start, Until: start.Add(span.step)}, telemetry.ByTool)
		if err != nil {
			return err
		}
		o.Series[i].Figures = step.Total
	}
	return nil
}
