package answer

// ChunkLimits bound one chunk of a text.
type ChunkLimits struct {
	Tokens int // as Estimate has it, of the text as JSON
	Lines  int // begun or whole
}

// Chunk returns the limits of one chunk of a long text.
func (b Budget) Chunk() ChunkLimits { return ChunkLimits{Tokens: b.ChunkTokens, Lines: b.ChunkLines} }

// A Chunker cuts a Markdown text into chunks that join to the text byte for
// byte. It cuts before a heading, else after a paragraph, before a list item, at
// a line's or a sentence's end, the last of these that leaves the chunk at least
// half full; a longer text between them is cut at a space, else between
// characters. What fits a chunk and belongs together is never cut: a fenced
// block, a list item with all that is under it, a table, a paragraph, a sentence,
// a line. Where a chunk ends depends on the text before it, the limits and where
// it begins, and on nothing else. The time is linear in the text.
type Chunker struct {
	text   string
	limits ChunkLimits
	at     int
	blocks scanner
}

// NewChunker returns a chunker of the text whose next chunk begins at an offset.
func NewChunker(text string, offset int, limits ChunkLimits) *Chunker {
	limits.Tokens, limits.Lines = max(limits.Tokens, 1), max(limits.Lines, 1)
	return &Chunker{text: text, limits: limits, at: min(max(offset, 0), len(text)), blocks: scanner{text: text}}
}

// SetText gives a chunker back the text that it is of, or with "" takes it away
// until the next chunk is asked for, so that little is held of it.
func (c *Chunker) SetText(text string) { c.text, c.blocks.text = text, text }

// Next returns where the next chunk ends and the one after it begins.
func (c *Chunker) Next() int {
	begin := c.at
	end := c.window(begin)
	if end < len(c.text) {
		end = c.cut(begin, end)
	}
	c.at = end
	return end
}

// Rest counts the chunks that are left, and leaves none.
func (c *Chunker) Rest() int {
	n := 0
	for ; c.at < len(c.text); n++ {
		c.Next()
	}
	return n
}

// Next returns where the chunk of a text ends that begins at an offset.
func Next(text string, offset int, limits ChunkLimits) int {
	return NewChunker(text, offset, limits).Next()
}

// Count returns the number of chunks of a text from an offset on.
func Count(text string, offset int, limits ChunkLimits) int {
	return NewChunker(text, offset, limits).Rest()
}

// A rank says how good a place is to cut at.
type rank int8

const (
	poor      rank = iota // between a heading and what is under it
	wrapped               // at a line's end inside a sentence
	sentence              // behind a sentence
	lineEnd               // behind a line that stands for itself, or a line and a sentence
	item                  // before a list item
	paragraph             // behind a paragraph, a fenced block, a blank line
	heading               // before a heading
)

// cut returns the best place in (begin, end], the last place in the limits.
func (c *Chunker) cut(begin, end int) int {
	lines := c.blocks.between(begin, end)
	prose := c.proseAt(end, begin)
	half := begin + (end-begin)/2
	best, bestRank := 0, poor
	last, lastPoor := 0, 0
	consider := func(at int, r rank) {
		switch {
		case at <= begin || at > end:
		case at > half && r >= sentence && r >= bestRank:
			best, bestRank = at, r
		case r > wrapped:
			last = max(last, at)
		default:
			lastPoor = max(lastPoor, at)
		}
	}
	for _, l := range lines {
		if l.start > begin && l.start <= end && (prose == nil || l.inside != prose) && c.allowed(l.start, l.inside, begin) {
			consider(l.start, l.rank)
		}
	}
	var inline bool
	if prose != nil {
		inline = c.insideProse(prose, begin, end, consider)
	} else {
		inline = !c.lineFits(begin, end) && c.allowed(end, c.blocks.unitAt(end), begin)
	}
	const sparse = 8 // a chunk filled less than one part of so many is not worth its call
	switch {
	case best > 0:
		return best
	case last > begin+(end-begin)/sparse:
		return last
	case inline:
		return c.inLine(begin, end)
	case last > 0:
		return last
	case lastPoor > 0:
		return lastPoor
	}
	return c.inLine(begin, end)
}

// allowed reports whether a cut at an offset cuts nothing in two that fits.
func (c *Chunker) allowed(at int, u *unit, begin int) bool {
	for ; u != nil; u = u.parent {
		if u.start < at && c.fits(u, begin) && at < u.end {
			return false
		}
	}
	return true
}

// fits reports whether what of a unit is left from begin on fits a chunk.
func (c *Chunker) fits(u *unit, begin int) bool {
	from := max(u.start, begin)
	if u.judged && u.from == from {
		return u.fits
	}
	for u.end < 0 && c.blocks.lastText <= from+c.bytes() && c.blocks.step() {
	}
	u.judged, u.from = true, from
	u.fits = u.end > from && c.spanFits(from, u.end)
	return u.fits
}

// proseAt returns the paragraph that a cut at an offset would cut in two, nil
// when there is none or it must not be.
func (c *Chunker) proseAt(at, begin int) *unit {
	u := c.blocks.unitAt(at)
	for u != nil && u.table {
		if c.fits(u, begin) {
			return nil
		}
		u = u.parent
	}
	if u == nil || !u.prose || !c.allowed(at, u, begin) {
		return nil
	}
	return u
}
