package upstream

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	// leastSecret is the length in bytes below which a secret is not searched for: a
	// shorter one would match parts of ordinary words.
	leastSecret = 6

	// redacted replaces a secret.
	redacted = "(secret)"
)

// A Redactor removes a secret from answers that repeat it. It finds the secret as plain
// text, in hexadecimal and in base64 (with whatever surrounds it there), with any of its
// characters escaped as in JSON, HTML or URLs, once or several times, with invisible
// characters in between, and in one encoding inside another. The zero value removes
// nothing.
type Redactor struct {
	forms  []secretForm
	starts [256]bool // first bytes of the forms, and of escapes
	inner  [][]byte  // doubly encoded forms, such as base64 of base64, searched for without escapes
}

// A secretForm is one encoding of the secret.
type secretForm struct {
	text string
	fold bool // letter case makes no difference
}

// NewRedactor returns a redactor of one secret.
func NewRedactor(secret string) Redactor {
	if len(secret) < leastSecret {
		return Redactor{}
	}
	r := Redactor{forms: append([]secretForm{{text: secret}}, encoded(secret)...)}
	for _, f := range r.forms[1:] {
		for _, within := range encoded(f.text) {
			r.inner = append(r.inner, []byte(within.text))
		}
	}
	for _, f := range r.forms {
		r.starts[f.text[0]] = true
		if f.fold {
			r.starts[bytes.ToUpper([]byte{f.text[0]})[0]] = true
		}
	}
	for _, c := range []byte(`\%&`) {
		r.starts[c] = true
	}
	return r
}

// encoded returns a text in hexadecimal and in base64.
func encoded(text string) []secretForm {
	digits := hex.EncodeToString([]byte(text))
	forms := []secretForm{{text: digits, fold: true}}
	for _, part := range inBase64(text) {
		forms = append(forms, secretForm{text: part})
	}
	return forms
}

// inBase64 returns the base64 characters that depend on the secret only. They differ
// with the position of the secret's first byte in a group of three.
func inBase64(secret string) (forms []string) {
	const bits = 6 // in a character
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

// Redact removes the secret from a response: from its body and its headers.
func (r Redactor) Redact(response *Response) {
	response.Body = r.RedactText(response.Body)
	for _, values := range response.Header {
		for i, value := range values {
			values[i] = string(r.RedactText([]byte(value)))
		}
	}
}

// RedactText returns a text without the secret: the text itself when it has none.
func (r Redactor) RedactText(text []byte) []byte {
	if r.forms == nil {
		return text
	}
	var out []byte
	kept := 0 // the part of text that is in out or was removed
	for i := 0; i < len(text); i++ {
		if !r.starts[text[i]] {
			continue
		}
		if end := r.match(text, i); end > 0 {
			out = append(append(out, text[kept:i]...), redacted...)
			kept, i = end, end-1
		}
	}
	if kept > 0 {
		text = append(out, text[kept:]...)
	}
	for _, form := range r.inner {
		if bytes.Contains(text, form) {
			text = bytes.ReplaceAll(text, form, []byte(redacted))
		}
	}
	return text
}

// match returns the end of a form that begins at a position, 0 when none does.
func (r Redactor) match(text []byte, at int) (end int) {
	var room [8]char
	for _, first := range charsAt(room[:0], text, at) {
		for _, f := range r.forms {
			if f.has(0, first.is) {
				end = max(end, f.rest(text, first.end, 1))
			}
		}
	}
	return end
}

// has reports whether the n-th character of the form is r.
func (f secretForm) has(n int, r rune) bool {
	c := rune(f.text[n])
	return r == c || f.fold && r >= 'A' && r <= 'F' && r+'a'-'A' == c
}

// rest matches the form from its n-th character and returns the farthest end, 0 when it
// does not match. There may be several: the sign that begins an escape may also stand for
// itself.
func (f secretForm) rest(text []byte, at, n int) (end int) {
	for ; n < len(f.text) && at < len(text) && plain(text[at]); n++ {
		if !f.has(n, rune(text[at])) {
			return 0
		}
		at++
	}
	if n == len(f.text) {
		return at
	}
	for at < len(text) { // an invisible character may come in between, or be the one
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

// charsAt appends to list the characters that may begin at a position, escaped or plain.
func charsAt(list []char, text []byte, at int) []char {
	if plain(text[at]) {
		return append(list, char{rune(text[at]), at + 1})
	}
	list = escapedAt(list, text, at)
	slashes := backslashes(text, at)
	const most = 4 // backslashes before one; with more only their end is tried
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
