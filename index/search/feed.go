package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A run longer than maxToken runes (base64, a minified line) becomes windows of
// that many, each windowStep after the one before, so that the vocabulary does
// not fill with giants. Every stretch of up to windowOverlap+1 runes lies whole
// in some window, and the last window is at least that long.
const (
	maxToken      = 64
	windowStep    = 32
	windowOverlap = maxToken - windowStep
)

// tokenByte maps a byte to what feedASCII writes for it: the folded letter; a
// space and the spaceFlag for a separator; 0 for the bytes of longer runes.
var tokenByte = func() (table [256]uint16) {
	for c := range rune(utf8.RuneSelf) {
		table[c] = ' ' | spaceFlag
		if folded, class := look(c); class == letter {
			table[c] = uint16(folded)
		}
	}
	return table
}()

const spaceFlag = 1 << 8

// Feed appends the tokens of s to dst, with one space between any two, and
// returns it. A token is a maximal run of letters, digits and marks, folded. A
// run of a script without spaces becomes its overlapping pairs of runes and, at
// its end, its last rune alone: 検索語 is 検索 索語 語, so that pairs that follow
// each other are always of one run, and every rune begins a token.
func Feed(dst []byte, s string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != ' ' {
		dst = append(dst, ' ')
	}
	start := len(dst)
	for i := 0; i < len(s); {
		var ascii bool
		if dst, i, ascii = feedASCII(dst, s, i); !ascii {
			dst, i = feedRun(dst, s, i)
		}
	}
	if len(dst) > start {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// lineEnd is a token that no text has: it is made of a separator.
const lineEnd = " ¶"

// FeedLines is Feed for lines no two of which have words in a row.
func FeedLines(dst []byte, lines string) []byte {
	for {
		line, rest, more := strings.Cut(lines, "\n")
		if dst = Feed(dst, line); !more {
			return dst
		}
		dst, lines = append(dst, lineEnd...), rest
	}
}

// feedASCII appends tokens from s[i:], a space after each, until the end of s or
// the start of a run that it leaves to feedRun, which is too long or holds
// more than ASCII. An index build spends its time in this loop, so that it
// appends nothing and takes no branch that depends on where words end.
func feedASCII(dst []byte, s string, i int) (_ []byte, next int, ended bool) {
	// What is written is never more than what is read and the last token's space.
	dst = slices.Grow(dst, len(s)-i+1)
	out := dst[:cap(dst)]
	w := len(dst)
	token := w      // where the current token starts in out
	afterSpace := 1 // 1 after a space, which another one then overwrites
	for ; i < len(s); i++ {
		c := tokenByte[s[i]]
		if c == 0 || w-token > maxToken {
			return out[:token], i - (w - token), false
		}
		out[w] = byte(c)
		space := int(c / spaceFlag)
		w += 1 - space&afterSpace
		afterSpace = space
		if space != 0 {
			token = w
		}
	}
	if w-token > maxToken {
		return out[:token], i - (w - token), false
	}
	if w > token {
		out[w] = ' '
		w++
	}
	return out[:w], i, true
}

// feedRun appends the tokens of the run that s[i:] begins with, a space after
// each, and returns where it ends. A separator is a run without tokens.
func feedRun(dst []byte, s string, i int) ([]byte, int) {
	r, size := utf8.DecodeRuneInString(s[i:])
	switch folded, class := look(r); class {
	case letter:
		return feedWord(dst, s, i)
	case unspaced:
		return feedPairs(dst, s, i+size, folded)
	}
	return dst, i + size
}

// feedWord appends the run of letters that s[i:] begins with.
func feedWord(dst []byte, s string, i int) ([]byte, int) {
	runes := 0 // in the current window
	overlap := 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		folded, class := look(r)
		if class != letter {
			break
		}
		switch runes {
		case windowStep:
			overlap = len(dst)
		case maxToken:
			end := len(dst)
			dst = append(dst, ' ')
			dst = append(dst, dst[overlap:end]...)
			overlap = len(dst)
			runes = windowOverlap
		}
		dst = utf8.AppendRune(dst, folded)
		runes++
		i += size
	}
	return append(dst, ' '), i
}

// feedPairs appends the run of unspaced runes that begins with first and goes on
// in s[i:].
func feedPairs(dst []byte, s string, i int, first rune) ([]byte, int) {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		folded, class := look(r)
		if class != unspaced {
			break
		}
		dst = utf8.AppendRune(dst, first)
		dst = utf8.AppendRune(dst, folded)
		dst = append(dst, ' ')
		first = folded
		i += size
	}
	dst = utf8.AppendRune(dst, first)
	return append(dst, ' '), i
}

// MaxWords is how many different words of one document the index takes. A long
// book has fewer, a dump of random numbers has a million, and each of them costs
// time, memory and room for as long as the index lives.
const MaxWords = 50_000

// Omitted is the token that stands for the words that LimitWords left out. No
// text has it: it is a separator.
const Omitted = "…"

// LimitWords takes what Feed made of the fields of one document. If they have more
// than MaxWords different words, it keeps the first of them and puts one Omitted in
// place of each run of others, and limited is true; the words that are left are
// MaxWords, Omitted among them. The result depends on nothing but the document, so
// that it is the same in whatever order documents come.
func LimitWords(fields ...string) (fed []string, limited bool) {
	if !moreWords(fields, MaxWords) {
		return fields, false
	}
	fed = make([]string, len(fields))
	known := make(map[string]bool, MaxWords)
	for i, field := range fields {
		fed[i] = limitField(field, known)
	}
	return fed, true
}

// moreWords reports whether the fields have more different words than most.
func moreWords(fields []string, most int) bool {
	length := 0
	for _, field := range fields {
		length += len(field) + 1
	}
	if length <= 2*most { // each word has a byte, and a space behind it
		return false
	}
	known := make(map[string]bool, most)
	for _, field := range fields {
		for word := range strings.FieldsSeq(field) {
			if known[word] = true; len(known) > most {
				return true
			}
		}
	}
	return false
}

// limitField limits one field; known are the words that are kept so far.
func limitField(field string, known map[string]bool) string {
	var kept strings.Builder
	inRun := false // the word before was left out
	for word := range strings.FieldsSeq(field) {
		if !known[word] {
			if len(known) == MaxWords-1 {
				if inRun {
					continue
				}
				word = Omitted
			} else {
				known[word] = true
			}
		}
		inRun = word == Omitted
		if kept.Len() > 0 {
			kept.WriteByte(' ')
		}
		kept.WriteString(word)
	}
	return kept.String()
}
