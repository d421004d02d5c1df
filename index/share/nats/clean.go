package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/share"
	"issues-index/index/share/wire"
)

// unusedFor is how long a piece of a body has to lie before it is removed: a publisher stores
// the pieces before the version that names them.
const unusedFor = time.Hour

// Clean removes the pieces of large bodies that no version names any more, and returns how
// many. It needs the rights of an administrator. While a workspace has a message that is no
// version, its pieces are kept: a newer version of this program may know what it names.
func (c *TeamConnection) Clean(ctx context.Context) (removed int, err error) {
	return c.clean(ctx, unusedFor)
}

// A documentBody is what a version of a large document names.
type documentBody struct {
	workspace string
	hash      share.Hash
}

func (c *TeamConnection) clean(ctx context.Context, unused time.Duration) (removed int, err error) {
	before := time.Now().Add(-unused)
	used, kept, err := c.usedBodies(ctx)
	if err != nil {
		return 0, fmt.Errorf("find the large documents that are used: %w", err)
	}
	for m, err := range c.all(ctx, streamReader{stream: blobsStream, subjects: []string{"blobs.>"}, headers: true, atOnce: headsAtOnce}) {
		if err != nil {
			return removed, fmt.Errorf("list the parts of large documents: %w", err)
		}
		workspace, hash, _, ok := wire.ParsePieceSubject(m.Subject)
		if m.At.After(before) || ok && (used[documentBody{workspace, hash}] || kept[workspace]) {
			continue
		}
		if err := c.removePiece(ctx, m); err != nil {
			return removed, fmt.Errorf("remove the part %s of a large document: %w", m.Subject, err)
		}
		removed++
	}
	return removed, nil
}

// usedBodies are the bodies that versions name, and the workspaces with messages that are none.
func (c *TeamConnection) usedBodies(ctx context.Context) (used map[documentBody]bool, kept map[string]bool, err error) {
	used, kept = map[documentBody]bool{}, map[string]bool{}
	for m, err := range c.all(ctx, streamReader{stream: docsStream, subjects: []string{"docs.>"}, headers: true, atOnce: headsAtOnce}) {
		if err != nil {
			return nil, nil, err
		}
		s, err := wire.Parse(m.Subject, m.Header, m.Sequence)
		wrong := new(share.MessageError)
		switch {
		case errors.As(err, &wrong):
			kept[wrong.Line.Workspace] = true
		case s.Body.Pieces > 0:
			used[documentBody{s.Line.Workspace, s.Hash}] = true
		}
	}
	return used, kept, nil
}

// removePiece removes one message, and none that was stored at its place since.
func (c *TeamConnection) removePiece(ctx context.Context, m streamMessage) error {
	asked := "$JS.API.STREAM.PURGE." + blobsStream
	return c.do(ctx, asked, func(ctx context.Context) error {
		stream, err := c.js.Stream(ctx, blobsStream)
		if err != nil {
			return err
		}
		return stream.Purge(ctx, jetstream.WithPurgeSubject(m.Subject), jetstream.WithPurgeSequence(m.Sequence+1))
	})
}
