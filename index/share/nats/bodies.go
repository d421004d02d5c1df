package nats

import (
	"context"
	"fmt"

	"issues-index/index/share"
	"issues-index/index/share/wire"
)

// putBody stores a packed body in pieces, and returns how many. They lie under the hash of the
// document, so that to put them again changes nothing.
func (c *TeamConnection) putBody(ctx context.Context, workspace string, hash share.Hash, body []byte) (pieces int, err error) {
	for ; len(body) > 0; pieces++ {
		piece := body[:min(len(body), maxBody/2)]
		body = body[len(piece):]
		subject := wire.PieceSubject(workspace, hash, pieces)
		if err := c.do(ctx, subject, func(ctx context.Context) error {
			_, err := c.js.Publish(ctx, subject, piece)
			return err
		}); err != nil {
			return 0, fmt.Errorf("store a part of a large document: %w", err)
		}
	}
	return pieces, nil
}

// body reads what putBody has stored.
func (c *TeamConnection) body(ctx context.Context, workspace string, hash share.Hash, pieces int) ([]byte, error) {
	var packed []byte
	for i := range pieces {
		m, err := c.read(ctx, blobsStream, wire.PieceSubject(workspace, hash, i))
		if err != nil {
			return nil, err
		}
		if packed = append(packed, m.Data...); len(packed) > share.MaxDocument {
			return nil, share.ErrTooLarge
		}
	}
	return packed, nil
}
