package answer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"issues-index/store/words"
)

// What a cut line keeps at least, in characters.
const (
	lineAtFirst = 400
	lineAtLast  = 60
)

// Squeeze cuts the text of an answer until it fits: lines that are very long, then whole
// lines before its end. The first line and the last, which say what was found and how to
// go on, stay if possible; with a mark the last stays only if it is the server's own. A
// line in place of what is missing, below the mark, says how much that is, and the hint
// how to get it. A text that fits is returned as it is.
func (m Mark) Squeeze(text, hint string, fits func(string) bool) string {
	if fits(text) {
		return text
	}
	first, middle, last := m.parts(strings.Split(strings.TrimRight(text, "\n"), "\n"))
	var best string
	try := func(width, shown, ends int) bool {
		ends = min(ends, max(width, lineAtFirst))
		var out strings.Builder
		characters := 0
		put := func(line string, most int) {
			if len(line)-saving > most { // else it need not be counted
				if runes := utf8.RuneCountInString(line); runes-saving > most {
					characters += runes - most
					line = shortened(line, runes, most)
				}
			}
			out.WriteString(line)
			out.WriteByte('\n')
		}
		put(first, ends)
		for _, line := range middle[:shown] {
			put(line, width)
		}
		head := out.Len()
		for _, line := range last {
			put(line, ends)
		}
		var cut []string
		if left := len(middle) - shown; left > 0 {
			cut = append(cut, words.Count(left, "line"))
		}
		if characters > 0 {
			cut = append(cut, fmt.Sprintf("%d characters of long lines", characters))
		}
		note := strings.TrimSpace(string(m) + "\n(Too large: " + strings.Join(cut, " and ") + " left out. " + hint + ")")
		written := out.String()[:head] + note + "\n" + out.String()[head:]
		written = strings.TrimSuffix(written, "\n")
		if !fits(written) {
			return false
		}
		best = written
		return true
	}
	_ = largest(lineAtFirst, len(text), func(n int) bool { return try(n, len(middle), len(text)) }) ||
		largest(0, len(middle), func(n int) bool { return try(lineAtFirst, n, len(text)) }) ||
		largest(lineAtLast, lineAtFirst, func(n int) bool { return try(lineAtFirst, 0, n) }) ||
		largest(0, len(text), func(n int) bool {
			for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
				n--
			}
			if !fits(text[:n]) {
				return false
			}
			best = text[:n]
			return true
		})
	return best
}

// parts returns the first line, the lines that may be left out, and those at the end that
// may not: none when the text of somebody else ends the answer.
func (m Mark) parts(lines []string) (first string, middle, last []string) {
	first, rest := lines[0], lines[1:]
	end := len(rest)
	switch ended := m.ended(rest); {
	case m != "" && ended >= 0:
		return first, rest[:ended], rest[ended+1:]
	case m != "" || end == 0:
		return first, rest, nil
	case end > 1 && strings.HasPrefix(rest[end-1], "Note: "):
		end-- // a note stands after the sentence that says how to go on
	}
	return first, rest[:end-1], rest[end-1:]
}
