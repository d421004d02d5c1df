// Package answer says what an answer to an agent may cost, and makes it fit: fewer
// rows of a list, chunks of a long text, or a generic squeeze for anything else.
//
// It knows nothing of MCP, of single tools or of what an answer is about: it works on
// text and JSON. Its invariants: an answer that fits is not touched; ids, paths,
// cursors and the sentence that says how to go on are never cut; chunks join to their
// text byte for byte.
package answer

import (
	"math"
	"strings"
)

// The default limits.
const (
	DefaultThreshold   = 4000  // tokens an answer may cost
	DefaultMaxTokens   = 25000 // tokens that a call may ask for
	DefaultBytes       = 10000 // bytes of each channel
	DefaultLines       = 256   // lines of each channel
	DefaultChunkTokens = 2000  // tokens of one chunk of a long text
	defaultChunkLines  = 200   // lines of one chunk
)

// The smallest budget that a call can ask for: enough for an error, or for a
// document's id, its title and the sentence that says how to go on.
const (
	MinTokens = 300
	minBytes  = 1000
	minLines  = 20
)

// Settings are what an operator configures. They are never changed in place: a new
// value replaces them, so that a call works with the same settings from its beginning
// to its end.
type Settings struct {
	Threshold   int // tokens
	MaxTokens   int // tokens
	Bytes       int // of each channel
	Lines       int // of each channel
	ChunkTokens int // tokens
	PageSize    int // rows of a page when a call names no limit
	MaxPageSize int // rows of a page at most

	// ExplicitBytes says that Bytes was configured: a client's limit does not lower it.
	ExplicitBytes bool

	Off    bool // answers are only measured
	Shadow bool // answers are sent whole, and the record says what limits would have done

	Variant string // name of an experiment, for the record; "" records on, off or shadow

	Tools map[string]Flags // by tool; a tool that is missing has all flags set
}

// Flags say what may be done to a tool's answers so that they fit.
type Flags struct {
	Pagination    bool // fewer rows and a cursor
	Summarization bool // less of each row, or of a field
	Chunking      bool // a long text in parts
}

// Defaults returns the settings of a server without configuration.
func Defaults() *Settings {
	return &Settings{
		Threshold: DefaultThreshold, MaxTokens: DefaultMaxTokens, Bytes: DefaultBytes, Lines: DefaultLines,
		ChunkTokens: DefaultChunkTokens, PageSize: 25, MaxPageSize: 100,
	}
}

// A Budget is what one answer may cost, and how it may be made smaller.
type Budget struct {
	Off    bool // no limit at all
	Tokens int
	Bytes  int // of each channel
	Lines  int // of each channel

	ChunkTokens int
	ChunkLines  int

	Flags
}

// Budget returns what one call of a tool may cost. maxTokens, when not 0, replaces the
// threshold, within MinTokens and the maximum; the other limits grow or shrink with it.
func (s *Settings) Budget(tool string, maxTokens int) Budget {
	flags, ok := s.Tools[tool]
	if !ok {
		flags = Flags{Pagination: true, Summarization: true, Chunking: true}
	}
	scale := 1.0
	tokens := s.Threshold
	if maxTokens > 0 {
		tokens = max(MinTokens, min(maxTokens, s.MaxTokens))
		scale = float64(tokens) / float64(max(s.Threshold, 1))
	}
	scaled := func(n, least int) int { return max(least, int(math.Round(float64(n)*scale))) }
	return Budget{
		Off: s.Off || flags == Flags{}, Tokens: tokens,
		Bytes: scaled(s.Bytes, minBytes), Lines: scaled(s.Lines, minLines),
		ChunkTokens: scaled(s.ChunkTokens, MinTokens/2), ChunkLines: scaled(defaultChunkLines, minLines/2),
		Flags: flags,
	}
}

// Unlimited is the budget of an answer without limits.
var Unlimited = Budget{Off: true}

// TokenLimit is the number of tokens that an answer can have within both the limit of
// tokens and that of bytes.
func (b Budget) TokenLimit() int { return min(b.Tokens, Estimate(b.Bytes)) }

// A Size is what one channel of an answer costs.
type Size struct{ Bytes, Lines int }

// Measure returns what a text costs.
func Measure(text string) Size { return Size{len(text), strings.Count(text, "\n") + 1} }

// Tokens is the estimate of a channel's tokens.
func (s Size) Tokens() int { return Estimate(s.Bytes) }

// Estimate returns about how many tokens a text of so many bytes costs, on the safe
// side: four characters a token, and a fifth more.
func Estimate(bytes int) int { return (bytes*3 + 9) / 10 }

// Fits reports whether a channel of this size keeps to the budget.
func (b Budget) Fits(s Size) bool {
	return b.Off || s.Bytes <= b.Bytes && s.Lines <= b.Lines && s.Tokens() <= b.Tokens
}

// Holds reports whether a text keeps to the budget. It does not read a text that is
// too long.
func (b Budget) Holds(text string) bool {
	return b.Off || len(text) <= b.Bytes && b.Fits(Measure(text))
}
