package telemetry

import (
	"cmp"
	"context"
	"slices"
	"time"
)

func compare(ctx context.Context, db querier, filter Filter, a, b string) (Comparison, error) {
	variants := [2]string{a, b}
	totals := [2]*sum{newSum(), newSum()}
	byTool := map[string]*[2]*sum{}
	filter.Variant = ""
	_, _, err := collect(ctx, db, filter, ByTool.spans(), func(of series, _ int64, t *tally) {
		for i, variant := range variants {
			if of.variant != variant {
				continue
			}
			if byTool[of.tool] == nil {
				byTool[of.tool] = &[2]*sum{newSum(), newSum()}
			}
			byTool[of.tool][i].add(of, t)
			totals[i].add(of, t)
		}
	})
	if err != nil {
		return Comparison{}, err
	}
	comparison := Comparison{A: a, B: b, Total: difference("", totals), Tools: make([]Difference, 0, len(byTool))}
	for tool, sums := range byTool {
		comparison.Tools = append(comparison.Tools, difference(tool, *sums))
	}
	slices.SortFunc(comparison.Tools, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(y.A.Calls+y.B.Calls, x.A.Calls+x.B.Calls), cmp.Compare(x.Tool, y.Tool))
	})
	return comparison, nil
}

func difference(tool string, sums [2]*sum) Difference {
	return Difference{Tool: tool, A: sums[0].figures(), B: sums[1].figures()}
}

func lastHour(ctx context.Context, db querier, now time.Time) (Alert, error) {
	var alert Alert
	_, _, err := collect(ctx, db, Filter{Since: now.Add(-time.Hour)}, ByTool.spans(), func(_ series, _ int64, t *tally) {
		alert.Calls += t.calls
		alert.Oversized += t.over
	})
	alert.Share = share(int64(alert.Oversized), int64(alert.Calls))
	alert.Firing = alert.Calls >= AlertCalls && alert.Share > AlertShare
	return alert, err
}
