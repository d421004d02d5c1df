package answer

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// bytes is the most bytes of a chunk.
func (c *Chunker) bytes() int { return c.limits.Tokens * 10 / 3 }

// window returns the last place in the limits for a chunk to end, at least one
// character on, and not between the two of a CRLF.
func (c *Chunker) window(begin int) int {
	end := c.room(begin)
	if end > begin && end < len(c.text) && c.text[end-1] == '\r' && c.text[end] == '\n' {
		end--
	}
	if end == begin && end < len(c.text) {
		if strings.HasPrefix(c.text[begin:], "\r\n") {
			return begin + 2
		}
		_, width := utf8.DecodeRuneInString(c.text[begin:])
		end += width
	}
	return end
}

// room is the window, which may be empty or end between the two of a CRLF.
func (c *Chunker) room(begin int) int {
	left, lines, at := c.bytes(), 0, begin
	for at < len(c.text) {
		cost, width := escaped(c.text[at:])
		if left -= cost; left < 0 {
			break
		}
		at += width
		if c.text[at-1] == '\n' {
			if lines++; lines == c.limits.Lines {
				break
			}
		}
	}
	return at
}

// spanFits reports whether a part of the text fits a chunk.
func (c *Chunker) spanFits(from, to int) bool {
	span := c.text[from:to]
	if len(span) > c.bytes() || Escaped(span) > c.bytes() {
		return false
	}
	lines := strings.Count(span, "\n")
	if !strings.HasSuffix(span, "\n") {
		lines++
	}
	return lines <= c.limits.Lines
}

// lineFits reports whether what of the line around an offset is left from begin
// on fits a chunk. An offset between two lines cuts neither.
func (c *Chunker) lineFits(begin, at int) bool {
	i := c.blocks.index(at)
	from, to := c.blocks.lines[i].start, c.blocks.pos
	if i+1 < len(c.blocks.lines) {
		to = c.blocks.lines[i+1].start
	}
	return from == at || c.spanFits(max(from, begin), to)
}

// Escaped returns the bytes of a text as a JSON string, without its quotes.
func Escaped(text string) int {
	n := 0
	for at := 0; at < len(text); {
		if b := text[at]; b < utf8.RuneSelf {
			n, at = n+int(escapes[b]), at+1
			continue
		}
		cost, width := escaped(text[at:])
		n, at = n+cost, at+width
	}
	return n
}

const unicodeEscape = len(`\u0000`)

// escapes holds the bytes of each ASCII character in JSON.
var escapes = func() (costs [utf8.RuneSelf]uint8) {
	for b := range costs {
		switch {
		case strings.IndexByte("\"\\\n\r\t\b\f", byte(b)) >= 0:
			costs[b] = 2
		case b < ' ':
			costs[b] = uint8(unicodeEscape)
		default:
			costs[b] = 1
		}
	}
	return costs
}()

// escaped returns the bytes of a text's first character in JSON, and in itself.
func escaped(text string) (cost, width int) {
	if b := text[0]; b < utf8.RuneSelf {
		return int(escapes[b]), 1
	}
	r, width := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && width == 1 || r == '\u2028' || r == '\u2029' {
		return unicodeEscape, width
	}
	return width, width
}

// inLine returns where to cut inside a line that must be: behind the last space
// of the window's second half, else between two characters as a reader sees them.
func (c *Chunker) inLine(begin, end int) int {
	if end == len(c.text) || c.text[end-1] == '\n' {
		return end
	}
	half := begin + (end-begin)/2
	if space := strings.LastIndexAny(c.text[half:end], " \t"); space >= 0 {
		return half + space + 1
	}
	const longest = 256 // bytes of a character with its marks; what is longer is cut
	from := max(begin, end-longest)
	for from < end && !utf8.RuneStart(c.text[from]) {
		from++
	}
	at := from
	rest, state := c.text[from:min(len(c.text), end+longest)], -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if at+len(cluster) > end {
			break
		}
		at += len(cluster)
	}
	if at > from {
		return at
	}
	return end
}
