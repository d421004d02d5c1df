package telemetry

import "issues-index/tools/telemetry/o200k"

// maxCounted bounds the texts that are counted, in bytes: counting takes about a
// tenth of a millisecond for a thousand.
const maxCounted = 256 << 10

// A sample is a call whose tokens are to be counted, or a request to flush, which
// must not overtake one.
type sample struct {
	entry
	text  func() string
	flush chan struct{}
}

// count counts the tokens of samples, one at a time, until the recorder closes.
// There is no time left for counting then.
func (r *Recorder) count() {
	for {
		select {
		case s := <-r.samples:
			r.pass(s, !r.isClosing())
		case <-r.closing:
			for {
				select {
				case s := <-r.samples:
					r.pass(s, false)
				default:
					return
				}
			}
		}
	}
}

// pass hands a sample on to the writer, counted if there is time.
func (r *Recorder) pass(s sample, time bool) {
	if s.flush != nil {
		select {
		case r.flushes <- s.flush:
		case <-r.done:
		case <-r.closing: // all is written by then
		}
		return
	}
	if time {
		s.real, s.counted = countTokens(s.text)
	}
	r.enqueue(s.entry)
}

// countTokens returns how many tokens a text has, as a model's tokenizer does it, and
// whether that could be counted. Whatever goes wrong, the call is still to be kept.
func countTokens(text func() string) (tokens int, counted bool) {
	defer func() {
		if recover() != nil {
			tokens, counted = 0, false
		}
	}()
	answer := text()
	if len(answer) > maxCounted {
		return 0, false
	}
	return o200k.Count(answer), true
}
