package search

import (
	"slices"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Fold returns the caseless form of s: two texts that differ in case only fold
// to the same string. Bytes that are not UTF-8 become U+FFFD; white space stays
// as it is.
func Fold(s string) string { return string(appendFold(nil, s)) }

// appendFold appends Fold(s) to dst.
func appendFold(dst []byte, s string) []byte {
	dst = slices.Grow(dst, len(s))
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		folded, _ := look(r)
		dst = utf8.AppendRune(dst, folded)
		i += size
	}
	return dst
}

// A class says what a rune is to the tokens.
type class uint8

const (
	separator class = iota
	// letter runes (letters, digits, marks) form a token as long as their run.
	letter
	// unspaced runes are of the scripts that write no spaces between words; their
	// runs are cut into overlapping pairs.
	unspaced
)

// unspacedRanges holds whole blocks: what is neither letter, number nor mark in
// them is a separator all the same. Blocks and not scripts, since the long
// vowel and voicing marks of kana belong to no script.
var unspacedRanges = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0E00, Hi: 0x0EFF, Stride: 1}, // Thai, Lao
		{Lo: 0x1000, Hi: 0x109F, Stride: 1}, // Myanmar
		{Lo: 0x1100, Hi: 0x11FF, Stride: 1}, // Hangul Jamo
		{Lo: 0x1780, Hi: 0x17FF, Stride: 1}, // Khmer
		{Lo: 0x2E80, Hi: 0x2FDF, Stride: 1}, // radicals
		{Lo: 0x3000, Hi: 0x31FF, Stride: 1}, // kana, Bopomofo, Hangul compatibility
		{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, // Han extension A
		{Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, // Han
		{Lo: 0xA960, Hi: 0xA97F, Stride: 1}, // Hangul Jamo extended A
		{Lo: 0xA9E0, Hi: 0xA9FF, Stride: 1}, // Myanmar extended B
		{Lo: 0xAA60, Hi: 0xAA7F, Stride: 1}, // Myanmar extended A
		{Lo: 0xAC00, Hi: 0xD7FF, Stride: 1}, // Hangul
		{Lo: 0xF900, Hi: 0xFAFF, Stride: 1}, // Han compatibility
		{Lo: 0xFF66, Hi: 0xFFDC, Stride: 1}, // half-width kana and Hangul
	},
	R32: []unicode.Range32{
		{Lo: 0x1AFF0, Hi: 0x1B16F, Stride: 1}, // kana extensions
		{Lo: 0x20000, Hi: 0x3FFFF, Stride: 1}, // Han extensions
	},
}

// A runePage holds what is known of 256 consecutive runes: the folded rune in the
// low bits, its class from classShift up.
type runePage [256]uint32

const classShift = 24

// pages are made when first asked for: the Unicode tables behind them are too
// slow to ask for every rune of a text, and too large to read at every start.
var pages [(unicode.MaxRune + 1) / 256]atomic.Pointer[runePage]

// look returns the folded form of r and the class of that form. r is a valid rune.
func look(r rune) (rune, class) {
	p := pages[r>>8].Load()
	if p == nil {
		p = newPage(r &^ 0xFF)
		pages[r>>8].Store(p)
	}
	entry := p[r&0xFF]
	return rune(entry & (1<<classShift - 1)), class(entry >> classShift)
}

func newPage(first rune) *runePage {
	p := new(runePage)
	for i := range p {
		folded := foldRune(first + rune(i))
		p[i] = uint32(folded) | uint32(classOf(folded))<<classShift
	}
	return p
}

// foldRune goes by way of the upper case, so that letters with two lower-case
// forms (s and ſ, σ and ς) come out equal.
func foldRune(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

func classOf(r rune) class {
	switch {
	case unicode.Is(unicode.Variation_Selector, r):
		// A mark by its category, but it says how to draw the emoji before it and is
		// part of no word.
		return separator
	case !unicode.In(r, unicode.L, unicode.N, unicode.M):
		return separator
	case unicode.Is(unspacedRanges, r):
		return unspaced
	}
	return letter
}
