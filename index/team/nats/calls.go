package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

const (
	headerTooLarge = "Ii-Too-Large" // of an answer that does not fit into a message
	headerBusy     = "Ii-Busy"      // of an answer to a call that was not done
	anyInbox       = "_INBOX"       // what all inboxes begin with
	owners         = "owners"       // the queue group: one of them gets each call
	// callTimeout is how long a call waits for its answer, if its context says nothing.
	callTimeout = 30 * time.Second
	// callsAtOnce is how many calls to a branch are answered at once. To others is said that the
	// machine is busy.
	callsAtOnce = 128
	// maxCall is the largest call, and the largest answer, in bytes.
	maxCall = 5 << 20
)

// ServeCalls implements share.Team. While the cluster is away it waits for it.
func (c *TeamConnection) ServeCalls(ctx context.Context, branch mirror.Branch,
	answer func(ctx context.Context, request []byte) []byte,
) error {
	subject := callSubject(branch)
	asked, done := c.watch(ctx, subject)
	defer done()
	sub, err := c.conn.QueueSubscribeSync(subject, owners)
	if err != nil {
		return translate(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // with the connection it ends in any case
	places := make(chan struct{}, callsAtOnce)
	for {
		m, err := sub.NextMsgWithContext(asked)
		switch {
		case ctx.Err() != nil:
			return nil
		case asked.Err() != nil:
			return context.Cause(asked)
		case err != nil:
			return translate(err)
		}
		if !strings.HasPrefix(m.Reply, anyInbox) { // the answer would be a message of ours anywhere
			c.options.Log.Warn("a call is not done", "subject", m.Subject, "reason", "it wants its answer at "+m.Reply)
			continue
		}
		select {
		case places <- struct{}{}:
			go func() {
				defer func() { <-places }()
				c.answer(ctx, m, answer)
			}()
		default:
			c.respond(m, &nats.Msg{Header: nats.Header{headerBusy: {"1"}}})
		}
	}
}

func (c *TeamConnection) answer(ctx context.Context, m *nats.Msg,
	answer func(ctx context.Context, request []byte) []byte,
) {
	request, err := c.calls.Unpack(m.Data)
	if err != nil {
		c.options.Log.Warn("a call is not understood", "subject", m.Subject, "reason", err)
		return
	}
	data := answer(ctx, request)
	response := &nats.Msg{Header: nats.Header{}}
	if response.Data, err = c.calls.Pack(data); err != nil {
		c.options.Log.Warn("a call is not answered", "subject", m.Subject, "reason", err)
		return
	}
	if len(response.Data) > share.MaxPacked || len(data) > maxCall {
		response.Data = nil
		response.Header.Set(headerTooLarge, "1")
	}
	c.respond(m, response)
}

func (c *TeamConnection) respond(m, response *nats.Msg) {
	if err := m.RespondMsg(response); err != nil {
		c.options.Log.Warn("a call is not answered", "subject", m.Subject, "reason", err)
	}
}

// Call implements share.Team.
func (c *TeamConnection) Call(ctx context.Context, branch mirror.Branch, request []byte) ([]byte, error) {
	body, err := c.calls.Pack(request)
	if err != nil {
		return nil, err
	}
	if len(body) > share.MaxPacked || len(request) > maxCall {
		return nil, fmt.Errorf("call %s: the call is too large", branch)
	}
	timeout := callTimeout
	if deadline, ok := ctx.Deadline(); ok {
		timeout = time.Until(deadline)
	}
	subject := callSubject(branch)
	// The machine that is called learns where its answer goes, and could have a server put something
	// there. The places of other answers must not follow from that, as those of nats.go do.
	inbox := cmp.Or(c.conn.Opts.InboxPrefix, anyInbox) + "." + randomName()
	var response *nats.Msg
	err = c.within(ctx, timeout, subject, func(ctx context.Context) error {
		answers, err := c.conn.SubscribeSync(inbox)
		if err != nil {
			return err
		}
		defer func() { _ = answers.Unsubscribe() }() // with the connection it ends in any case
		if err = c.conn.PublishRequest(subject, inbox, body); err == nil {
			response, err = answers.NextMsgWithContext(ctx)
		}
		return err
	})
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, fmt.Errorf("%w: %s", share.ErrNoOwner, branch)
	case err != nil:
		return nil, fmt.Errorf("call %s: %w", branch, err)
	case response.Header.Get(headerBusy) != "":
		return nil, fmt.Errorf("call %s: %w", branch, share.ErrBusy)
	case response.Header.Get(headerTooLarge) != "":
		return nil, fmt.Errorf("call %s: the answer is too large", branch)
	}
	answer, err := c.calls.Unpack(response.Data)
	if err != nil {
		return nil, fmt.Errorf("call %s: read the answer: %w", branch, err)
	}
	return answer, nil
}
