package store

import (
	"strings"
	"unicode"
)

// slugLength is the longest slug in bytes, the same in other programs that write
// such workspaces.
const slugLength = 50

// Slug is a title as part of a file name: lower case, ASCII letters and digits,
// runs of spaces, `_` and `-` as one `-`, everything else left out.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '-' || r == '_' || unicode.IsSpace(r):
			gap = true
		}
	}
	s := b.String()
	s = s[:min(len(s), slugLength)]
	if s == "" {
		return "issue"
	}
	return s
}
