package telemetry

// join adds another sum.
func (s *sum) join(other *sum) {
	s.merge(&other.tally)
	s.errors += other.errors
	s.paginated += other.paginated
	s.summarized += other.summarized
	s.chunked += other.chunked
}

// figures works out percentiles and shares.
func (s *sum) figures() Figures {
	return Figures{
		Calls: s.calls, Errors: s.errors, Paginated: s.paginated, Summarized: s.summarized, Chunked: s.chunked,
		Oversized: s.over, Items: s.items, Bytes: s.bytes, Original: s.original, Tokens: s.tokens,

		TokensP50: s.costs.percentile(50), TokensP95: s.costs.percentile(95),
		BytesP50: s.sizes.percentile(50), BytesP95: s.sizes.percentile(95),
		LatencyP50: Milliseconds(s.latencies.percentile(50)) / 1000,
		LatencyP95: Milliseconds(s.latencies.percentile(95)) / 1000,

		MeanBytes: share(s.bytes, int64(s.calls)), Reduction: share(s.original-s.bytes, s.original),
		PaginationShare: share(int64(s.paginated), int64(s.calls)),
		ErrorShare:      share(int64(s.errors), int64(s.calls)),
		OversizedShare:  share(int64(s.over), int64(s.calls)),

		Estimate: Estimate{
			Sampled: s.sampled, Low: s.low,
			MeanError: share(int64(s.error), int64(s.sampled)) / 1000,
			P95Error:  float64(s.tally.errors.percentile(95)) / 1000,
		},
	}
}

// share is a part of a whole, 0 of nothing.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
