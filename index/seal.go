package index

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"issues-index/store"
)

// A seal is kept beside the index file and says how that file looked after our
// own last checkpoint. Nothing else writes to it, so an index that looks
// otherwise at the next start has been cut, overwritten or damaged, and is
// rebuilt. The content itself has no checksums: this is what notices a flipped
// byte that SQLite would serve.
func sealPath(path string) string { return path + ".seal" }

func sealOf(path string) (store.Stat, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return store.Stat{}, fmt.Errorf("look at the index: %w", err)
	}
	return store.StatOf(info), nil
}

// writeSeal seals the index file as it is now.
func writeSeal(path string) error {
	s, err := sealOf(path)
	if err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write the index's seal: %w", err)
	}
	if err := os.WriteFile(sealPath(path), text, 0o644); err != nil { //nolint:gosec // as readable as the documents
		return fmt.Errorf("write the index's seal: %w", err)
	}
	return nil
}

var errSeal = errors.New("the index file is not as it was left")

// checkSeal reports whether the index file and its write-ahead log are as we
// left them. It may only be called while no process has the index open.
func checkSeal(path string) error {
	if err := checkSealed(path); err != nil {
		return err
	}
	return checkLog(path + "-wal")
}

// checkSealed reports whether the index file is as it was sealed. While it is
// open, changes are in the log alone, so that this holds then, too.
func checkSealed(path string) error {
	text, err := os.ReadFile(sealPath(path))
	if err != nil {
		return fmt.Errorf("%w: %w", errSeal, err)
	}
	var sealed store.Stat
	if err := json.Unmarshal(text, &sealed); err != nil {
		return fmt.Errorf("%w: %w", errSeal, err)
	}
	found, err := sealOf(path)
	if err != nil {
		return err
	}
	if !sameFile(found, sealed) {
		return errSeal
	}
	return nil
}

// The write-ahead log's format: https://www.sqlite.org/fileformat2.html#walformat
const (
	logHeaderSize   = 32
	frameHeaderSize = 24
	logMagic        = 0x377f0682 // the lowest bit: checksums of big-endian words
)

// checkLog checks a write-ahead log left by a process that was killed. SQLite
// takes the log up to the first bad frame, which would undo the newest changes
// of a damaged log without a word.
func checkLog(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the index's log: %w", err)
	}
	defer func() { _ = f.Close() }()
	header := make([]byte, logHeaderSize)
	if _, err := io.ReadFull(f, header); errors.Is(err, io.EOF) {
		return nil // empty
	} else if err != nil {
		return fmt.Errorf("%w: read its log: %w", errSeal, err)
	}
	word := func(b []byte, i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	if word(header, 0)&^1 != logMagic {
		return fmt.Errorf("%w: its log has no header", errSeal)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if word(header, 0)&1 != 0 {
		order = binary.BigEndian
	}
	sum := logSum{order: order}
	sum.add(header[:24])
	if sum.a != word(header, 6) || sum.b != word(header, 7) {
		return fmt.Errorf("%w: its log's header is damaged", errSeal)
	}
	frame := make([]byte, frameHeaderSize+int(word(header, 2)))
	whole := true // so far
	for {
		_, err := io.ReadFull(f, frame)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: read its log: %w", errSeal, err)
		}
		ours := bytes.Equal(frame[8:16], header[16:24]) // else left over from before the log was last reset
		if ours {
			sum.add(frame[:8])
			sum.add(frame[frameHeaderSize:])
			whole = whole && sum.a == word(frame, 4) && sum.b == word(frame, 5)
			if !whole {
				return fmt.Errorf("%w: its log is damaged", errSeal)
			}
			continue
		}
		whole = false
	}
}

// A logSum is the log's running checksum.
type logSum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (s *logSum) add(data []byte) {
	for i := 0; i+8 <= len(data); i += 8 {
		s.a += s.order.Uint32(data[i:]) + s.b
		s.b += s.order.Uint32(data[i+4:]) + s.a
	}
}
