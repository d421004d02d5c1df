package share

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A Packer packs and unpacks bodies, from several goroutines at once. Its zero value is
// ready; what it needs is made at first use.
type Packer struct {
	once    sync.Once
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	err     error
}

func (p *Packer) prepare() error {
	p.once.Do(func() {
		p.encoder, p.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true))
		if p.err != nil {
			return
		}
		// A body is unpacked into as many bytes as it says that it has, and no more.
		p.decoder, p.err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(MaxDocument), zstd.WithDecodeAllCapLimit(true))
	})
	if p.err != nil {
		return fmt.Errorf("prepare to pack documents: %w", p.err)
	}
	return nil
}

// Pack packs a body.
func (p *Packer) Pack(data []byte) ([]byte, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	return p.encoder.EncodeAll(data, nil), nil
}

// maxUnsized is the largest body of which Pack does not say how large it is, in bytes.
const maxUnsized = 255

// UnpackedSize returns how many bytes what Pack has packed has unpacked, at most as many as a
// document may have. Unpack makes no more of it.
func UnpackedSize(packed []byte) (int, error) {
	if len(packed) == 0 {
		return 0, nil
	}
	var header zstd.Header
	if err := header.Decode(packed); err != nil {
		return 0, fmt.Errorf("unpack: %w", err)
	}
	switch {
	case !header.HasFCS:
		return maxUnsized, nil
	case header.FrameContentSize > MaxDocument:
		return 0, fmt.Errorf("unpack %d bytes: %w", header.FrameContentSize, ErrTooLarge)
	}
	return int(header.FrameContentSize), nil //nolint:gosec // at most MaxDocument
}

// Unpack unpacks what Pack has packed, and nothing larger than a document may be.
func (p *Packer) Unpack(packed []byte) ([]byte, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	size, err := UnpackedSize(packed)
	if err != nil || size == 0 {
		return nil, err
	}
	data, err := p.decoder.DecodeAll(packed, make([]byte, 0, size))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return data, nil
}
