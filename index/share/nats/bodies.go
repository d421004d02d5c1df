package nats

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/share"
	"issues-index/index/share/wire"
)

// putBody stores a packed body in pieces. They lie under the hash of the document, so that to put
// them again changes nothing.
func (c *TeamConnection) putBody(ctx context.Context, workspace string, hash share.Hash, body []byte) (stored share.StoredBody, err error) {
	for ; len(body) > 0; stored.Pieces++ {
		piece := body[:min(len(body), maxBody/2)]
		body = body[len(piece):]
		subject := wire.PieceSubject(workspace, hash, stored.Pieces)
		if err := c.do(ctx, subject, func(ctx context.Context) error {
			ack, err := c.js.Publish(ctx, subject, piece)
			if err == nil {
				stored.Last = ack.Sequence
			}
			return err
		}); err != nil {
			return share.StoredBody{}, fmt.Errorf("store a part of a large document: %w", err)
		}
	}
	c.noteSound(documentBody{workspace, hash}, stored.Last)
	return stored, nil
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

// versionInPieces reads the body of a version. The error is a *share.MessageError when it is not
// there, or another one is.
func (c *TeamConnection) versionInPieces(ctx context.Context, s wire.StoredVersion) (share.DocumentVersion, error) {
	body, err := c.body(ctx, s.Line.Workspace, s.Hash, s.Body.Pieces)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound), errors.Is(err, share.ErrTooLarge):
		return share.DocumentVersion{}, &share.MessageError{Line: s.Line, Path: s.Path, Position: s.Position, Reason: "the parts of " + hex.EncodeToString(s.Hash[:]) + " are not there"}
	case err != nil:
		return share.DocumentVersion{}, err
	}
	return s.Version(&c.packer, body)
}

// Damaged implements share.VersionLog. A version says up to which piece all were stored. What was
// stored in the place of one since then is read, once: another line may have the same document.
func (c *TeamConnection) Damaged(ctx context.Context, heads []share.Head) (damaged []share.Head, err error) {
	stored, err := c.storedPieces(ctx, heads)
	if err != nil {
		return nil, err
	}
	for _, h := range heads {
		if h.Body.Pieces == 0 {
			continue
		}
		body := documentBody{h.Line.Workspace, h.Hash}
		newest, whole := newestPiece(stored[body], h.Body.Pieces)
		if whole && newest <= max(h.Body.Last, c.soundUpTo(body)) {
			continue
		}
		version := wire.StoredVersion{DocumentVersion: share.DocumentVersion{Line: h.Line, Path: h.Path, Hash: h.Hash, Position: h.Position}, Body: h.Body}
		switch _, err := c.versionInPieces(ctx, version); {
		case errors.As(err, new(*share.MessageError)):
			damaged = append(damaged, h)
		case err != nil:
			return nil, err
		case whole:
			c.noteSound(body, newest)
		}
	}
	return damaged, nil
}

// storedPieces are the sequences of the pieces of all bodies in the workspaces of some heads.
func (c *TeamConnection) storedPieces(ctx context.Context, heads []share.Head) (map[documentBody]map[int]uint64, error) {
	workspaces := map[string]bool{}
	for _, h := range heads {
		if h.Body.Pieces > 0 {
			workspaces[h.Line.Workspace] = true
		}
	}
	stored := map[documentBody]map[int]uint64{}
	for _, workspace := range slices.Sorted(maps.Keys(workspaces)) {
		for m, err := range c.all(ctx, streamReader{stream: blobsStream, subjects: []string{"blobs." + workspace + ".>"}, headers: true, atOnce: headsAtOnce}) {
			if err != nil {
				return nil, fmt.Errorf("list the parts of large documents: %w", err)
			}
			of, hash, piece, ok := wire.ParsePieceSubject(m.Subject)
			if !ok {
				continue
			}
			body := documentBody{of, hash}
			if stored[body] == nil {
				stored[body] = map[int]uint64{}
			}
			stored[body][piece] = m.Sequence
		}
	}
	return stored, nil
}

// newestPiece is the sequence of the newest of some pieces of a body; whole is false when one is
// missing.
func newestPiece(stored map[int]uint64, pieces int) (newest uint64, whole bool) {
	for i := range pieces {
		at, there := stored[i]
		if !there {
			return 0, false
		}
		newest = max(newest, at)
	}
	return newest, true
}

// soundUpTo is the newest piece with which a body was read and found sound, 0 for none.
func (c *TeamConnection) soundUpTo(body documentBody) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sound[body]
}

func (c *TeamConnection) noteSound(body documentBody, newest uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sound[body] = newest
}
