package nats

import (
	"context"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/share/wire"
)

// place stores a message in claimsStream, where the one with a sequence stands, 0 for none.
// Where another one stands, the error is one of isWrongSequence.
func (c *TeamConnection) place(ctx context.Context, m *nats.Msg, expected uint64) (sequence uint64, err error) {
	m.Header.Set(jetstream.ExpectedStreamHeader, claimsStream)
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(expected, 10))
	err = c.do(ctx, m.Subject, func(ctx context.Context) error {
		ack, err := c.js.PublishMsg(ctx, m)
		if err == nil {
			sequence = ack.Sequence
		}
		return err
	})
	return sequence, err
}

// isPlaced reports whether a message can have been stored by place. What a server puts somewhere
// for a user who may not write there is no such message (see ClusterUser.permissions): it has none
// of these headers, or others besides, or the server has refused it, since it expects another
// stream or an older message at its place.
func isPlaced(header nats.Header) bool {
	return header.Get(jetstream.ExpectedStreamHeader) == claimsStream && header.Get(jetstream.ExpectedLastSubjSeqHeader) != "" &&
		header.Get(jetstream.ExpectedLastSubjSeqSubjHeader) == "" && header.Get(wire.HeaderCopied) == ""
}
