package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown is how much of a client's own value an error repeats, in bytes.
const maxShown = 80

// Plain returns a value from a client in a form that fits an error: one short line.
func Plain(value string) string {
	value = Shown(strings.ToValidUTF8(value, "\uFFFD"))
	value = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, value)
	return CutBytes(value, maxShown)
}

// Quote is Plain in quotation marks.
func Quote(value string) string { return "'" + Plain(value) + "'" }

// Line returns text from outside as one line, without characters that control a terminal
// or change the direction of text.
func Line(text string) string {
	text = strings.Map(func(r rune) rune {
		const nonJoiner, joiner = '\u200c', '\u200d' // words and emoji are made with them
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == nonJoiner, r == joiner:
			return r
		case unicode.IsControl(r), unicode.In(r, unicode.Cf), r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
