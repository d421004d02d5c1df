package fulltext

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// A spaceTable maps a byte to what collapse writes for it: a space and the
// spaceFlag for white space, 0 for the bytes of longer runes.
type spaceTable [256]uint16

var (
	anySpace    = newSpaceTable(" \t\n\v\f\r")
	spaceInLine = newSpaceTable(" \t\v\f\r")
)

func newSpaceTable(spaces string) (table spaceTable) {
	for c := range uint16(utf8.RuneSelf) {
		table[c] = c
	}
	for _, c := range spaces {
		table[c] = ' ' | spaceFlag
	}
	return table
}

// collapse appends text to dst with every run of white space as one space. As
// in feedASCII, no branch depends on where words end.
func collapse(dst, text []byte, spaces *spaceTable) []byte {
	dst = slices.Grow(dst, len(text))
	out := dst[len(dst) : len(dst)+len(text)]
	w, afterSpace := 0, 0
	for i := 0; i < len(text); {
		if c := spaces[text[i]]; c != 0 {
			out[w] = byte(c)
			space := int(c / spaceFlag)
			w += 1 - space&afterSpace
			afterSpace = space
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if unicode.IsSpace(r) {
			out[w] = ' '
			w += 1 - afterSpace
			afterSpace = 1
		} else {
			w += copy(out[w:], text[i:i+size])
			afterSpace = 0
		}
		i += size
	}
	return dst[:len(dst)+w]
}
