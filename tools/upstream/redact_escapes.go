package upstream

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// backslashes counts the backslashes from a position on.
func backslashes(text []byte, at int) int {
	n := 0
	for at+n < len(text) && text[at+n] == '\\' {
		n++
	}
	return n
}

// A char is a character that a part of a text may stand for, and the end of that part.
type char struct {
	is  rune
	end int
}

// escapedAt appends to list the characters whose escape may begin at a position: an escape
// of JSON, of a URL or of HTML, or one inside another. %2574 may be a percent sign or a
// letter.
func escapedAt(list []char, text []byte, at int) []char {
	before := len(list)
	list = percentAt(unicodeAt(list, text, at), text, at)
	if text[at] == '&' {
		return behindAmpersand(list, text, at+1)
	}
	for _, sign := range list[before:] {
		if sign.is == '&' {
			list = behindAmpersand(list, text, sign.end)
		}
	}
	return list
}

// unicodeAt reads \u0074 and \x74. The backslash may itself be escaped.
func unicodeAt(list []char, text []byte, at int) []char {
	slashes := backslashes(text, at)
	if slashes == 0 || at+slashes >= len(text) {
		return list
	}
	digits := 0
	switch text[at+slashes] {
	case 'u':
		digits = 4
	case 'x':
		digits = 2
	}
	if r, end := number(text, at+slashes+1, digits); end > 0 {
		list = append(list, char{r, end})
	}
	return list
}

// number reads hexadecimal digits; end is 0 when they are missing.
func number(text []byte, at, digits int) (r rune, end int) {
	if digits == 0 || at+digits > len(text) {
		return 0, 0
	}
	code, err := strconv.ParseUint(string(text[at:at+digits]), 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(code), at + digits
}

// percentAt reads %74 and the bytes of a multi-byte character. The percent sign may itself
// be escaped.
func percentAt(list []char, text []byte, at int) []char {
	if text[at] != '%' {
		return list
	}
	for at++; ; at += len("25") {
		b, end := number(text, at, 2)
		if end == 0 {
			return list
		}
		if b >= utf8.RuneSelf {
			b, end = longer(text, byte(b), end)
		}
		if end > 0 {
			list = append(list, char{b, end})
		}
		if b != '%' {
			return list
		}
	}
}

// longer reads a character of several bytes after its first byte.
func longer(text []byte, first byte, at int) (r rune, end int) {
	whole := []byte{first}
	for len(whole) < utf8.UTFMax && at < len(text) && text[at] == '%' {
		for at++; bytes.HasPrefix(text[at:], []byte("25")); at += len("25") {
		}
		b, end := number(text, at, 2)
		if end == 0 {
			break
		}
		whole, at = append(whole, byte(b)), end
		if r, size := utf8.DecodeRune(whole); r != utf8.RuneError && size == len(whole) {
			return r, at
		}
	}
	return 0, 0
}

// behindAmpersand reads &#116;, &#x74; and &quot; from behind the ampersand, which may
// itself be escaped.
func behindAmpersand(list []char, text []byte, at int) []char {
	for {
		r, end, ok := named(text, at)
		if !ok {
			return list
		}
		list = append(list, char{r, end})
		if r != '&' {
			return list
		}
		at = end
	}
}

// entities are the named characters of HTML that a secret may contain.
var entities = map[string]rune{"quot": '"', "amp": '&', "lt": '<', "gt": '>', "apos": '\''}

// named reads the text between & and ; of an entity. end is the position after it.
func named(text []byte, at int) (r rune, end int, ok bool) {
	const longest = 12
	length := bytes.IndexByte(text[at:min(len(text), at+longest)], ';')
	if length < 1 {
		return 0, 0, false
	}
	name := string(bytes.ToLower(text[at : at+length]))
	base := 10
	digits, numeric := name[1:], name[0] == '#'
	if numeric && len(digits) > 0 && digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	if numeric {
		code, err := strconv.ParseUint(digits, base, 21)
		return rune(code), at + length + 1, err == nil
	}
	r, ok = entities[name]
	return r, at + length + 1, ok
}

// pastUnseen returns the position after an invisible character, escaped or not, or after a
// byte that is no text. A program that shows the text drops these.
func pastUnseen(text []byte, at int) int {
	if plain(text[at]) {
		return at
	}
	if r, size := utf8.DecodeRune(text[at:]); unseen(r) {
		return at + size
	}
	var room [8]char
	for _, escaped := range escapedAt(room[:0], text, at) {
		if unseen(escaped.is) {
			return escaped.end
		}
	}
	return at
}

// plain reports whether a byte always stands for itself.
func plain(c byte) bool {
	return c >= ' ' && c <= '~' && c != '\\' && c != '%' && c != '&'
}

// unseen reports whether a character is invisible.
func unseen(r rune) bool {
	const firstHalf, lastHalf = 0xd800, 0xdfff // surrogates, which are no characters alone
	return r == utf8.RuneError || r >= firstHalf && r <= lastHalf ||
		!unicode.IsSpace(r) && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point))
}
