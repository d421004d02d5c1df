package telemetry

// AlertShare is the share of the last hour's answers that may be oversized without the
// guard before there is an alert. An hour with fewer than AlertCalls calls gives none:
// in it a single call exceeds the share.
const (
	AlertShare = 0.05
	AlertCalls = 20
)

// Figures summarize calls. A percentile is the smallest value that so many percent of all do
// not exceed. Shares of no calls are 0.
type Figures struct {
	Calls      int `json:"calls"`
	Errors     int `json:"errors"`
	Paginated  int `json:"paginated"`
	Summarized int `json:"summarized"`
	Chunked    int `json:"chunked"`

	// Oversized counts the answers that would have been larger than their budget
	// without the guard, SentOversized those that were sent so. The latter should be 0
	// while the guard is on.
	Oversized     int `json:"oversized"`
	SentOversized int `json:"sentOversized"`

	Items    int   `json:"items"`
	Bytes    int64 `json:"bytes"`
	Original int64 `json:"originalBytes"` // what Bytes would be without budgets
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

// An Estimate compares the estimated tokens of a sample of the calls with those that a
// tokenizer counted. An error is (estimated - counted) / counted.
type Estimate struct {
	Sampled   int     `json:"sampled"`
	Low       int     `json:"low"`       // calls whose estimate was too low
	MeanError float64 `json:"meanError"` // positive when estimates are too high
	P95Error  float64 `json:"p95Error"`  // of the errors without their sign
}

// An Alert says whether too many answers would have been oversized.
type Alert struct {
	Firing    bool    `json:"firing"`
	Calls     int     `json:"calls"`
	Oversized int     `json:"oversized"`
	Share     float64 `json:"share"`
	Limit     float64 `json:"limit"` // AlertShare
}

// Alert returns the alert for the figures of an hour.
func (f Figures) Alert() Alert {
	a := Alert{Calls: f.Calls, Oversized: f.Oversized, Limit: AlertShare}
	if f.Calls > 0 {
		a.Share = float64(f.Oversized) / float64(f.Calls)
	}
	a.Firing = a.Calls >= AlertCalls && a.Share > AlertShare
	return a
}
