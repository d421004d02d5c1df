package telemetry

import (
	"context"
	"errors"
	"time"
)

// ErrNone says that there is no telemetry file: nothing was recorded yet, or
// recording is off.
var ErrNone = errors.New("no telemetry yet")

// AlertShare is the share of an hour's answers above which something is wrong with
// the limits, or with what is asked for, when they would be oversized without the guard. AlertCalls is how many calls an hour
// must have to say so: with fewer, a single one is more than that share.
const (
	AlertShare = 0.05
	AlertCalls = 20
)

// A Log reads a telemetry file. It opens the file for each question, read-only,
// so that it may come, go and be replaced between them.
type Log struct {
	Path string
	// Instead is where the file may be when it is not at Path. The first one
	// that is there is read.
	Instead []string
	Now     func() time.Time // nil is time.Now
}

// A Filter chooses calls; what is "" or zero chooses all. Since is rounded down
// and Until up to a whole minute, and to a whole hour where they lie more than
// two days back.
type Filter struct {
	Tool    string
	Client  string
	Outcome string
	Variant string
	Since   time.Time // the first moment
	Until   time.Time // the first moment after
}

// By is what calls are grouped by.
type By string

// The ways to group. Hours and days are those of UTC.
const (
	ByTool    By = "tool"
	ByOutcome By = "outcome"
	ByHour    By = "hour"
	ByDay     By = "day"
	ByClient  By = "client"
	ByVariant By = "variant"
)

// Groupings lists the ways to group, the default first.
func Groupings() []By { return []By{ByTool, ByOutcome, ByHour, ByDay, ByClient, ByVariant} }

// Figures are what is known of some calls. The percentiles are off by 1.6 % at
// most; shares of no calls are 0.
type Figures struct {
	Calls      int `json:"calls"`
	Errors     int `json:"errors"`
	Paginated  int `json:"paginated"`
	Summarized int `json:"summarized"`
	Chunked    int `json:"chunked"`

	// Oversized answers would have been larger than their budget without the guard.
	// Those that were sent so should be none while it is on.
	Oversized     int `json:"oversized"`
	SentOversized int `json:"sentOversized"`

	Items    int   `json:"items"`
	Bytes    int64 `json:"bytes"`
	Original int64 `json:"originalBytes"` // Bytes, had there been no budget
	Tokens   int64 `json:"tokens"`        // estimated

	TokensP50  int          `json:"tokensP50"`
	TokensP95  int          `json:"tokensP95"`
	BytesP50   int          `json:"bytesP50"`
	BytesP95   int          `json:"bytesP95"`
	LatencyP50 Milliseconds `json:"latencyMsP50"`
	LatencyP95 Milliseconds `json:"latencyMsP95"`

	MeanBytes       float64 `json:"meanBytes"`
	Reduction       float64 `json:"reduction"` // 1 - Bytes / Original
	PaginationShare float64 `json:"paginationShare"`
	ErrorShare      float64 `json:"errorShare"`
	OversizedShare  float64 `json:"oversizedShare"`

	Estimate Estimate `json:"estimate"`
}

// Milliseconds is a latency.
type Milliseconds float64

// An Estimate says how the estimated tokens of a sample of the calls compare
// with those that a tokenizer counts. An error is (estimated - real) / real.
type Estimate struct {
	Sampled   int     `json:"sampled"`
	Low       int     `json:"low"`       // estimated fewer tokens than there are
	MeanError float64 `json:"meanError"` // above 0: estimated more than there are
	P95Error  float64 `json:"p95Error"`  // whatever its sign
}

// A Group are the calls of one tool, outcome, hour and so on.
type Group struct {
	Key   string    `json:"key"`            // of an hour or a day: its begin, in RFC 3339
	Start time.Time `json:"start,omitzero"` // of an hour or a day
	Figures
}

// A Summary are figures over all that a filter chooses, and by group. Hours and
// days are in their order, without those that have no calls; other groups have
// the one with the most calls first.
type Summary struct {
	Since  time.Time `json:"since,omitzero"` // as rounded
	Until  time.Time `json:"until,omitzero"` // as rounded
	Total  Figures   `json:"total"`
	Groups []Group   `json:"groups"`
}

// Summary answers what a filter chooses, grouped.
func (l *Log) Summary(ctx context.Context, filter Filter, by By) (summary Summary, err error) {
	err = l.read(ctx, func(db querier) error {
		summary, err = summarize(ctx, db, filter, by)
		return err
	})
	return summary, err
}

// A Difference sets the calls of one tool under two variants of the settings side
// by side.
type Difference struct {
	Tool string  `json:"tool"`
	A    Figures `json:"a"`
	B    Figures `json:"b"`
}

// A Comparison is of two variants: over all tools, and tool by tool.
type Comparison struct {
	A     string       `json:"a"`
	B     string       `json:"b"`
	Total Difference   `json:"total"`
	Tools []Difference `json:"tools"`
}

// Compare sets two variants side by side. The filter's own variant does not count.
func (l *Log) Compare(ctx context.Context, filter Filter, a, b string) (comparison Comparison, err error) {
	err = l.read(ctx, func(db querier) error {
		comparison, err = compare(ctx, db, filter, a, b)
		return err
	})
	return comparison, err
}

// Variants lists the variants that a filter chooses, the one with the most calls
// first.
func (l *Log) Variants(ctx context.Context, filter Filter) ([]string, error) {
	summary, err := l.Summary(ctx, filter, ByVariant)
	variants := make([]string, len(summary.Groups))
	for i, g := range summary.Groups {
		variants[i] = g.Key
	}
	return variants, err
}

// An Alert is about the answers of the last hour that would have been oversized.
type Alert struct {
	Firing    bool    `json:"firing"`
	Calls     int     `json:"calls"`
	Oversized int     `json:"oversized"`
	Share     float64 `json:"share"`
}

// LastHour tells whether more than AlertShare of the last hour's answers would have
// been oversized, of AlertCalls calls at least.
func (l *Log) LastHour(ctx context.Context) (alert Alert, err error) {
	now := time.Now()
	if l.Now != nil {
		now = l.Now()
	}
	err = l.read(ctx, func(db querier) error {
		alert, err = lastHour(ctx, db, now)
		return err
	})
	return alert, err
}
