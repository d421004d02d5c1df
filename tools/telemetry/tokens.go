package telemetry

import (
	"fmt"

	"issues-index/tools/o200k"
)

// maxCounted limits the texts that are counted, in bytes: counting takes about half
// a millisecond for 1000 bytes.
const maxCounted = 256 << 10

// maxEstimateError is the error of an estimate above which it is logged, in
// thousandths.
const maxEstimateError = 500

// countTokens counts the tokens of a call that was chosen for it. When the recorder
// closes there is no time left for counting.
func (w *queueWriter) countTokens(c *callRecord) {
	if c.Text == nil || w.isClosing() {
		return
	}
	c.realTokens = w.tokens(c.Text)
	if off := c.estimateError(); max(off, -off) > maxEstimateError {
		w.log.Warn("the estimate of an answer's tokens is far off", "tool", c.Tool, "estimated", c.Tokens,
			"counted", c.realTokens, "error", fmt.Sprintf("%+.0f%%", float64(off)/10), "bytes", c.Bytes)
	}
}

// tokens returns how many tokens a text has, 0 when that cannot be counted. A call
// that cannot be counted is still recorded, so no panic may pass.
func (w *queueWriter) tokens(text func() string) (n int) {
	defer func() {
		if recover() != nil {
			n = 0
		}
	}()
	answer := text()
	if len(answer) > maxCounted {
		return 0
	}
	return o200k.Count(answer)
}
