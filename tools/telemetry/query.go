package telemetry

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// ErrNone is returned when there is no telemetry file: no call was recorded yet, or
// telemetry is off.
var ErrNone = errors.New("no telemetry yet")

// A Log answers questions about the recorded calls. It opens the file read-only for
// each question, so the file may appear, disappear and be replaced at any time.
type Log struct {
	// Paths lists the possible paths of the file. The first one with a file is read.
	Paths []string
}

// A CallFilter selects calls. Fields that are "" or zero select all.
type CallFilter struct {
	Tool    string
	Client  string
	Outcome string // AnyError selects every error
	Variant string
	Since   time.Time // calls at this time or later
	Until   time.Time // calls before this time
}

// AnyError is the outcome of a filter that selects every error.
const AnyError = "error"

// A Grouping says how calls are grouped.
type Grouping string

// The groupings. Hours and days are in UTC.
const (
	ByTool    Grouping = "tool"
	ByOutcome Grouping = "outcome"
	ByHour    Grouping = "hour"
	ByDay     Grouping = "day"
	ByClient  Grouping = "client"
	ByVariant Grouping = "variant"
)

// Groupings lists the named groupings, the default first.
func Groupings() []Grouping {
	return []Grouping{ByTool, ByOutcome, ByHour, ByDay, ByClient, ByVariant}
}

// BySteps groups calls by steps of time. A step must divide a day; steps begin at
// midnight UTC.
func BySteps(step time.Duration) Grouping { return Grouping(step.String()) }

// step returns the length of the groups in time, 0 for groups by name.
func (g Grouping) step() time.Duration {
	switch g {
	case ByHour:
		return time.Hour
	case ByDay:
		return 24 * time.Hour
	}
	step, err := time.ParseDuration(string(g))
	if err != nil {
		return 0
	}
	return step
}

// A CallGroup is the figures of the calls of one tool, outcome, hour and so on.
type CallGroup struct {
	Key   string    `json:"key"`            // for groups in time: the start, in RFC 3339
	Start time.Time `json:"start,omitzero"` // for groups in time
	Figures
}

// A CallSummary is the figures of the calls that a filter selects, in total and by
// group. Groups in time are in order, and those without calls are missing. Other groups
// are sorted by the number of calls, the largest first.
type CallSummary struct {
	Since  time.Time   `json:"since,omitzero"` // of the filter
	Until  time.Time   `json:"until,omitzero"`
	Total  Figures     `json:"total"`
	Groups []CallGroup `json:"groups"`
}

// Summary summarizes the calls that a filter selects.
func (l *Log) Summary(ctx context.Context, filter CallFilter, by Grouping) (CallSummary, error) {
	summary := CallSummary{
		Since: filter.Since.UTC().Truncate(time.Millisecond), Until: filter.Until.UTC().Truncate(time.Millisecond),
	}
	err := l.read(ctx, func(f recordFile) (err error) {
		if summary.Total, err = f.total(ctx, filter); err == nil {
			summary.Groups, err = f.groups(ctx, filter, by)
		}
		return err
	})
	return summary, err
}

// Groups summarizes the calls that a filter selects by group alone, as Summary has the groups.
func (l *Log) Groups(ctx context.Context, filter CallFilter, by Grouping) (groups []CallGroup, err error) {
	err = l.read(ctx, func(f recordFile) (err error) {
		groups, err = f.groups(ctx, filter, by)
		return err
	})
	return groups, err
}

// Total summarizes the calls that a filter selects, without groups.
func (l *Log) Total(ctx context.Context, filter CallFilter) (total Figures, err error) {
	err = l.read(ctx, func(f recordFile) (err error) {
		total, err = f.total(ctx, filter)
		return err
	})
	return total, err
}

// A Difference is the figures of one tool, or of all, under two variants of the
// settings.
type Difference struct {
	Tool string  `json:"tool"`
	A    Figures `json:"a"`
	B    Figures `json:"b"`
}

// A VariantComparison compares two variants, in total and by tool.
type VariantComparison struct {
	A     string       `json:"a"`
	B     string       `json:"b"`
	Total Difference   `json:"total"`
	Tools []Difference `json:"tools"`
}

// Compare compares two variants. It ignores the variant of the filter.
func (l *Log) Compare(ctx context.Context, filter CallFilter, a, b string) (VariantComparison, error) {
	comparison := VariantComparison{A: a, B: b, Tools: []Difference{}}
	at := map[string]int{} // where a tool is in Tools
	for _, variant := range []string{a, b} {
		filter.Variant = variant
		summary, err := l.Summary(ctx, filter, ByTool)
		if err != nil {
			return VariantComparison{}, err
		}
		for _, g := range append(summary.Groups, CallGroup{Figures: summary.Total}) {
			d := &comparison.Total
			if g.Key != "" {
				if _, known := at[g.Key]; !known {
					at[g.Key] = len(comparison.Tools)
					comparison.Tools = append(comparison.Tools, Difference{Tool: g.Key})
				}
				d = &comparison.Tools[at[g.Key]]
			}
			if variant == a {
				d.A = g.Figures
			} else {
				d.B = g.Figures
			}
		}
	}
	slices.SortFunc(comparison.Tools, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(y.A.Calls+y.B.Calls, x.A.Calls+x.B.Calls), cmp.Compare(x.Tool, y.Tool))
	})
	return comparison, nil
}

// Variants lists the variants that a filter selects, the one with the most calls first.
func (l *Log) Variants(ctx context.Context, filter CallFilter) ([]string, error) {
	summary, err := l.Summary(ctx, filter, ByVariant)
	variants := make([]string, len(summary.Groups))
	for i, g := range summary.Groups {
		variants[i] = g.Key
	}
	return variants, err
}
