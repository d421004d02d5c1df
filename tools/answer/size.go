package answer

import "strings"

// A Size is what one channel of an answer costs.
type Size struct {
	Bytes  int
	Lines  int
	Weight int // tokens, estimated from what the text is made of
}

// Measure returns what a text costs. Should the weighing fail, the bytes alone
// are the measure: an answer is never lost to its own accounting.
func Measure(text string) (size Size) {
	size = Size{Bytes: len(text), Lines: strings.Count(text, "\n") + 1}
	defer func() { _ = recover() }()
	size.Weight = weigh(text)
	return size
}

// weigh is Weigh, but for the test in which it fails.
var weigh = Weigh

// Estimate returns about how many tokens so many bytes of a usual text cost, on
// the safe side: four characters a token and a fifth more.
func Estimate(bytes int) int { return (bytes*3 + 9) / 10 }

// Tokens is the estimate that an answer tells: of its bytes alone.
func (s Size) Tokens() int { return Estimate(s.Bytes) }

// Cost is the estimate that budgets are held to: of the bytes, or more when the
// text is made of what costs more.
func (s Size) Cost() int { return max(Estimate(s.Bytes), s.Weight) }

// Fits reports whether a channel of this size keeps to the budget, and would if
// it costs a little more than estimated.
func (b Budget) Fits(s Size) bool {
	return b.Off || s.Bytes <= b.Bytes && s.Lines <= b.Lines &&
		s.Cost() <= b.Tokens && s.Weight <= b.Tokens*(100-weightMargin)/100
}

// weightMargin is how many in a hundred a weight may be under the truth.
const weightMargin = 6

// Holds reports whether a text keeps to the budget. Of one that is too long it
// looks at no more than that.
func (b Budget) Holds(text string) bool { return !b.TooLong(text) && b.Fits(Measure(text)) }

// TooLong reports whether a text is over the budget whatever it is made of.
func (b Budget) TooLong(text string) bool {
	return !b.Off && (len(text) > b.Bytes || strings.Count(text, "\n") >= b.Lines)
}
