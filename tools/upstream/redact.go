package upstream

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// leastSecret is the length in bytes below which a secret is not searched for: a
	// shorter one would match parts of ordinary words.
	leastSecret = 6

	// redacted replaces a secret.
	redacted = "(secret)"
)

// A Redactor removes a secret from answers that repeat it. It finds the secret in capital
// and small letters, plain, escaped as in JSON or in a URL, and in base64, also where characters
// that are not shown stand between its own: they are taken out of a text before it is shown. The
// zero value removes nothing.
type Redactor struct {
	plain  [][][]byte // the forms that each character may have in a plain text
	json   [][][]byte // the same in JSON
	url    [][][]byte
	base64 [][]byte
	starts string // the bytes with which one of the others begins
}

// NewRedactor returns a redactor of one secret.
func NewRedactor(secret string) (r Redactor) {
	if len(secret) < leastSecret {
		return r
	}
	for i, small := range inSmallLetters([]byte(secret)) {
		c := secret[i]
		r.plain = append(r.plain, [][]byte{{small}})
		r.json = append(r.json, [][]byte{fmt.Appendf(nil, `\u%04x`, c), {'\\', small}, {small}})
		r.url = append(r.url, [][]byte{fmt.Appendf(nil, "%%%02x", c), {small}})
	}
	r.starts = `\%` + strings.ToLower(secret[:1])
	r.base64 = inBase64(secret)
	return r
}

// inBase64 returns the base64 characters that depend on the secret only. They differ
// with the position of the secret's first byte in a group of three.
func inBase64(secret string) (forms [][]byte) {
	const bits = 6 // in a character
	for before := range 3 {
		first, end := (8*before+bits-1)/bits, 8*(before+len(secret))/bits
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			form := alphabet.AppendEncode(nil, []byte(strings.Repeat("\x00", before)+secret))
			forms = append(forms, form[first:end])
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
	for _, form := range r.base64 {
		if bytes.Contains(text, form) {
			text = bytes.ReplaceAll(text, form, []byte(redacted))
		}
	}
	if r.plain == nil {
		return text
	}
	var out []byte
	kept := 0 // the part of text that is in out or was removed
	small := inSmallLetters(text)
	for i := 0; ; i++ {
		next := bytes.IndexAny(small[i:], r.starts)
		if next < 0 {
			break
		}
		i += next
		if size := max(match(small[i:], r.plain), match(small[i:], r.json), match(small[i:], r.url)); size > 0 {
			out = append(append(out, text[kept:i]...), redacted...)
			kept = i + size
			i = kept - 1
		}
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

// inSmallLetters returns a text with a to z for A to Z.
func inSmallLetters(text []byte) []byte {
	small := bytes.Clone(text)
	for i, c := range small {
		if 'A' <= c && c <= 'Z' {
			small[i] += 'a' - 'A'
		}
	}
	return small
}

// match returns how many bytes a secret takes at the beginning of a text, 0 when it is not there.
func match(text []byte, secret [][][]byte) (size int) {
	for _, forms := range secret {
		i := slices.IndexFunc(forms, func(form []byte) bool { return bytes.HasPrefix(text[size:], form) })
		if i < 0 {
			return 0
		}
		if size += len(forms[i]); size < len(text) {
			size += hidden(text[size:])
		}
	}
	return size
}

// hidden returns how many bytes a text begins with that are characters which are not shown, as they
// are or escaped as in JSON.
func hidden(text []byte) (size int) {
	for {
		r, n := utf8.DecodeRune(text[size:])
		if escaped, ok := jsonEscape(text[size:]); ok {
			r, n = escaped, len(`\u0000`)
			if low, ok := jsonEscape(text[size+n:]); ok && utf16.IsSurrogate(r) {
				r, n = utf16.DecodeRune(r, low), 2*n
			}
		}
		shown := !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) && r != utf8.RuneError || unicode.IsSpace(r)
		if n == 0 || shown {
			return size
		}
		size += n
	}
}

// jsonEscape returns the character of an escape as in JSON that a text begins with.
func jsonEscape(text []byte) (rune, bool) {
	if len(text) < len(`\u0000`) || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(r), err == nil
}
