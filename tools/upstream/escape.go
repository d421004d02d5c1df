package upstream

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// backslashes counts those that stand at a place.
func backslashes(text []byte, at int) int {
	n := 0
	for at+n < len(text) && text[at+n] == '\\' {
		n++
	}
	return n
}

// A char is a character that a part of a text may stand for, and where that ends.
type char struct {
	is  rune
	end int
}

// escapedAt adds the characters whose escape may begin at a place to a list: an escape of
// JSON, of an address or of HTML, or one of these within another. %2574 may be a percent
// sign as well as a letter.
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

// unicodeAt reads \u0074 and \x74, whose backslash may be escaped itself.
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

// number reads so many hexadecimal digits; end is 0 where they do not stand.
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

// percentAt reads %74, whose percent sign may be escaped itself, and the bytes of a
// longer character.
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

// longer reads a character of several bytes, of which the first was read.
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

// behindAmpersand reads &#116;, &#x74; and &quot; from behind their ampersand, which may
// be escaped itself.
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

// entities are the names that HTML has for characters of secrets.
var entities = map[string]rune{"quot": '"', "amp": '&', "lt": '<', "gt": '>', "apos": '\''}

// named reads what stands between & and ; of an entity, and what is behind it.
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

// pastUnseen passes a character that nobody sees, escaped or not, or a byte that is none:
// who shows the text leaves it out, and what is around it stands together.
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

// plain reports whether a byte stands for itself alone.
func plain(c byte) bool {
	return c >= ' ' && c <= '~' && c != '\\' && c != '%' && c != '&'
}

func unseen(r rune) bool {
	const firstHalf, lastHalf = 0xd800, 0xdfff // of characters, which are none by themselves
	return r == utf8.RuneError || r >= firstHalf && r <= lastHalf ||
		!unicode.IsSpace(r) && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point))
}
