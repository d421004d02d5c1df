package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/share"
	"issues-index/index/share/wire"
)

const (
	headerTTL       = "Nats-TTL"
	headerOperation = "KV-Operation" // of a message that deletes a key
	// deletedFor is how long the message stays by which a lease was released.
	deletedFor = time.Minute
	// leaseTries is how often a lease is tried for while others change it.
	leaseTries = 12
)

// A leaseValue is a lease as it is stored.
type leaseValue struct {
	Key    string    `json:"key"`
	Holder string    `json:"holder"`
	Nonce  string    `json:"nonce"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"`
}

// readLease reads a message of claimsStream; ok is false when no lease stands there. What a
// server has put there for somebody who may not is none (see ClusterUser.permissions).
func readLease(workspace string, header nats.Header, data []byte, sequence uint64) (l share.TeamLease, ok bool) {
	var v leaseValue
	if !isPlaced(header) || header.Get(headerOperation) != "" || json.Unmarshal(data, &v) != nil {
		return l, false
	}
	return share.TeamLease{Workspace: workspace, Key: v.Key, Holder: v.Holder, Nonce: v.Nonce, Since: v.Since, Until: v.Until, Fence: sequence}, true
}

// isPlaced reports whether a message can have been stored by put. What a server puts somewhere
// for a user who may not write there is no such message (see ClusterUser.permissions): it has none
// of these headers, or others besides, or the server has refused it, since it expects another
// stream or an older message at its place.
func isPlaced(header nats.Header) bool {
	return header.Get(jetstream.ExpectedStreamHeader) == claimsStream && header.Get(jetstream.ExpectedLastSubjSeqHeader) != "" &&
		header.Get(jetstream.ExpectedLastSubjSeqSubjHeader) == "" && header.Get(wire.HeaderCopied) == ""
}

// put stores a lease, or its end, where the message with a sequence stands, 0 for none. Where
// another one stands, the error is one of isWrongSequence.
func (c *TeamConnection) put(ctx context.Context, m *nats.Msg, expected uint64, lasts time.Duration) (sequence uint64, err error) {
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	// Servers count whole seconds.
	m.Header.Set(headerTTL, strconv.FormatInt(int64(max(1, (lasts+time.Second-1)/time.Second)), 10)+"s")
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

// Take implements share.TeamLeases. It begins with a try: only the leader of the stream
// decides, and a key is mostly free.
func (c *TeamConnection) Take(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	return c.hold(ctx, l, lasts, 0, func(stands share.TeamLease, held bool) error {
		if held && stands.Nonce != l.Nonce {
			return &share.HeldError{Lease: stands}
		}
		return nil
	})
}

// Renew implements share.TeamLeases.
func (c *TeamConnection) Renew(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	if l.Fence == 0 {
		return share.TeamLease{}, fmt.Errorf("renew %s: %w", l.Key, share.ErrLost)
	}
	return c.hold(ctx, l, lasts, l.Fence, func(stands share.TeamLease, held bool) error {
		if !held || stands.Nonce != l.Nonce {
			return fmt.Errorf("renew %s: %w", l.Key, share.ErrLost)
		}
		return nil
	})
}

// hold stores a lease where a message is expected. When another one stands there, may says
// whether it may be replaced.
func (c *TeamConnection) hold(ctx context.Context, l share.TeamLease, lasts time.Duration, expected uint64, may func(stands share.TeamLease, held bool) error) (share.TeamLease, error) {
	subject := leaseSubject(l.Workspace, l.Key)
	wait := time.Millisecond
	for range leaseTries {
		l.Until = time.Now().Add(lasts)
		value, err := json.Marshal(leaseValue{l.Key, l.Holder, l.Nonce, l.Since, l.Until})
		if err != nil {
			return share.TeamLease{}, err
		}
		l.Fence, err = c.put(ctx, &nats.Msg{Subject: subject, Data: value}, expected, lasts)
		if err == nil {
			return l, nil
		}
		if !isWrongSequence(err) {
			return share.TeamLease{}, err
		}
		var stands share.TeamLease
		var held bool
		tried := expected
		expected = 0
		m, err := c.readStanding(ctx, claimsStream, subject, standing(err))
		switch {
		case err == nil:
			expected = m.Sequence
			stands, held = readLease(l.Workspace, m.Header, m.Data, m.Sequence)
		case !errors.Is(err, jetstream.ErrMsgNotFound):
			return share.TeamLease{}, err
		}
		if err := may(stands, held); err != nil {
			return share.TeamLease{}, err
		}
		if expected != tried {
			continue
		}
		select { // the leader knows something that this node does not know yet
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return share.TeamLease{}, ctx.Err()
		}
	}
	return share.TeamLease{}, fmt.Errorf("take %s: %w: others change it all the time", l.Key, share.ErrAway)
}

// Release implements share.TeamLeases.
func (c *TeamConnection) Release(ctx context.Context, l share.TeamLease) error {
	subject, expected := leaseSubject(l.Workspace, l.Key), l.Fence
	for range leaseTries {
		_, err := c.put(ctx, &nats.Msg{Subject: subject, Header: nats.Header{headerOperation: {"DEL"}}}, expected, deletedFor)
		if !isWrongSequence(err) {
			return err
		}
		m, err := c.readStanding(ctx, claimsStream, subject, standing(err))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if stands, held := readLease(l.Workspace, m.Header, m.Data, m.Sequence); !held || stands.Nonce != l.Nonce {
			return nil
		}
		expected = m.Sequence
	}
	return fmt.Errorf("release %s: %w: others change it all the time", l.Key, share.ErrAway)
}

// Lease implements share.TeamLeases. On several nodes, a change of milliseconds before may be missing.
func (c *TeamConnection) Lease(ctx context.Context, workspace, key string) (share.TeamLease, error) {
	m, err := c.read(ctx, claimsStream, leaseSubject(workspace, key))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return share.TeamLease{}, nil
	}
	if err != nil {
		return share.TeamLease{}, err
	}
	l, _ := readLease(workspace, m.Header, m.Data, m.Sequence)
	return l, nil
}

// Leases implements share.TeamLeases. On several nodes, a change of milliseconds before may be
// missing.
func (c *TeamConnection) Leases(ctx context.Context, workspace string) ([]share.TeamLease, error) {
	byKey := map[string]share.TeamLease{}
	for m, err := range c.all(ctx, streamReader{stream: claimsStream, subjects: []string{leasePrefix + workspace + ".*"}, atOnce: headsAtOnce}) {
		if err != nil {
			return nil, err
		}
		l, held := readLease(workspace, m.Header, m.Data, m.Sequence)
		if held && leaseSubject(workspace, l.Key) == m.Subject {
			byKey[m.Subject] = l
		} else {
			delete(byKey, m.Subject)
		}
	}
	var found []share.TeamLease
	for _, l := range byKey {
		found = append(found, l)
	}
	slices.SortFunc(found, func(a, b share.TeamLease) int { return cmp.Compare(a.Key, b.Key) })
	return found, nil
}
