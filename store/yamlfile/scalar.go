package yamlfile

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Scalar writes a text on one line so that every reader of YAML takes it for this text: as it
// stands, or in quotes where it needs them. flow says that it stands between brackets or
// braces. Of both kinds of quotes it takes double ones where quotes says so, or where the text
// has characters that have to be escaped.
func Scalar(text string, quotes yaml.Style, flow bool) string {
	if Bare(text, flow) && !looksTyped(text) {
		return text
	}
	return Quoted(text, quotes)
}

// Quoted is Scalar with quotes in any case.
func Quoted(text string, quotes yaml.Style) string {
	if quotes&yaml.DoubleQuotedStyle != 0 || strings.ContainsFunc(text, needsEscape) {
		return strconv.Quote(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// Bare reports whether YAML reads a text without quotes as one value of these characters,
// which may be a number or null. It is stricter than YAML, for the sake of other readers.
func Bare(text string, flow bool) bool {
	return text != "" && strings.TrimSpace(text) == text && !strings.ContainsFunc(text, needsEscape) &&
		!strings.ContainsAny(text[:1], "-?:,[]{}#&*!|>'\"%@`") && !strings.ContainsAny(text, "\t") &&
		!strings.Contains(text+" ", ": ") && !strings.Contains(text, " #") &&
		!(flow && strings.ContainsAny(text, ",[]{}?"))
}

// typedWords are the words that some version of YAML takes for something else than text.
var typedWords = []string{
	"null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<",
	".nan", ".inf", "+.inf", "-.inf",
}

// looksTyped reports whether some reader of YAML could take bare text for a number, date,
// truth value or null.
func looksTyped(text string) bool {
	return slices.Contains(typedWords, strings.ToLower(text)) ||
		strings.ContainsAny(text[:1], "0123456789+-.") && strings.Trim(text, "0123456789abcdefABCDEFxXoO_+-.:TtZz ") == ""
}

// needsEscape reports whether a character can stand in double quotes only, since YAML would fold or
// refuse it elsewhere.
func needsEscape(r rune) bool {
	return r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 ||
		strings.ContainsRune("\u2028\u2029\ufeff\ufffe\uffff", r)
}
