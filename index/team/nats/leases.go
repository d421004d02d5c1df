package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/team/share"
)

const (
	headerTTL       = "Nats-TTL"
	headerOperation = "KV-Operation" // of a message that deletes a key
	// deletedFor is how long the message stays by which a lease was released.
	deletedFor = time.Minute
	// leasePatience is the longest wait between two tries for a lease that others change.
	leasePatience = 2 * time.Second
)

// readLease reads a message of claimsStream; a zero lease is none. What a server has put there for
// a user who may not write there is none (see ClusterUser.permissions).
func readLease(workspace string, m streamMessage) (l share.TeamLease) {
	isDeleted := m.Header.Get(headerOperation) != ""
	if isDeleted || share.IsCopied(m.Header) || json.Unmarshal(m.Data, &l) != nil ||
		leaseSubject(workspace, l.Key) != m.Subject {
		return share.TeamLease{}
	}
	l.Workspace, l.Fence = workspace, m.Sequence
	return l
}

// put stores a lease, or its end, in the place of the message with a sequence, 0 for none. Where
// another one stands, it takes that one's place unless mayReplace refuses that.
func (c *TeamConnection) put(ctx context.Context, workspace string, m *nats.Msg, lasts time.Duration, expected uint64,
	mayReplace func(stands share.TeamLease) error,
) (sequence uint64, err error) {
	// Servers count whole seconds.
	m.Header.Set(headerTTL, strconv.FormatInt(int64(max(1, (lasts+time.Second-1)/time.Second)), 10)+"s")
	m.Header.Set(jetstream.ExpectedStreamHeader, claimsStream)
	for wait := time.Millisecond; wait < leasePatience; wait *= 2 {
		m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(expected, 10))
		err := c.do(ctx, m.Subject, func(ctx context.Context) error {
			ack, err := c.js.PublishMsg(ctx, m)
			if err == nil {
				sequence = ack.Sequence
			}
			return err
		})
		stands, is := wrongSequence(err)
		if !is {
			return sequence, err
		}
		found, err := c.readNewest(ctx, claimsStream, m.Subject, stands)
		if err == nil {
			err = mayReplace(readLease(workspace, found))
		}
		if err == nil {
			err = share.Pause(ctx, wait) // the leader may know something that this node does not know yet
		}
		if err != nil {
			return 0, err
		}
		expected = found.Sequence
	}
	return 0, fmt.Errorf("change %s: %w: others change it all the time", m.Subject, share.ErrAway)
}

// Take implements share.Team. It begins with a try: only the leader of the stream
// decides, and a key is mostly free.
func (c *TeamConnection) Take(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	return c.hold(ctx, l, lasts, 0, func(stands share.TeamLease) error {
		if stands.Fence != 0 && stands.Nonce != l.Nonce {
			return &share.HeldError{Lease: stands}
		}
		return nil
	})
}

// Renew implements share.Team.
func (c *TeamConnection) Renew(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	if l.Fence == 0 {
		return share.TeamLease{}, isLost(l)(share.TeamLease{})
	}
	return c.hold(ctx, l, lasts, l.Fence, isLost(l))
}

// isLost refuses to replace what is not a lease any more.
func isLost(l share.TeamLease) func(stands share.TeamLease) error {
	return func(stands share.TeamLease) error {
		if stands.Fence == 0 || stands.Nonce != l.Nonce {
			return fmt.Errorf("%s: %w", l.Key, share.ErrLost)
		}
		return nil
	}
}

func (c *TeamConnection) hold(ctx context.Context, l share.TeamLease, lasts time.Duration, expected uint64,
	mayReplace func(stands share.TeamLease) error,
) (share.TeamLease, error) {
	l.Until = time.Now().Add(lasts)
	value, err := json.Marshal(l)
	if err != nil {
		return share.TeamLease{}, err
	}
	m := &nats.Msg{Subject: leaseSubject(l.Workspace, l.Key), Data: value, Header: nats.Header{}}
	if l.Fence, err = c.put(ctx, l.Workspace, m, lasts, expected, mayReplace); err != nil {
		return share.TeamLease{}, err
	}
	return l, nil
}

// Release implements share.Team.
func (c *TeamConnection) Release(ctx context.Context, l share.TeamLease) error {
	m := &nats.Msg{Subject: leaseSubject(l.Workspace, l.Key), Header: nats.Header{headerOperation: {"DEL"}}}
	_, err := c.put(ctx, l.Workspace, m, deletedFor, l.Fence, isLost(l))
	if errors.Is(err, share.ErrLost) {
		return nil
	}
	return err
}

// Lease implements share.Team. On several nodes, a change of milliseconds before may be
// missing.
func (c *TeamConnection) Lease(ctx context.Context, workspace, key string) (share.TeamLease, error) {
	m, err := c.read(ctx, claimsStream, leaseSubject(workspace, key))
	return readLease(workspace, m), err
}
