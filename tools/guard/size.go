package guard

import "strings"

// A Size is what one channel of an answer costs.
type Size struct {
	Bytes  int
	Lines  int
	Weight int // tokens, estimated from what the text is made of
}

// Measure returns what a text costs.
func Measure(text string) Size {
	return Size{Bytes: len(text), Lines: strings.Count(text, "\n") + 1, Weight: Weigh(text)}
}

// Estimate returns about how many tokens so many bytes of a usual text cost, on
// the safe side: four characters a token and a fifth more.
func Estimate(bytes int) int { return (bytes*3 + 9) / 10 }

// Tokens is the estimate of a channel.
func (s Size) Tokens() int { return Estimate(s.Bytes) }

// Fits reports whether a channel of this size keeps to the budget.
func (b Budget) Fits(s Size) bool {
	return b.Off || s.Bytes <= b.Bytes && s.Lines <= b.Lines && s.Tokens() <= b.Tokens && s.Weight <= b.Tokens
}
