package telemetry

import (
	"fmt"
	"log/slog"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec" // and not the package above, which brings four vocabularies
)

// maxCounted bounds the texts that are counted, in bytes: counting takes about
// half a millisecond for a thousand.
const maxCounted = 256 << 10

// maxMiss is the error of an estimate from which on it is logged, in thousandths.
const maxMiss = 500

// A sample is a call whose tokens are to be counted, or a request to flush, which
// must not overtake one.
type sample struct {
	entry
	text  func() string
	flush chan struct{}
}

// count counts the tokens of samples, one at a time, until the recorder closes.
// There is no time left for counting then.
func (r *Recorder) count(t *tokenizer, log *slog.Logger) {
	for {
		select {
		case s := <-r.samples:
			if r.isClosing() {
				t = nil
			}
			r.pass(s, t, log)
		case <-r.closing:
			for {
				select {
				case s := <-r.samples:
					r.pass(s, nil, log)
				default:
					return
				}
			}
		}
	}
}

// pass hands a sample on to the writer, counted when there is a tokenizer.
func (r *Recorder) pass(s sample, t *tokenizer, log *slog.Logger) {
	if s.flush != nil {
		select {
		case r.flushes <- s.flush:
		case <-r.done:
		case <-r.closing: // all is written by then
		}
		return
	}
	if t != nil {
		s.real, s.counted = t.count(s.text)
	}
	if off := s.missed(); off > maxMiss || off < -maxMiss {
		log.Warn("the estimate of an answer's tokens is far off", "tool", s.Tool, "estimated", s.Tokens, "counted", s.real,
			"error", fmt.Sprintf("%+.0f%%", float64(off)/10), "bytes", s.Bytes)
	}
	r.enqueue(s.entry)
}

// A tokenizer counts tokens as a model's does. It takes 7 MB, so it is made when
// the first call is sampled, which takes about 40 ms.
type tokenizer struct {
	once  sync.Once
	o200k *codec.Codec
}

// count returns how many tokens a text has, and whether that could be counted.
// Whatever goes wrong, the call is still to be kept.
func (t *tokenizer) count(text func() string) (tokens int, counted bool) {
	defer func() {
		if recover() != nil {
			tokens, counted = 0, false
		}
	}()
	answer := text()
	if len(answer) > maxCounted {
		return 0, false
	}
	t.once.Do(func() { t.o200k = codec.NewO200kBase() })
	tokens, err := t.o200k.Count(answer)
	return tokens, err == nil
}
