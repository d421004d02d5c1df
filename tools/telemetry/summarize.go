package telemetry

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
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

// narrow reports whether a filter leaves calls out that are in its range.
func (f Filter) narrow() bool {
	return f.Tool != "" || f.Client != "" || f.Outcome != "" || f.Variant != ""
}

func (f Filter) chooses(s series) bool {
	return (f.Tool == "" || f.Tool == s.tool) && (f.Client == "" || f.Client == s.client) &&
		(f.Variant == "" || f.Variant == s.variant) &&
		(f.Outcome == "" || f.Outcome == s.outcome || tools.Outcome(s.outcome).Has(tools.Outcome(f.Outcome)) || f.Outcome == AnyError && s.failed)
}

func summarize(ctx context.Context, db querier, filter Filter, by By) (Summary, error) {
	tallies := map[groupKey]*tally{}
	since, until, err := collect(ctx, db, filter, by, func(of series, start int64, k kept) error {
		key := by.key(of, start)
		if tallies[key] == nil {
			tallies[key] = &tally{}
		}
		return tallies[key].take(k)
	})
	if err != nil {
		return Summary{}, err
	}
	total := &tally{}
	summary := Summary{Since: unix(since), Until: unix(until), Groups: make([]Group, 0, len(tallies))}
	for key, t := range tallies {
		total.merge(t)
		group := Group{Key: key.name, Figures: t.figures()}
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

// A foundFunc takes a tally that was asked for.
type foundFunc func(of series, start int64, k kept) error

// collect reads the roll-ups that a filter chooses. It returns the range as it
// is rounded.
func collect(ctx context.Context, db querier, filter Filter, by By, found foundFunc) (since, until int64, err error) {
	var keptFrom, minutesFrom int64
	if err := db.QueryRowContext(ctx, `SELECT kept_from, minutes_from FROM state`).Scan(&keptFrom, &minutesFrom); err != nil {
		return 0, 0, err
	}
	since, until = filter.bounds(keptFrom, minutesFrom)
	known := map[int64]series{everything: {}}
	if by != ByHour && by != ByDay || filter.narrow() {
		if known, err = chosenSeries(ctx, db, filter); err != nil {
			return 0, 0, err
		}
	}
	ids, err := json.Marshal(slices.Sorted(maps.Keys(known)))
	if err != nil {
		return 0, 0, err
	}
	query, err := stretchQuery(ctx, db)
	if err != nil {
		return 0, 0, err
	}
	for _, s := range cover(since, until, by.spans()) {
		if err := readStretch(ctx, db, query, s, string(ids), known, found); err != nil {
			return 0, 0, fmt.Errorf("read roll-ups: %w", err)
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

// stretchQuery reads the roll-ups of one span in a range, of some series. A file
// that no server has written to since version 1 lacks a column.
func stretchQuery(ctx context.Context, db querier) (string, error) {
	var version int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return "", err
	}
	oversized := "oversized"
	if version < 2 {
		oversized = "0"
	}
	return `SELECT series, start, tally, ` + oversized + ` FROM rollup
		WHERE span = ? AND series IN (SELECT value FROM json_each(?)) AND start >= ? AND start < ?`, nil
}

func readStretch(ctx context.Context, db querier, query string, s stretch, ids string, known map[int64]series, found foundFunc) error {
	rows, err := db.QueryContext(ctx, query, s.span, ids, s.from, s.to)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			id, start int64
			blob      sql.RawBytes
			k         kept
		)
		if err := rows.Scan(&id, &start, &blob, &k.oversized); err != nil {
			return err
		}
		k.blob = blob
		if err := found(known[id], start, k); err != nil {
			return err
		}
	}
	return rows.Err()
}
