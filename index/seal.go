package index

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"issues-index/store"
	"issues-index/store/cachedir"
)

// A seal is kept beside the index file and says how that file looked after our
// own last checkpoint. Nothing else writes to it, so an index that looks
// otherwise at the next start has been cut, overwritten or damaged, and is
// rebuilt. The content itself has no checksums: this is what notices a flipped
// byte that SQLite would serve. It is also how a file that was overwritten is
// known to have been an index of ours.
func (p *place) sealName() string { return p.db.Name + sealSuffix }

const sealSuffix = ".seal"

// maxSeal bounds how much of a seal is read, in bytes. Ours have about 130.
const maxSeal = 1 << 10

func (p *place) stat() (store.Stat, error) {
	info, err := p.db.Dir.Stat(p.db.Name)
	if err != nil {
		return store.Stat{}, fmt.Errorf("look at the index: %w", err)
	}
	return store.StatOf(info), nil
}

// writeSeal seals the index file as it is now.
func (p *place) writeSeal() error {
	s, err := p.stat()
	if err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = p.db.Dir.Replace(p.sealName(), text, isSeal)
	}
	if err != nil {
		return fmt.Errorf("write the index's seal: %w", err)
	}
	return nil
}

// isSeal tells a seal from other files.
func isSeal(head []byte) bool {
	_, err := parseSeal(head)
	return err == nil
}

func parseSeal(text []byte) (sealed store.Stat, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&sealed)
	return sealed, err
}

var errSeal = errors.New("the index file is not as it was left")

// readSeal returns how the index file looked.
func (p *place) readSeal() (store.Stat, error) {
	text, err := p.db.Dir.Read(p.sealName(), maxSeal)
	if err != nil {
		return store.Stat{}, fmt.Errorf("%w: %w", errSeal, err)
	}
	sealed, err := parseSeal(text)
	if err != nil {
		return store.Stat{}, fmt.Errorf("%w: %w", errSeal, err)
	}
	return sealed, nil
}

// sealed reports whether a file is the one that was sealed, whatever is in it now. As
// it may be deleted then, its device must be the same, too: inodes of two have the same
// numbers.
func (p *place) sealed(info fs.FileInfo) bool {
	then, err := p.readSeal()
	now := store.StatOf(info)
	return err == nil && now.Inode != 0 && now.Inode == then.Inode && now.Device == then.Device
}

// checkSeal reports whether the index file and its write-ahead log are as we
// left them. It may only be called while no process has the index open.
func (p *place) checkSeal() error {
	if err := p.checkSealed(); err != nil {
		return err
	}
	return checkLog(p.db.Dir, p.db.Name+"-wal")
}

// checkSealed reports whether the index file is as it was sealed. While it is
// open, changes are in the log alone, so that this holds then, too.
func (p *place) checkSealed() error {
	sealed, err := p.readSeal()
	if err != nil {
		return err
	}
	found, err := p.stat()
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
func checkLog(dir *cachedir.Dir, name string) error {
	f, err := dir.Open(name)
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
