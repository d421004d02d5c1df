package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"issues-index/tools"
)

// AnyError is the outcome that stands for every error in a filter.
const AnyError = "error"

// A groupKey is a group while it is added up: of a name or of a begin.
type groupKey struct {
	name  string
	start int64
}

// A sum is a group's tally, with how its calls came out.
type sum struct {
	tally
	errors, paginated, summarized, chunked int
}

func newSum() *sum { return &sum{tally: *newTally()} }

func (s *sum) add(of series, t *tally) {
	s.merge(t)
	switch {
	case of.failed:
		s.errors += t.calls
	case of.outcome == string(tools.OutcomePaginated):
		s.paginated += t.calls
	case of.outcome == string(tools.OutcomeSummarized):
		s.summarized += t.calls
	case of.outcome == string(tools.OutcomeChunked):
		s.chunked += t.calls
	}
}

// key returns what a roll-up is grouped under.
func (by By) key(of series, start int64) groupKey {
	switch by {
	case ByOutcome:
		return groupKey{name: of.outcome}
	case ByHour:
		return groupKey{start: floor(start, hour)}
	case ByDay:
		return groupKey{start: floor(start, day)}
	case ByClient:
		return groupKey{name: of.client}
	case ByVariant:
		return groupKey{name: of.variant}
	default:
		return groupKey{name: of.tool}
	}
}

// spans are the roll-ups that tell the groups apart, the largest first.
func (by By) spans() []int64 {
	if by == ByHour {
		return []int64{hour, minute}
	}
	return []int64{day, hour, minute}
}

func (f Filter) chooses(s series) bool {
	return (f.Tool == "" || f.Tool == s.tool) && (f.Client == "" || f.Client == s.client) &&
		(f.Variant == "" || f.Variant == s.variant) &&
		(f.Outcome == "" || f.Outcome == s.outcome || f.Outcome == AnyError && s.failed)
}

func summarize(ctx context.Context, db querier, filter Filter, by By) (Summary, error) {
	sums := map[groupKey]*sum{}
	since, until, err := collect(ctx, db, filter, by.spans(), func(of series, start int64, t *tally) {
		key := by.key(of, start)
		if sums[key] == nil {
			sums[key] = newSum()
		}
		sums[key].add(of, t)
	})
	if err != nil {
		return Summary{}, err
	}
	total := newSum()
	summary := Summary{Since: unix(since), Until: unix(until), Groups: make([]Group, 0, len(sums))}
	for key, s := range sums {
		total.join(s)
		group := Group{Key: key.name, Figures: s.figures()}
		if by == ByHour || by == ByDay {
			group.Start = time.Unix(key.start, 0).UTC()
			group.Key = group.Start.Format(time.RFC3339)
		}
		summary.Groups = append(summary.Groups, group)
	}
	slices.SortFunc(summary.Groups, func(a, b Group) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Key, b.Key))
	})
	summary.Total = total.figures()
	return summary, nil
}

// collect reads the roll-ups that a filter chooses. It returns the range as it
// is rounded.
func collect(ctx context.Context, db querier, filter Filter, spans []int64, found func(of series, start int64, t *tally)) (since, until int64, err error) {
	var keptFrom, minutesFrom int64
	if err := db.QueryRowContext(ctx, `SELECT kept_from, minutes_from FROM state`).Scan(&keptFrom, &minutesFrom); err != nil {
		return 0, 0, err
	}
	since, until = filter.bounds(keptFrom, minutesFrom)
	known, err := chosenSeries(ctx, db, filter)
	if err != nil {
		return 0, 0, err
	}
	for _, s := range cover(since, until, spans) {
		if err := readStretch(ctx, db, s, known, found); err != nil {
			return 0, 0, err
		}
	}
	return since, until, nil
}

func chosenSeries(ctx context.Context, db querier, filter Filter) (map[int64]series, error) {
	rows, err := db.QueryContext(ctx, `SELECT id, tool, client, outcome, failed, variant FROM series`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	known := map[int64]series{}
	for rows.Next() {
		var (
			id int64
			s  series
		)
		if err := rows.Scan(&id, &s.tool, &s.client, &s.outcome, &s.failed, &s.variant); err != nil {
			return nil, err
		}
		if filter.chooses(s) {
			known[id] = s
		}
	}
	return known, rows.Err()
}

// stretchQuery reads the roll-ups of one span in a range.
const stretchQuery = `SELECT start, series, ` + tallyColumns + ` FROM rollup WHERE span = ? AND start >= ? AND start < ?`

func readStretch(ctx context.Context, db querier, s stretch, known map[int64]series, found func(of series, start int64, t *tally)) error {
	rows, err := db.QueryContext(ctx, stretchQuery, s.span, s.from, s.to)
	if err != nil {
		return fmt.Errorf("read roll-ups: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var start, id int64
		t := newTally()
		if err := t.scan(rows, &start, &id); err != nil {
			return fmt.Errorf("read roll-ups: %w", err)
		}
		if of, ok := known[id]; ok {
			found(of, start, t)
		}
	}
	return rows.Err()
}
