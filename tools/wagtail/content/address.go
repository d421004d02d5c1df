package content

import (
	"net/url"
	"strings"

	"issues-index/store/pattern"
)

// schemes are those of links that a reader may follow.
var schemes = set("http", "https", "mailto", "tel")

// blank is what a browser drops from an address wherever it stands.
var blank = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// anyEntity is what a reader of Markdown takes for a character, in an address too.
const anyEntity = `&(#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`

var (
	entity     = pattern.Lazy(anyEntity)
	entityHere = pattern.Lazy(`^` + anyEntity)
)

// address returns an address as Markdown has it between the brackets of a link,
// absolute when there is a base. It is not ok for one that does something other
// than lead somewhere, however it is written.
func address(raw string, base *url.URL) (string, bool) {
	raw = blank.Replace(strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' }))
	if raw == "" || strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	head := raw
	if end := strings.IndexAny(raw, "/?#"); end >= 0 {
		head = raw[:end]
	}
	if scheme, _, found := strings.Cut(head, ":"); found && !schemes[strings.ToLower(scheme)] {
		return "", false
	}
	if base != nil {
		if to, err := base.Parse(strings.ReplaceAll(raw, `\`, "/")); err == nil && schemes[to.Scheme] {
			raw = to.String()
		}
	}
	return entity().ReplaceAllString(escapeAddress(raw), "&amp;$1;"), true
}

// escapeAddress writes what would end an address in Markdown, or a cell of a table,
// by its number.
func escapeAddress(raw string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(raw) {
		switch c := raw[i]; c {
		case ' ', '"', '\'', '(', ')', '<', '>', '[', '\\', ']', '^', '`', '{', '|', '}':
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return strings.ToValidUTF8(b.String(), "%EF%BF%BD")
}
