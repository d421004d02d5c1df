package frontmatter

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalar writes one value on one line. Text stays bare or quoted as like is,
// which may be nil, as far as it then is read as the same text.
func (s *source) scalar(v, like *yaml.Node, flow bool) string {
	text := v.Tag == "!!str"
	if !text && v.Tag != "!!timestamp" {
		return v.Value // a number, true, false, null
	}
	quoted := v.Style
	if like != nil && like.Kind == yaml.ScalarNode && quotes(like) != 0 {
		quoted = quotes(like)
	}
	if quoted == 0 {
		if bareFits(v.Value, flow) && !(text && looksTyped(v.Value)) {
			return v.Value
		}
		quoted = s.quoting()
	}
	if quoted&yaml.DoubleQuotedStyle == 0 && !strings.ContainsFunc(v.Value, needsEscape) {
		return "'" + strings.ReplaceAll(v.Value, "'", "''") + "'"
	}
	return doubleQuoted(v.Value)
}

// quoting is the kind of quotes that the document uses first; single ones when
// it has none.
func (s *source) quoting() yaml.Style {
	if s.root != nil {
		for _, n := range s.root.Content {
			if n.Kind == yaml.ScalarNode && quotes(n) != 0 {
				return quotes(n)
			}
		}
	}
	return yaml.SingleQuotedStyle
}

// quotes is the kind of quotes around a scalar, 0 for none.
func quotes(n *yaml.Node) yaml.Style {
	return n.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
}

// bareFits reports whether YAML reads bare text as one scalar of these
// characters. It is stricter than YAML, for the sake of other readers.
func bareFits(text string, flow bool) bool {
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsFunc(text, needsEscape) || strings.Contains(text, "\t") {
		return false
	}
	if strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", text[0]) >= 0 {
		return false
	}
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || strings.Contains(text, " #") {
		return false
	}
	return !flow || !strings.ContainsAny(text, ",[]{}?")
}

// typedWords are the words that some version of YAML takes for something else
// than text.
var typedWords = []string{
	"null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<",
	".nan", ".inf", "+.inf", "-.inf",
}

// looksTyped reports whether some reader of YAML could take bare text for a
// number, date, truth value or null.
func looksTyped(text string) bool {
	if slices.Contains(typedWords, strings.ToLower(text)) {
		return true
	}
	return strings.IndexByte("0123456789+-.", text[0]) >= 0 &&
		strings.Trim(text, "0123456789abcdefABCDEFxXoO_+-.:TtZz ") == ""
}

// needsEscape reports whether a character can stand in double quotes only, or is
// one that YAML would fold or refuse.
func needsEscape(r rune) bool {
	switch {
	case r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return true
	}
	return false
}

// doubleQuoted escapes no more than it must.
func doubleQuoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case needsEscape(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case needsEscape(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
