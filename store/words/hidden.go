package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Invisible characters say nothing to a person, and a model reads them. Tag characters are a
// whole alphabet of them. Of the others honest texts have one or a few at once, in emoji, in
// scripts that join letters, and where lines may break: only a longer run can hide a sentence.

// longestRun is how many invisible characters in a row hide nothing.
const longestRun = 7

// Shown returns a text without what is hidden in it: tag characters, but for those of a flag,
// and long runs of other invisible characters.
func Shown(text string) string {
	if HiddenAt(text) < 0 {
		return text
	}
	text = strings.ToValidUTF8(text, string(utf8.RuneError)) // two halves of a character would meet
	var shown strings.Builder
	for start, end := hidden(text); start >= 0; start, end = hidden(text) {
		shown.WriteString(text[:start])
		text = text[end:]
	}
	return shown.String() + text
}

// HiddenAt returns the offset of the first thing in a text that Shown leaves out, -1 for
// nothing.
func HiddenAt(text string) int {
	start, _ := hidden(text)
	return start
}

// hidden returns the first run of invisible characters that hides something, -1 for none.
func hidden(text string) (start, end int) {
	start, length, tags := -1, 0, false
	ends := func() bool { return tags || length > longestRun }
	for i := 0; i < len(text); {
		if start < 0 { // a text of megabytes may be all ASCII, which hides nothing
			for i < len(text) && text[i] < utf8.RuneSelf {
				i++
			}
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !invisible(r) {
			if ends() {
				return start, i
			}
			if r == blackFlag {
				size += flagTags(text[i+size:])
			}
			start, length = -1, 0
		} else {
			if start < 0 {
				start = i
			}
			length, tags = length+1, tags || isTag(r)
		}
		i += size
	}
	if ends() {
		return start, len(text)
	}
	return -1, -1
}

const (
	blackFlag = '\U0001F3F4'
	firstTag  = '\U000E0000'
	endTag    = '\U000E007F'
)

func isTag(r rune) bool { return r >= firstTag && r <= endTag }

// flagTags is how many bytes of tag characters behind a black flag make it the flag of a place,
// as of England: the letters and digits of the place, six at most, and an end.
func flagTags(text string) (size int) {
	for range 7 {
		r, n := utf8.DecodeRuneInString(text[size:])
		size += n
		letter := r - firstTag
		switch {
		case r == endTag:
			return size
		case letter < '0' || letter > '9' && letter < 'a' || letter > 'z':
			return 0
		}
	}
	return 0
}

// invisible reports whether a character shows nothing, whatever stands beside it.
func invisible(r rune) bool {
	switch {
	case r < 0xAD: // the soft hyphen
		return false
	case isTag(r):
		return true
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
