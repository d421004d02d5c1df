package wire

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

var subjectEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// DocumentSubject is where the versions of a document are published. A path may have letters
// that a subject may not, so that its hash stands for it.
func DocumentSubject(line mirror.Line, path string) string {
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("docs.%s.%s.%s", line.Workspace, line.Name, subjectEncoding.EncodeToString(sum[:10]))
}

// PieceSubject is where one piece of a large body lies: under the hash of the document, so
// that to put it there again changes nothing.
func PieceSubject(workspace string, hash share.Hash, piece int) string {
	return fmt.Sprintf("blobs.%s.%s.%d", workspace, hex.EncodeToString(hash[:]), piece)
}

// ParsePieceSubject reads what PieceSubject has written; ok is false for another subject.
func ParsePieceSubject(subject string) (workspace string, hash share.Hash, piece int, ok bool) {
	parts := strings.Split(subject, ".")
	if len(parts) != 4 || parts[0] != "blobs" || !mirror.IsName(parts[1]) || !decodeHash(&hash, parts[2]) {
		return "", share.Hash{}, 0, false
	}
	piece, err := strconv.Atoi(parts[3])
	return parts[1], hash, piece, err == nil && piece >= 0
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
