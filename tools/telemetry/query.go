package telemetry

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"issues-index/tools"
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

func (f CallFilter) selects(s *series) bool {
	return (f.Tool == "" || f.Tool == s.tool) && (f.Client == "" || f.Client == s.client) &&
		(f.Variant == "" || f.Variant == s.variant) &&
		(f.Outcome == "" || f.Outcome == string(s.outcome) || s.outcome.Has(tools.Outcome(f.Outcome)) || f.Outcome == AnyError && s.failed > 0)
}

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

// name returns the name of the group of a series.
func (g Grouping) name(s *series) string {
	switch g {
	case ByOutcome:
		return string(s.outcome)
	case ByClient:
		return s.client
	case ByVariant:
		return s.variant
	}
	return s.tool
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
	type groupKey struct {
		name  string
		start int64 // milliseconds
	}
	var total accumulator
	groups := map[groupKey]*accumulator{}
	step := by.step().Milliseconds()
	err := l.read(ctx, filter, func(s *series, c *callRecord) {
		var key groupKey
		if step > 0 {
			key.start = c.Time.UnixMilli() / step * step
		} else {
			key.name = by.name(s)
		}
		group := groups[key]
		if group == nil {
			group = &accumulator{}
			groups[key] = group
		}
		group.add(s, c)
		total.add(s, c)
	})
	if err != nil {
		return CallSummary{}, err
	}
	summary := CallSummary{
		Since: filter.Since.UTC().Truncate(time.Millisecond), Until: filter.Until.UTC().Truncate(time.Millisecond),
		Total: total.figures(), Groups: make([]CallGroup, 0, len(groups)),
	}
	for key, a := range groups {
		group := CallGroup{Key: key.name, Figures: a.figures()}
		if step > 0 {
			group.Start = time.UnixMilli(key.start).UTC()
			group.Key = group.Start.Format(time.RFC3339)
		}
		summary.Groups = append(summary.Groups, group)
	}
	slices.SortFunc(summary.Groups, func(a, b CallGroup) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Key, b.Key))
	})
	return summary, nil
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
	var total [2]accumulator
	byTool := map[string]*[2]accumulator{}
	filter.Variant = ""
	err := l.read(ctx, filter, func(s *series, c *callRecord) {
		for i, variant := range []string{a, b} {
			if s.variant != variant {
				continue
			}
			if byTool[s.tool] == nil {
				byTool[s.tool] = &[2]accumulator{}
			}
			byTool[s.tool][i].add(s, c)
			total[i].add(s, c)
		}
	})
	if err != nil {
		return VariantComparison{}, err
	}
	difference := func(tool string, pair *[2]accumulator) Difference {
		return Difference{Tool: tool, A: pair[0].figures(), B: pair[1].figures()}
	}
	comparison := VariantComparison{A: a, B: b, Total: difference("", &total), Tools: make([]Difference, 0, len(byTool))}
	for tool, pair := range byTool {
		comparison.Tools = append(comparison.Tools, difference(tool, pair))
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
