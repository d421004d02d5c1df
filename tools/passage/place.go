package passage

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"strings"

	"issues-index/store"
)

// A Place is where in a text a reader stands who has not read all of what was
// asked for.
type Place struct {
	At    int // byte of the text that the next chunk begins with
	Line  int // line that this byte is in
	Index int // of that chunk
	Last  int // line of the text that ends what was asked for; 0 for its end
}

// A cursor holds a place, what tells the text that it is in from another, and what
// tells whether the cursor is a reader's own work.
const (
	textDigest   = 4 // bytes
	cursorDigest = 3
	cursorBase   = 62 // letters and digits
)

// Cursor returns the place as a word for the next call. The seal tells what the
// text is of.
func (p Place) Cursor(text, seal string) string {
	raw := digestOf(text)
	column := p.At - (strings.LastIndexByte(text[:p.At], '\n') + 1)
	for _, n := range []int{p.Line, column, p.Index, p.Last} {
		raw = binary.AppendUvarint(raw, uint64(n))
	}
	raw = append(raw, sealOf(seal, raw)...)
	return new(big.Int).SetBytes(raw).Text(cursorBase)
}

// placeOf reads a cursor. ours is false for what was never a cursor with this seal,
// and current for one of a text that changed.
func placeOf(cursor, text, seal string) (p Place, ours, current bool) {
	const longest = 40 // characters
	number, ok := new(big.Int).SetString(cursor, cursorBase)
	if !ok || len(cursor) > longest || number.Text(cursorBase) != cursor {
		return Place{}, false, false
	}
	raw := number.Bytes()
	end := len(raw) - cursorDigest
	if end < textDigest || !bytes.Equal(raw[end:], sealOf(seal, raw[:end])) {
		return Place{}, false, false
	}
	rest, column := raw[textDigest:end], 0
	for _, n := range []*int{&p.Line, &column, &p.Index, &p.Last} {
		value, width := binary.Uvarint(rest)
		if width <= 0 || value > store.MaxFileSize {
			return Place{}, false, false
		}
		*n, rest = int(value), rest[width:]
	}
	p.At = min(len(store.Lines(text, 1, p.Line-1))+column, len(text))
	return p, len(rest) == 0, bytes.Equal(raw[:textDigest], digestOf(text))
}

// digestOf tells one text from another. Its first bit is set, so that no number
// made of it loses a leading zero.
func digestOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	sum[0] |= 0x80
	return sum[:textDigest:textDigest]
}

func sealOf(seal string, raw []byte) []byte {
	sum := sha256.Sum256(append([]byte(seal+"\x00"), raw...))
	return sum[:cursorDigest]
}
