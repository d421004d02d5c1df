package answer

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"strings"

	"issues-index/store"
	"issues-index/store/markdown"
)

// A ChunkStart is where a chunk of an extent begins.
type ChunkStart struct {
	At    int // byte of the text
	Line  int // line of that byte
	Index int // number of the chunk, from 0
	Last  int // last line of the extent; 0 for that of the text
}

// A ChunkCursorReason says why a cursor of a chunk is not good.
type ChunkCursorReason int

// The reasons.
const (
	CursorForeign  ChunkCursorReason = iota // altered, or made for another text
	CursorOutdated                          // the text changed
	CursorMismatch                          // made with another section or other lines
)

// A ChunkCursorError says why the cursor of a call does not lead to a chunk.
type ChunkCursorError struct {
	Cursor string
	Tool   string // that reads the text
	Name   string // of what it is the text of
	Reason ChunkCursorReason
	Line   int // where an outdated cursor stood
}

func (e *ChunkCursorError) Error() string {
	return fmt.Sprintf("cursor %q does not fit %s", e.Cursor, e.Name)
}

// A cursor holds a digest of the text, the start as varints (line, column, index of the
// chunk, last line), and a digest of all of this with the seal, which shows whether the
// cursor was altered or belongs to another text.
const (
	textDigest   = 4 // bytes
	cursorDigest = 3
	cursorBase   = 62 // letters and digits
)

// Cursor returns the start as a cursor for the next call.
func (s ChunkStart) Cursor(text, seal string) string {
	raw := digestOf(text)
	column := s.At - (strings.LastIndexByte(text[:s.At], '\n') + 1)
	for _, n := range []int{s.Line, column, s.Index, s.Last} {
		raw = binary.AppendUvarint(raw, uint64(n))
	}
	raw = append(raw, sealOf(seal, raw)...)
	return new(big.Int).SetBytes(raw).Text(cursorBase)
}

// parseCursor reads a cursor. ours is false when it was not made with this seal,
// current when the text has changed since.
func parseCursor(cursor, text, seal string) (s ChunkStart, ours, current bool) {
	const longest = 40 // characters
	number, ok := new(big.Int).SetString(cursor, cursorBase)
	if !ok || len(cursor) > longest || number.Text(cursorBase) != cursor {
		return ChunkStart{}, false, false
	}
	raw := number.Bytes()
	end := len(raw) - cursorDigest
	if end < textDigest || !bytes.Equal(raw[end:], sealOf(seal, raw[:end])) {
		return ChunkStart{}, false, false
	}
	rest, column := raw[textDigest:end], 0
	for _, n := range []*int{&s.Line, &column, &s.Index, &s.Last} {
		value, width := binary.Uvarint(rest)
		if width <= 0 || value > store.MaxFileSize {
			return ChunkStart{}, false, false
		}
		*n, rest = int(value), rest[width:]
	}
	s.At = min(len(markdown.Lines(text, 1, s.Line-1))+column, len(text))
	return s, len(rest) == 0, bytes.Equal(raw[:textDigest], digestOf(text))
}

// digestOf tells one text from another. Its first bit is set, so that the number made
// of it has no leading zero.
func digestOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	sum[0] |= 0x80
	return sum[:textDigest:textDigest]
}

func sealOf(seal string, raw []byte) []byte {
	sum := sha256.Sum256(append([]byte(seal+"\x00"), raw...))
	return sum[:cursorDigest]
}
