package index

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"issues-index/index/db"
)

// The index keeps the bodies of documents compressed: they are most of it.

// encoderWindow is how far back the encoder looks for what repeats, in bytes. It keeps
// as much in memory, and hardly any body is longer.
const encoderWindow = 512 << 10

var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(encoderWindow))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

// packed is a body as the index keeps it.
func packed(body []byte) []byte {
	return encoder().EncodeAll(body, make([]byte, 0, len(body)/2))
}

// unpacked is the body that packed has made data of.
func unpacked(data []byte) (string, error) {
	body, err := decoder().DecodeAll(data, nil)
	if err != nil {
		return "", fmt.Errorf("%w: decompress a body: %w", db.ErrDamaged, err)
	}
	return string(body), nil
}
