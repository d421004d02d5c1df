// Package guard measures answers and keeps them within what an agent's context
// can take: what a call may cost, what an answer does cost, where a long text
// may be cut, how an answer that is still too large is cut in the end, and how
// the texts of others are told apart in it.
//
// It knows nothing of MCP, of documents or of single tools; it is functions over
// text and JSON. Its invariants: what fits is not touched; an id, a path, a
// cursor and a sentence that says how to go on are never cut; joined chunks are
// the text, byte for byte.
package answer

import "math"

// The limits that hold unless the configuration says otherwise.
const (
	DefaultThreshold   = 4000  // tokens an answer may cost
	DefaultMaxTokens   = 25000 // tokens that a call may ask for
	DefaultBytes       = 10000 // bytes of each channel
	DefaultLines       = 256   // lines of each channel
	DefaultChunkTokens = 2000  // tokens of one chunk of a long text
	defaultChunkLines  = 200   // lines of one chunk
)

// What every answer may cost, however little a call asks for: enough for an
// error, or for a document's id, title and the sentence how to go on.
const (
	MinTokens = 300
	minBytes  = 1000
	minLines  = 20
)

// Settings are what an operator sets. A value is never changed: a new one takes
// its place, so that a call works with one from its beginning to its end.
type Settings struct {
	Threshold   int // tokens
	MaxTokens   int // tokens
	Bytes       int // of each channel
	Lines       int // of each channel
	ChunkTokens int // tokens
	PageSize    int // rows of a page when a call names no limit
	MaxPageSize int // rows of a page at most

	// ExplicitBytes says that somebody chose Bytes: no limit of a client lowers it.
	ExplicitBytes bool

	Off    bool // answers are measured only
	Shadow bool // answers are sent as without a guard, and measured as with it

	Variant string // of an experiment, for the record; "" says on, off or shadow

	Tools map[string]Flags // of the tools whose flags are not all set
}

// Flags say what the guard may do to a tool's answers.
type Flags struct {
	Pagination    bool // fewer rows and a cursor
	Summarization bool // less of each row, or of a field
	Chunking      bool // a long text in parts
}

// Defaults returns the settings of a server that is told nothing.
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

// Budget is what one call of a tool may cost. maxTokens, when not 0, is what the
// call asks for in place of the threshold, between MinTokens and the maximum;
// the other limits go with it.
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

// TokenLimit is what an answer may cost by the limit that binds first, that of its
// tokens or that of its bytes.
func (b Budget) TokenLimit() int { return min(b.Tokens, Estimate(b.Bytes)) }

// Unlimited is the budget of an answer that nobody bounds.
var Unlimited = Budget{Off: true}
