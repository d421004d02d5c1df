package upstream

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
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
	if bytes.Contains(r.Body, []byte(v.sign)) {
		r.Body = v.secret.ReplaceAllLiteral(r.Body, []byte(veiled))
	}
	for _, form := range v.base64 {
		if bytes.Contains(r.Body, []byte(form)) {
			r.Body = bytes.ReplaceAll(r.Body, []byte(form), []byte(veiled))
		}
	}
	for _, values := range r.Header {
		for i, value := range values {
			value = v.secret.ReplaceAllLiteralString(value, veiled)
			for _, form := range v.base64 {
				value = strings.ReplaceAll(value, form, veiled)
			}
			values[i] = value
		}
	}
}
