package answer

import (
	_ "embed" // the tables
	"encoding/base64"
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

// one is a token, in the parts that weights are added up in.
const one = 63

// Weigh estimates the tokens of a text from what it is made of, one character
// after the other. Hexadecimal, base64, tables of numbers, emoji and rare scripts
// cost a model up to a token a byte, prose a quarter of one: Estimate is made for
// prose. It is a sum of how likely a token ends between two neighbours, learnt
// from o200k. The larger of the two is, for all texts of this package's tests, at
// most six in a hundred under the truth.
func Weigh(text string) int {
	tokens, _ := weighUpTo(text, math.MaxInt/one)
	return tokens
}

// light returns the length of the longest beginning of a text, of whole characters,
// that weighs at most so many tokens.
func light(text string, most int) int {
	_, end := weighUpTo(text, most)
	return end
}

// weighUpTo weighs a text up to the character with which it weighs more than so many
// tokens, and returns where that begins.
func weighUpTo(text string, most int) (tokens, end int) {
	weight, seldom, digits := one, 0, 0
	before, mixed := byte(' '), false
	pairs := pairs()
	for i := 0; i < len(text); {
		begin, c := i, text[i]
		i++
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[begin:])
			if size == 1 && !utf8.FullRuneInString(text[begin:]) {
				// Half a character at the end: a beginning never weighs more.
				if tokens = min((weight+one-1)/one, len(text)); tokens > most {
					return tokens, begin
				}
				return tokens, len(text)
			}
			weight += runeWeight(r, size, before)
			c, seldom, mixed = after(r), 0, false
			i = begin + size
		case isDigit(c) && isDigit(before):
			// Digits come in threes.
			if digits++; digits%3 == 0 {
				weight += one
			}
		case isSmall(c) && isSmall(before):
			// Letters that seldom meet, one after the other, are no word.
			cost := int(pairs[before][c])
			if mixed {
				cost = max(cost, one*2/5)
			}
			weight += min(one, cost+cost/8+cost*seldom/one)
			seldom = cost
		default:
			weight += int(pairs[before][c])
			seldom, digits = 0, 0
			// Letters after a digit are of a number or a key, whatever they spell.
			mixed = isLetter(c) && (mixed || isDigit(before))
		}
		if before = c; weight > most*one && i > most {
			return (weight + one - 1) / one, begin
		}
	}
	return min((weight+one-1)/one, len(text)), len(text)
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isSmall(c byte) bool  { return c >= 'a' && c <= 'z' }
func isLetter(c byte) bool { return isSmall(c | 0x20) }

// What stands for a character that is not ASCII, before the next one: the weight
// of a letter has the end of its word in it, that of a sign has not.
const (
	afterSign   = 0
	afterLetter = 1
)

func after(r rune) byte {
	if r < 0x2000 || r >= 0x3041 && r <= 0xD7FF {
		return afterLetter
	}
	return afterSign
}

// pairs holds, for each two ASCII characters, how likely a token ends between
// them. Row and column 0 stand for whatever is not ASCII.
var pairs = sync.OnceValue(func() *[utf8.RuneSelf][utf8.RuneSelf]uint8 { return readPairs(pairTable) })

// pairTable has a line for each printable character, space first, then for the
// line end, the tabulator and for signs that are not ASCII; each with a column for each
// of the same characters. A column is a digit of base64, in 63rds of a token.
//
//go:embed pairs.txt
var pairTable string

const (
	pairCharacters = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\n\t\x00"
	pairDigits     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
)

func readPairs(table string) *[utf8.RuneSelf][utf8.RuneSelf]uint8 {
	costs := new([utf8.RuneSelf][utf8.RuneSelf]uint8)
	for a := range costs {
		for b := range costs[a] {
			costs[a][b] = one // of control characters
		}
	}
	rows := strings.Fields(table)
	for i, row := range rows[:min(len(rows), len(pairCharacters))] {
		for j, digit := range []byte(row[:min(len(row), len(pairCharacters))]) {
			costs[pairCharacters[i]][pairCharacters[j]] = uint8(max(0, strings.IndexByte(pairDigits, digit)))
		}
	}
	costs[afterLetter] = costs[' ']
	return costs
}

// A script is a range of characters that cost about the same.
type script struct {
	last   rune
	weight int // of one character, among others of its kind that come at random
}

// scripts cover all there is from U+0080 on, in order. Text of the scripts that
// people write much costs a third to a half of this: for it, Estimate decides.
var scripts = []script{
	{0xBF, one}, {0xFF, one}, {0x17F, 90}, {0x36F, 125}, {0x3FF, 51}, {0x42F, 60}, {0x45F, 50}, {0x52F, 118},
	{0x58F, 62}, {0x5FF, 50}, {0x6FF, 56}, {0x8FF, 2 * one}, {0x97F, 72}, {0xAFF, 84}, {0xB7F, 96}, {0xBFF, 96},
	{0xC7F, 88}, {0xDFF, 84}, {0xE7F, 70}, {0xFFF, 127}, {0x109F, 84}, {0x10FF, 56}, {0x11FF, 3 * one},
	{0x177F, 2 * one}, {0x17FF, 96}, {0x1DFF, 3 * one}, {0x1EFF, 106}, {0x1FFF, 2 * one},
	{0x200F, one}, {0x2027, one}, {0x218F, 2 * one}, {0x25FF, 127}, {0x26FF, 142}, {0x27FF, 127}, {0x2BFF, 3 * one}, {0x2FFF, 3 * one}, {0x303F, 108}, {0x30FF, 74},
	{0x4DFF, 3 * one}, {0x9FFF, 2 * one}, {0xABFF, 3 * one}, {0xD7FF, 145}, {0xFDFF, 3 * one}, {0xFE0F, 120},
	{0xFEFF, 2 * one}, {0xFFEF, 104}, {0xFFFF, one}, {0x1CFFF, 4 * one}, {0x1DFFF, 3 * one}, {0x1EFFF, 4 * one},
	{0x1F2FF, 3 * one}, {0x1FAFF, 160}, {utf8.MaxRune, 4 * one},
}

func runeWeight(r rune, size int, before byte) int {
	switch {
	case size == 1: // no UTF-8
		return one
	case common(r):
		return 70
	case before >= ' ' && (r >= 0xC0 && r <= 0x17F || r >= 0x1EA0 && r <= 0x1EFF):
		return 66 // a marked letter in a word of plain ones
	}
	low, high := 0, len(scripts)-1
	for low < high {
		if middle := (low + high) / 2; scripts[middle].last < r {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return scripts[low].weight
}

// commonTable has a bit for each character of the Chinese and Korean blocks: set
// when it alone is a token, as those are that people write. It is base64.
//
//go:embed common.txt
var commonTable string

var commonBits = sync.OnceValue(func() []byte {
	bits, _ := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(commonTable), ""))
	return bits
})

const (
	firstHan, lastHan       = 0x4E00, 0x9FFF
	firstHangul, lastHangul = 0xAC00, 0xD7A3
)

func common(r rune) bool {
	var bit int
	switch {
	case r >= firstHan && r <= lastHan:
		bit = int(r - firstHan)
	case r >= firstHangul && r <= lastHangul:
		bit = lastHan - firstHan + 1 + int(r-firstHangul)
	default:
		return false
	}
	bits := commonBits()
	return bit/8 < len(bits) && bits[bit/8]>>(bit%8)&1 == 1
}
