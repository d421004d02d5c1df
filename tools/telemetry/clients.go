package telemetry

import (
	"context"
	"slices"
	"time"
)

// ActivityStep is the step in which a ClientActivity counts the last hour.
const ActivityStep = 5 * time.Minute

// A ClientActivity is what a client has called lately.
type ClientActivity struct {
	Client   string    // as on the record
	Last     time.Time // of its last call
	Calls    int       // of the day, as are Tokens
	Tokens   int64
	LastHour [time.Hour / ActivityStep]int // its calls in each step, the oldest first
}

// Clients says what each client has called since the beginning of the day, and in the hour before
// now. The client that has called last comes first.
func (l *Log) Clients(ctx context.Context, dawn, now time.Time) (all []ClientActivity, err error) {
	err = l.read(ctx, func(f recordFile) error {
		all, err = f.clients(ctx, dawn, now)
		return err
	})
	return all, err
}

func (f recordFile) clients(ctx context.Context, dawn, now time.Time) ([]ClientActivity, error) {
	hour := now.Add(-time.Hour)
	since := hour
	if dawn.Before(hour) {
		since = dawn
	}
	rows, err := f.QueryContext(ctx, `SELECT client, step, last, calls, today, tokens FROM (
		SELECT series, iif(time < ?1, -1, (time - ?1) / ?2) AS step, max(time) AS last, count(*) AS calls,
			sum(time >= ?3) AS today, sum(iif(time >= ?3, tokens, 0)) AS tokens
		FROM call WHERE time >= ?4 AND time < ?5 GROUP BY series, step
	) JOIN series ON series.id = series`,
		hour.UnixMilli(), ActivityStep.Milliseconds(), dawn.UnixMilli(), since.UnixMilli(), now.UnixMilli())
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []ClientActivity
	at := map[string]int{} // where a client is in all
	for rows.Next() {
		var client string
		var step, calls, today int
		var last, tokens int64
		if err := rows.Scan(&client, &step, &last, &calls, &today, &tokens); err != nil {
			return nil, err
		}
		i, known := at[client]
		if !known {
			i = len(all)
			at[client], all = i, append(all, ClientActivity{Client: client})
		}
		a := &all[i]
		a.Calls, a.Tokens = a.Calls+today, a.Tokens+tokens
		if called := time.UnixMilli(last).UTC(); called.After(a.Last) {
			a.Last = called
		}
		if step >= 0 {
			a.LastHour[step] += calls
		}
	}
	slices.SortFunc(all, func(a, b ClientActivity) int { return b.Last.Compare(a.Last) })
	return all, rows.Err()
}
