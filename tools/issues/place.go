package issues

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"path"
	"strings"

	"issues-index/store"
)

// A place is where in a document's text a reader stands who has not read all of
// what was asked for.
type place struct {
	at    int // byte of the body that the next chunk begins with
	line  int // line that this byte is in
	index int // of that chunk
	last  int // line of the body that ends what was asked for; 0 for its end
}

// A cursor holds a place, what tells the body that it is in from another, and
// what tells whether the cursor is a reader's own work. A document that is moved
// to the archive keeps its name, and so its cursors.
const (
	bodyDigest   = 4 // bytes
	cursorDigest = 3
	cursorBase   = 62 // letters and digits
)

// cursor returns the place as a word for the next call.
func (p place) cursor(doc *store.Document) string {
	raw := digestOf(doc.Body)
	column := p.at - (strings.LastIndexByte(doc.Body[:p.at], '\n') + 1)
	for _, n := range []int{p.line, column, p.index, p.last} {
		raw = binary.AppendUvarint(raw, uint64(n))
	}
	raw = append(raw, sealOf(doc, raw)...)
	return new(big.Int).SetBytes(raw).Text(cursorBase)
}

// placeOf reads a cursor. ours is false for what was never a cursor of this
// document, and current for one of a text that it no longer has.
func placeOf(cursor string, doc *store.Document) (p place, ours, current bool) {
	const longest = 40 // characters
	number, ok := new(big.Int).SetString(cursor, cursorBase)
	if !ok || len(cursor) > longest || number.Text(cursorBase) != cursor {
		return place{}, false, false
	}
	raw := number.Bytes()
	end := len(raw) - cursorDigest
	if end < bodyDigest || !bytes.Equal(raw[end:], sealOf(doc, raw[:end])) {
		return place{}, false, false
	}
	rest, column := raw[bodyDigest:end], 0
	for _, n := range []*int{&p.line, &column, &p.index, &p.last} {
		value, width := binary.Uvarint(rest)
		if width <= 0 || value > store.MaxFileSize {
			return place{}, false, false
		}
		*n, rest = int(value), rest[width:]
	}
	p.at = min(len(store.Lines(doc.Body, 1, p.line-1))+column, len(doc.Body))
	return p, len(rest) == 0, bytes.Equal(raw[:bodyDigest], digestOf(doc.Body))
}

// digestOf tells one body from another. Its first bit is set, so that no number
// made of it loses a leading zero.
func digestOf(body string) []byte {
	sum := sha256.Sum256([]byte(body))
	sum[0] |= 0x80
	return sum[:bodyDigest:bodyDigest]
}

func sealOf(doc *store.Document, raw []byte) []byte {
	sum := sha256.Sum256(append([]byte(path.Base(doc.Path)+"\x00"), raw...))
	return sum[:cursorDigest]
}
