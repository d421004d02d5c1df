package words

import (
	"strings"
	"unicode"
)

// maxShown is how much of a client's own value an error repeats, in bytes.
const maxShown = 80

// Plain returns a value from a client in a form that fits an error: one short line, harmless
// like that of Line, with its spaces as they are.
func Plain(value string) string { return CutBytes(harmless(value), maxShown) }

// Quote is Plain in quotation marks.
func Quote(value string) string { return "'" + Plain(value) + "'" }

// Line returns text from outside as one line, harmless and with single spaces.
func Line(text string) string { return strings.Join(strings.Fields(harmless(text)), " ") }

// harmless returns text with each white space and line end as a space, and without what is hidden,
// controls a terminal or changes the direction of text. Bytes that are not UTF-8 become U+FFFD.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		const nonJoiner, joiner = '\u200c', '\u200d' // words and emoji are made with them
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == nonJoiner, r == joiner:
			return r
		case unicode.IsControl(r), unicode.In(r, unicode.Cf):
			return -1
		}
		return r
	}, Shown(text))
}
