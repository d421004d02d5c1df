package telemetry

import "math/bits"

// AlertShare is the share of the last hour's answers that may be oversized without the
// guard before there is an alert. An hour with fewer than AlertCalls calls gives none:
// in it a single call exceeds the share.
const (
	AlertShare = 0.05
	AlertCalls = 20
)

// Figures summarize calls. The percentiles are off by 1.6 % at most. Shares of no calls
// are 0.
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
	a := Alert{Calls: f.Calls, Oversized: f.Oversized, Share: share(f.Oversized, f.Calls), Limit: AlertShare}
	a.Firing = a.Calls >= AlertCalls && a.Share > AlertShare
	return a
}

// An accumulator adds up the figures of calls.
type accumulator struct {
	sum         Figures // without percentiles and shares
	sumOfErrors int     // of the estimates, in thousandths

	latencies, tokens, bytes, errors logHistogram
}

func (a *accumulator) add(s *series, c *callRecord) {
	f := &a.sum
	f.Calls++
	f.Errors += s.failed
	f.Paginated += s.paginated
	f.Summarized += s.summarized
	f.Chunked += s.chunked
	if c.Oversized {
		f.Oversized++
	}
	if c.Over {
		f.SentOversized++
	}
	f.Items += c.Items
	f.Bytes += int64(c.Bytes)
	f.Original += int64(c.Original)
	f.Tokens += int64(c.Tokens)
	a.latencies.add(int(c.Latency.Microseconds()))
	a.tokens.add(c.Tokens)
	a.bytes.add(c.Bytes)
	if c.realTokens == 0 {
		return
	}
	off := c.estimateError()
	f.Estimate.Sampled++
	a.sumOfErrors += off
	a.errors.add(max(off, -off))
	if c.Tokens < c.realTokens {
		f.Estimate.Low++
	}
}

// figures returns the sums with percentiles and shares.
func (a *accumulator) figures() Figures {
	f := a.sum
	f.TokensP50, f.TokensP95 = a.tokens.percentile(50), a.tokens.percentile(95)
	f.BytesP50, f.BytesP95 = a.bytes.percentile(50), a.bytes.percentile(95)
	f.LatencyP50 = Milliseconds(a.latencies.percentile(50)) / 1000
	f.LatencyP95 = Milliseconds(a.latencies.percentile(95)) / 1000
	f.MeanBytes = share(f.Bytes, int64(f.Calls))
	f.Reduction = share(f.Original-f.Bytes, f.Original)
	f.PaginationShare = share(f.Paginated, f.Calls)
	f.ErrorShare = share(f.Errors, f.Calls)
	f.OversizedShare = share(f.Oversized, f.Calls)
	f.Estimate.MeanError = share(a.sumOfErrors, f.Estimate.Sampled) / 1000
	f.Estimate.P95Error = float64(a.errors.percentile(95)) / 1000
	return f
}

// share returns part / whole, 0 when whole is 0.
func share[N int | int64](part, whole N) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// A logHistogram counts values in buckets that grow with the values. Each value below
// exact has a bucket; from there on each power of two has exact/2 buckets. A bucket
// stands for the value in its middle, so a percentile is off by half a bucket at most:
// 1/64, or 1.6 %.
type logHistogram []int

const (
	exactBits   = 6
	exact       = 1 << exactBits
	perDoubling = exact / 2
)

// bucketOf returns the bucket of a value. Negative values count as 0.
func bucketOf(value int) int {
	if value < exact {
		return max(0, value)
	}
	power := bits.Len64(uint64(value)) - 1
	return exact + (power-exactBits)*perDoubling + value>>(power-exactBits+1) - perDoubling
}

// middleOf returns the value that a bucket stands for.
func middleOf(bucket int) int {
	if bucket < exact {
		return bucket
	}
	power := exactBits + (bucket-exact)/perDoubling
	width := 1 << (power - exactBits + 1)
	low := ((bucket-exact)%perDoubling + perDoubling) * width
	return low + (width-1)/2
}

func (h *logHistogram) add(value int) {
	bucket := bucketOf(value)
	if missing := bucket + 1 - len(*h); missing > 0 {
		*h = append(*h, make([]int, missing)...)
	}
	(*h)[bucket]++
}

// percentile returns the smallest value that this percentage of the values does not
// exceed, 0 when there are no values.
func (h logHistogram) percentile(percent int) int {
	total := 0
	for _, calls := range h {
		total += calls
	}
	seen := 0
	for bucket, calls := range h {
		if seen += calls; calls > 0 && seen*100 >= percent*total {
			return middleOf(bucket)
		}
	}
	return 0
}
