package telemetry

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

func compare(ctx context.Context, db querier, filter Filter, a, b string) (Comparison, error) {
	variants := [2]string{a, b}
	totals := [2]*tally{{}, {}}
	byTool := map[string]*[2]*tally{}
	filter.Variant = ""
	_, _, err := collect(ctx, db, filter, ByTool, func(of series, _ int64, k kept) error {
		for i, variant := range variants {
			if of.variant != variant {
				continue
			}
			if byTool[of.tool] == nil {
				byTool[of.tool] = &[2]*tally{{}, {}}
			}
			if err := errors.Join(byTool[of.tool][i].take(k), totals[i].take(k)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Comparison{}, err
	}
	comparison := Comparison{A: a, B: b, Total: difference("", totals), Tools: make([]Difference, 0, len(byTool))}
	for tool, tallys := range byTool {
		comparison.Tools = append(comparison.Tools, difference(tool, *tallys))
	}
	slices.SortFunc(comparison.Tools, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(y.A.Calls+y.B.Calls, x.A.Calls+x.B.Calls), cmp.Compare(x.Tool, y.Tool))
	})
	return comparison, nil
}

func difference(tool string, tallys [2]*tally) Difference {
	return Difference{Tool: tool, A: tallys[0].figures(), B: tallys[1].figures()}
}

func lastHour(ctx context.Context, db querier, now time.Time) (Alert, error) {
	var hour tally
	_, _, err := collect(ctx, db, Filter{Since: now.Add(-time.Hour)}, ByDay, func(_ series, _ int64, k kept) error {
		return hour.take(k)
	})
	alert := Alert{Calls: hour.calls, Oversized: hour.oversized, Share: share(hour.oversized, hour.calls)}
	alert.Firing = alert.Calls >= AlertCalls && alert.Share > AlertShare
	return alert, err
}
