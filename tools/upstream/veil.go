package upstream

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// leastSecret is the length, in bytes, from which on a secret is looked for in
	// answers: a shorter one would be found in words that have nothing to do with it.
	leastSecret = 6

	// veiled stands in its place.
	veiled = "(secret)"
)

// A Veil takes a secret out of answers that repeat it, in any of the forms that it
// may have there: as it is, in JSON, in HTML and in an address, or in one of them
// within another, and in base64, with whatever stands around it there. The zero value
// takes nothing out.
type Veil struct {
	secret *regexp.Regexp
	sign   string   // its longest part that has one form: what is without has no secret in it
	base64 []string // what of it is in base64, wherever it begins
}

// NewVeil makes the veil of a secret.
func NewVeil(secret string) Veil {
	if len(secret) < leastSecret {
		return Veil{}
	}
	var forms strings.Builder
	sign := ""
	for _, part := range strings.FieldsFunc(secret, func(c rune) bool { return c >= utf8.RuneSelf || !plain(byte(c)) }) {
		if len(part) > len(sign) {
			sign = part
		}
	}
	for _, c := range []byte(secret) {
		switch {
		case plain(c):
			forms.WriteByte(c)
		case c >= 0x80:
			forms.WriteString(`[\s\S]`)
		default:
			fmt.Fprintf(&forms, `(?:(?i:(?:&|\\+u0026)(?:amp;)*(?:#x0*%02[2]x|#0*%[2]d|%[3]s);|%%(?:25)*%02[2]x|\\+u00%02[2]x)|\\*%[1]s)`,
				regexp.QuoteMeta(string(c)), c, cmp.Or(entities[c], "#"))
		}
	}
	return Veil{regexp.MustCompile(forms.String()), sign, inBase64(secret)}
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

// plain reports whether nothing that encodes has another form for a character.
func plain(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_'
}

// entities are the names that HTML has for characters of secrets.
var entities = map[byte]string{'"': "quot", '&': "amp", '<': "lt", '>': "gt", '\'': "apos"}

// Cover takes the secret out of a response, its headers too.
func (v Veil) Cover(r *Response) {
	if v.secret == nil {
		return
	}
	r.Body = v.over(r.Body)
	for _, values := range r.Header {
		for i, value := range values {
			values[i] = string(v.over([]byte(value)))
		}
	}
}

// over is a text without the secret.
func (v Veil) over(text []byte) []byte {
	sign := []byte(v.sign)
	if shown := unescaped(text); len(shown) < len(text) && bytes.Contains(shown, sign) && v.secret.Match(shown) {
		text = shown
	}
	if bytes.Contains(text, sign) {
		text = v.secret.ReplaceAllLiteral(text, []byte(veiled))
	}
	for _, form := range v.base64 {
		if bytes.Contains(text, []byte(form)) {
			text = bytes.ReplaceAll(text, []byte(form), []byte(veiled))
		}
	}
	return text
}

// unescaped is a text in which characters that need no escape have none, of JSON or of
// addresses. Some libraries escape all there are.
func unescaped(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u00`)) && bytes.IndexByte(text, '%') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		c, length := text[0], 1
		for _, opening := range []string{`\u00`, "%"} {
			end := len(opening) + 2
			if c != opening[0] || len(text) < end || string(text[:len(opening)]) != opening {
				continue
			}
			if code, err := strconv.ParseUint(string(text[len(opening):end]), 16, 8); err == nil && plain(byte(code)) {
				c, length = byte(code), end
			}
		}
		out, text = append(out, c), text[length:]
	}
	return out
}
