package telemetry

// A stretch is a range of time that roll-ups of one span cover.
type stretch struct{ span, from, to int64 }

// bounds rounds a filter's range to what there are roll-ups of.
func (f Filter) bounds(keptFrom, minutesFrom int64) (since, until int64) {
	since, until = keptFrom, forever
	if !f.Since.IsZero() {
		since = max(keptFrom, floor(f.Since.Unix(), minute))
	}
	if !f.Until.IsZero() {
		until = min(forever, ceil(f.Until.UnixMilli(), minute*1000)/1000)
	}
	if since < minutesFrom {
		since = floor(since, hour)
	}
	if until < minutesFrom {
		until = ceil(until, hour)
	}
	return since, until
}

// cover covers a range with as few roll-ups as can be: the largest spans in the
// middle, smaller ones at the edges. The range has ends of the smallest span.
func cover(from, to int64, spans []int64) []stretch {
	if from >= to {
		return nil
	}
	span, smaller := spans[0], spans[1:]
	if len(smaller) == 0 {
		return []stretch{{span, from, to}}
	}
	begin, end := ceil(from, span), floor(to, span)
	if begin >= end {
		return cover(from, to, smaller)
	}
	stretches := append(cover(from, begin, smaller), stretch{span, begin, end})
	return append(stretches, cover(end, to, smaller)...)
}
