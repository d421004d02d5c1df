package answer

import (
	"strings"
	"unicode"
)

// shapeOf returns the shape of how a line begins, by which the lines of a log
// are told from prose: neighbours of one shape stand each for itself. It is ""
// for what prose may begin with.
func shapeOf(line string) string {
	const enough = 80
	const stamp = 3 // words that a time may stand in
	words := make([]string, 0, stamp)
	for word := range strings.FieldsSeq(line[:min(len(line), enough)]) {
		if words = append(words, word); len(words) == stamp {
			break
		}
	}
	if len(words) == 0 {
		return ""
	}
	first := strings.TrimRight(words[0], ",.;)!?'\"”’")
	switch {
	case strings.HasPrefix(first, "{"):
		return "{"
	case isLevel(first):
		return "LEVEL"
	case strings.ContainsAny(first, "0123456789=[<{/\\|@#$%:"):
		return contour(first)
	case len(words) == stamp && (strings.Contains(words[1], ":") || strings.Contains(words[2], ":")):
		if s := contour(strings.Join(words, " ")); strings.Contains(s, "9:9") {
			return s
		}
	}
	return ""
}

// contour replaces runs of digits by 9 and runs of letters by a.
func contour(text string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			r = '9'
		case unicode.IsLetter(r):
			r = 'a'
		}
		if r != last || r != '9' && r != 'a' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// isLevel reports whether a word is how grave a log has an entry.
func isLevel(word string) bool {
	switch strings.Trim(word, "[]:|") {
	case "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "PANIC":
		return true
	}
	return false
}
