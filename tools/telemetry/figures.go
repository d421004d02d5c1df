package telemetry

// figures works out percentiles and shares.
func (t *tally) figures() Figures {
	return Figures{
		Calls: t.calls, Errors: t.errors, Paginated: t.paginated, Summarized: t.summarized, Chunked: t.chunked,
		Oversized: t.oversized, SentOversized: t.over, Items: t.items, Bytes: int64(t.bytes), Original: int64(t.original), Tokens: int64(t.tokens),

		TokensP50: t.costs.percentile(50), TokensP95: t.costs.percentile(95),
		BytesP50: t.sizes.percentile(50), BytesP95: t.sizes.percentile(95),
		LatencyP50: Milliseconds(t.latencies.percentile(50)) / 1000,
		LatencyP95: Milliseconds(t.latencies.percentile(95)) / 1000,

		MeanBytes: share(t.bytes, t.calls), Reduction: share(t.original-t.bytes, t.original),
		PaginationShare: share(t.paginated, t.calls),
		ErrorShare:      share(t.errors, t.calls),
		OversizedShare:  share(t.oversized, t.calls),

		Estimate: Estimate{
			Sampled: t.sampled, Low: t.low,
			MeanError: share(t.off, t.sampled) / 1000,
			P95Error:  float64(t.offs.percentile(95)) / 1000,
		},
	}
}

// share is a part of a whole, 0 of nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
