package wire

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"issues-index/index/share"
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
		// What is unpacked is no larger than a document may be, whatever the message says.
		p.decoder, p.err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(share.MaxDocument), zstd.WithDecoderLowmem(true))
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

// Unpack unpacks what Pack has packed, and nothing larger than a document may be.
func (p *Packer) Unpack(packed []byte) ([]byte, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	data, err := p.decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return data, nil
}
