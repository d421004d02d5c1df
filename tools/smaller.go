package tools

// Size is what an answer takes in bytes, in the larger of its channels.
func (r Result) Size() int {
	if r.Object > 0 {
		return max(len(r.Text), r.Object)
	}
	object, err := marshal(r.Structured)
	if err != nil {
		return len(r.Text)
	}
	return max(len(r.Text), len(object))
}

// Smaller makes an answer as it should be, at level 0, and where that does not
// fit makes it anew at one level after the other, each to hold less than the one
// before, until it does or the last is reached.
func (a *Args) Smaller(last int, answer func(level int) Result) Result {
	r := answer(0)
	if !a.Budget().Summarization || a.Fits(r) {
		return r
	}
	whole := r.Size()
	for level := 1; level <= last; level++ {
		if r = answer(level); a.Fits(r) {
			break
		}
	}
	r.Outcome, r.Original = OutcomeSummarized, whole
	return r
}
