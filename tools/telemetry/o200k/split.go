package o200k

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pieceLength returns the length of a text's first piece, in bytes. The pieces are
// the matches of
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// the first of these that matches. None matches nothing, and one always matches.
func pieceLength(text string) int {
	first, width := decode(text)
	// A word may have one other character before it. Of a mark, which may be
	// either, the pattern first tries that.
	starts := []int{0}
	if first&(letter|number|lineEnd) == 0 {
		starts = []int{width, 0}
	}
	for _, word := range []func(string) int{lowerWord, upperWord} {
		for _, start := range starts {
			if n := word(text[start:]); n > 0 {
				n += start
				return n + contraction(text[n:])
			}
		}
	}
	if first&number != 0 {
		return run(text, number, 3)
	}
	start := 0
	if text[0] == ' ' {
		start = 1
	}
	if n := runWithout(text[start:], space|letter|number); n > 0 {
		n += start
		return n + len(text[n:]) - len(strings.TrimLeft(text[n:], "\r\n/"))
	}
	return whiteLength(text)
}

// whiteLength is the length of the first piece of a text that begins with white
// space: up to its last line end, else all but what goes with the next word.
func whiteLength(text string) int {
	white := text[:run(text, space, -1)]
	if last := strings.LastIndexAny(white, "\r\n"); last >= 0 {
		return last + 1
	}
	if _, width := utf8.DecodeLastRuneInString(white); len(white) < len(text) && len(white) > width {
		return len(white) - width
	}
	return len(white)
}

// lowerWord is the length of [Lu Lt Lm Lo M]*[Ll Lm Lo M]+ at the start of a text,
// 0 when it does not match.
func lowerWord(text string) int {
	uppers := run(text, upper, -1)
	if n := run(text[uppers:], lower, -1); n > 0 {
		return uppers + n
	}
	// Give back what may be either, and it alone: the next one was not lower.
	for uppers > 0 {
		r, width := utf8.DecodeLastRuneInString(text[:uppers])
		if kindOf(r)&lower != 0 {
			return uppers
		}
		uppers -= width
	}
	return 0
}

// upperWord is the length of [Lu Lt Lm Lo M]+[Ll Lm Lo M]* at the start of a text,
// 0 when it does not match.
func upperWord(text string) int {
	uppers := run(text, upper, -1)
	if uppers == 0 {
		return 0
	}
	return uppers + run(text[uppers:], lower, -1)
}

// contraction is the length of the one that a text begins with, 0 for none. The long
// s is an s to whoever disregards case.
func contraction(text string) int {
	for _, c := range []string{"'s", "'ſ", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if len(text) >= len(c) && strings.EqualFold(text[:len(c)], c) {
			return len(c)
		}
	}
	return 0
}

// run is the length of the characters that a text begins with and that are of one
// of the kinds, at most so many of them, -1 for any number.
func run(text string, kinds kind, most int) int {
	n := 0
	for ; n < len(text) && most != 0; most-- {
		k, width := decode(text[n:])
		if k&kinds == 0 {
			break
		}
		n += width
	}
	return n
}

// runWithout is the same of the characters that are of none of the kinds.
func runWithout(text string, kinds kind) int {
	n := 0
	for n < len(text) {
		k, width := decode(text[n:])
		if k&kinds != 0 {
			break
		}
		n += width
	}
	return n
}

// A kind is what the pattern tells characters apart by; one may be of several.
type kind uint8

const (
	upper   kind = 1 << iota // Lu Lt Lm Lo M
	lower                    // Ll Lm Lo M
	letter                   // L
	number                   // N
	space                    // white space
	lineEnd                  // \r \n
)

func decode(text string) (kind, int) {
	if text[0] < utf8.RuneSelf {
		return ascii[text[0]], 1
	}
	r, width := utf8.DecodeRuneInString(text)
	return kindOf(r), width
}

var ascii = func() (kinds [utf8.RuneSelf]kind) {
	for i := range kinds {
		kinds[i] = kindOf(rune(i))
	}
	return kinds
}()

func kindOf(r rune) (k kind) {
	switch {
	case unicode.In(r, unicode.Lu, unicode.Lt):
		k = upper | letter
	case unicode.Is(unicode.Ll, r):
		k = lower | letter
	case unicode.In(r, unicode.Lm, unicode.Lo):
		k = upper | lower | letter
	case unicode.IsMark(r):
		k = upper | lower
	case unicode.IsNumber(r):
		k = number
	case unicode.IsSpace(r):
		k = space
	}
	if r == '\r' || r == '\n' {
		k |= lineEnd
	}
	return k
}
