package wire

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"issues-index/store/mirror"
)

var subjectEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// DocumentSubject is where the versions of a document are published. A path may have letters
// that a subject may not, so that its hash stands for it.
func DocumentSubject(line mirror.Line, path string) string {
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("docs.%s.%s.%s", line.Workspace, line.Name, subjectEncoding.EncodeToString(sum[:10]))
}

// Token writes any text as one part of a subject: letters and digits of ASCII, hyphens and
// underscores stand for themselves, every other byte is = and two digits.
func Token(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02x", c)
		}
	}
	return b.String()
}
