package share

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A Packer packs and unpacks bodies, from several goroutines at once. Its zero value is
// ready; what it needs is made at first use.
type Packer struct {
	Most int // bytes that are unpacked at most; 0 is MaxDocument

	once    sync.Once
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	err     error
}

func (p *Packer) prepare() error {
	p.once.Do(func() {
		p.Most = cmp.Or(p.Most, MaxDocument)
		p.encoder, p.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true))
		if p.err == nil {
			// A body is unpacked into as many bytes as it says that it has, and no more.
			p.decoder, p.err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxMemory(MaxDocument), zstd.WithDecodeAllCapLimit(true))
		}
	})
	return p.err
}

// Pack packs a body with zstd.
func (p *Packer) Pack(data []byte) ([]byte, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	return p.encoder.EncodeAll(data, nil), nil
}

// maxUnsized is the largest body of which Pack does not say how large it is, in bytes.
const maxUnsized = 255

// Unpack unpacks what Pack has packed. Error: ErrTooLarge for more than Most bytes.
func (p *Packer) Unpack(packed []byte) ([]byte, error) {
	if err := p.prepare(); err != nil || len(packed) == 0 {
		return nil, err
	}
	var header zstd.Header
	if err := header.Decode(packed); err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	if !header.HasFCS {
		header.FrameContentSize = maxUnsized
	}
	if header.FrameContentSize > uint64(p.Most) { //nolint:gosec // not negative
		return nil, fmt.Errorf("unpack %d bytes: %w", header.FrameContentSize, ErrTooLarge)
	}
	data, err := p.decoder.DecodeAll(packed, make([]byte, 0, header.FrameContentSize))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return data, nil
}
