package fulltext

import (
	"encoding/binary"
	"slices"
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
		var n int
		dst, n = appendFoldASCII(dst, s[i:])
		for i += n; i < len(s) && s[i] >= utf8.RuneSelf; {
			r, size := utf8.DecodeRuneInString(s[i:])
			folded, _ := look(r)
			dst = utf8.AppendRune(dst, folded)
			i += size
		}
	}
	return dst
}

// appendFoldASCII appends the folded ASCII bytes that s begins with, and returns
// how many they are. Searches verify megabytes with it, so that it takes eight
// bytes at a time.
func appendFoldASCII(dst []byte, s string) ([]byte, int) {
	const ones = 0x0101010101010101
	dst = slices.Grow(dst, len(s))
	out := dst[len(dst) : len(dst)+len(s)]
	n := 0
	for ; n+8 <= len(s) && n+8 <= len(out); n += 8 {
		eight := s[n : n+8]
		chunk := uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
			uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
		if chunk&(ones*0x80) != 0 {
			break
		}
		// The top bit of a byte is set in from where it is at least 'A', in beyond
		// where it is above 'Z'; shifted by two it is the bit between the cases.
		from := chunk + ones*(0x80-'A')
		beyond := chunk + ones*(0x7F-'Z')
		binary.LittleEndian.PutUint64(out[n:], chunk|(from^beyond)&(ones*0x80)>>2)
	}
	for ; n < len(s) && s[n] < utf8.RuneSelf; n++ {
		c := s[n]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[n] = c
	}
	return dst[:len(dst)+n], n
}
