package upstream

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	// leastSecret is the length, in bytes, from which on a secret is looked for in
	// answers: a shorter one would be found in words that have nothing to do with it.
	leastSecret = 6

	// veiled stands in its place.
	veiled = "(secret)"
)

// A Veil takes a secret out of answers that repeat it: as it is, in hexadecimal digits
// and in base64, with whatever stands around it there, each of these with any of its
// characters escaped as JSON, HTML and addresses do, once or several times, and with
// characters between them that nobody sees; and what is in one of these within another,
// such as base64 of base64. The zero value takes nothing out.
type Veil struct {
	forms  []form
	starts [256]bool // bytes that a form may begin with
	inner  [][]byte  // forms within forms, which are looked for as they are
}

// A form is a secret as an answer may have it.
type form struct {
	text string
	fold bool // in either case
}

// NewVeil makes the veil of a secret.
func NewVeil(secret string) Veil {
	if len(secret) < leastSecret {
		return Veil{}
	}
	v := Veil{forms: append([]form{{text: secret}}, encoded(secret)...)}
	for _, f := range v.forms[1:] {
		for _, within := range encoded(f.text) {
			v.inner = append(v.inner, []byte(within.text))
		}
	}
	for _, f := range v.forms {
		v.starts[f.text[0]] = true
		if f.fold {
			v.starts[bytes.ToUpper([]byte{f.text[0]})[0]] = true
		}
	}
	for _, c := range []byte(`\%&`) {
		v.starts[c] = true
	}
	return v
}

// encoded are the forms of a text in hexadecimal digits and in base64.
func encoded(text string) []form {
	digits := hex.EncodeToString([]byte(text))
	forms := []form{{text: digits, fold: true}}
	for _, part := range inBase64(text) {
		forms = append(forms, form{text: part})
	}
	return forms
}

// inBase64 returns the characters of base64 that are of a secret alone: other ones when
// it begins at the first byte of three, at the second and at the third.
func inBase64(secret string) (forms []string) {
	const bits = 6 // of a character
	for before := range 3 {
		first, end := (8*before+bits-1)/bits, 8*(before+len(secret))/bits
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			form := alphabet.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))[first:end]
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}

// Cover takes the secret out of a response, its headers too.
func (v Veil) Cover(r *Response) {
	if v.forms == nil {
		return
	}
	r.Body = v.Over(r.Body)
	for _, values := range r.Header {
		for i, value := range values {
			values[i] = string(v.Over([]byte(value)))
		}
	}
}

// Over is a text without the secret: the text itself where it has none.
func (v Veil) Over(text []byte) []byte {
	if v.forms == nil {
		return text
	}
	var out []byte
	kept := 0 // of text, that is in out or was left out
	for i := 0; i < len(text); i++ {
		if !v.starts[text[i]] {
			continue
		}
		if end := v.match(text, i); end > 0 {
			out = append(append(out, text[kept:i]...), veiled...)
			kept, i = end, end-1
		}
	}
	if kept > 0 {
		text = append(out, text[kept:]...)
	}
	for _, form := range v.inner {
		if bytes.Contains(text, form) {
			text = bytes.ReplaceAll(text, form, []byte(veiled))
		}
	}
	return text
}

// match returns where a form ends that begins at a place, 0 when none does.
func (v Veil) match(text []byte, at int) (end int) {
	var room [8]char
	for _, first := range charsAt(room[:0], text, at) {
		for _, f := range v.forms {
			if f.has(0, first.is) {
				end = max(end, f.rest(text, first.end, 1))
			}
		}
	}
	return end
}

// has reports whether a character is one of the form.
func (f form) has(n int, r rune) bool {
	c := rune(f.text[n])
	return r == c || f.fold && r >= 'A' && r <= 'F' && r+'a'-'A' == c
}

// rest matches the form from one of its characters on, and returns its farthest end, 0
// when it is not there. A sign that begins an escape is one by itself, too, so there may
// be several ways to read a text.
func (f form) rest(text []byte, at, n int) (end int) {
	for ; n < len(f.text) && at < len(text) && plain(text[at]); n++ {
		if !f.has(n, rune(text[at])) {
			return 0
		}
		at++
	}
	if n == len(f.text) {
		return at
	}
	for at < len(text) { // what nobody sees may stand between, or be the character
		var room [8]char
		for _, next := range charsAt(room[:0], text, at) {
			if f.has(n, next.is) {
				end = max(end, f.rest(text, next.end, n+1))
			}
		}
		past := pastUnseen(text, at)
		if past == at {
			break
		}
		at = past
	}
	return end
}

// charsAt adds the characters that may begin at a place to a list, escaped or as they
// are.
func charsAt(list []char, text []byte, at int) []char {
	if plain(text[at]) {
		return append(list, char{rune(text[at]), at + 1})
	}
	list = escapedAt(list, text, at)
	slashes := backslashes(text, at)
	const most = 4 // of them that one is escaped by; the rest goes before what follows
	for n := 1; n <= min(slashes, most); n++ {
		list = append(list, char{'\\', at + n})
	}
	if slashes > most {
		list = append(list, char{'\\', at + slashes})
	}
	if at+slashes < len(text) {
		list = append(list, char{rune(text[at+slashes]), at + slashes + 1})
	}
	return list
}
