package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

const (
	headerKey      = "Ii-Key"       // of a call, so that it is done once
	headerTooLarge = "Ii-Too-Large" // of an answer that does not fit into a message
	anyInbox       = "_INBOX"       // what all inboxes begin with
	owners         = "owners"       // the queue group: one of them gets each call
	// callTimeout is how long a call waits for its answer, if its context says nothing.
	callTimeout = 30 * time.Second
	// callsAtOnce is how many calls to a line are answered at once.
	callsAtOnce = 16
)

// ServeCalls implements share.Calls. While the cluster is away it waits for it.
func (c *TeamConnection) ServeCalls(ctx context.Context, line mirror.Line, answer func(ctx context.Context, request []byte) []byte) error {
	ctx, refuse := context.WithCancelCause(ctx)
	defer refuse(nil)
	subject := callSubject(line)
	defer c.refused.watch(subject, refuse)()
	calls := make(chan *nats.Msg, callsAtOnce)
	sub, err := c.conn.ChanQueueSubscribe(subject, owners, calls)
	if err != nil {
		return translate(err)
	}
	defer func() {
		if err := sub.Unsubscribe(); err != nil {
			c.options.Log.Debug("calls are no longer served", "line", line.String(), "reason", err)
		}
	}()
	var answered share.AnsweredCalls
	places := make(chan struct{}, callsAtOnce)
	for {
		select {
		case m := <-calls:
			places <- struct{}{}
			go func() {
				defer func() { <-places }()
				c.answer(ctx, m, &answered, answer)
			}()
		case <-ctx.Done():
			if cause := context.Cause(ctx); errors.Is(cause, share.ErrForbidden) {
				return cause
			}
			return nil
		}
	}
}

func (c *TeamConnection) answer(ctx context.Context, m *nats.Msg, answered *share.AnsweredCalls, answer func(ctx context.Context, request []byte) []byte) {
	if !strings.HasPrefix(m.Reply, anyInbox) { // the answer would be a message of ours anywhere
		c.options.Log.Warn("a call is not answered", "subject", m.Subject, "reason", "it wants its answer at "+m.Reply)
		return
	}
	request, err := c.packer.Unpack(m.Data)
	if err != nil {
		c.options.Log.Warn("a call is not understood", "subject", m.Subject, "reason", err)
		return
	}
	response := &nats.Msg{Header: nats.Header{}}
	if response.Data, err = c.packer.Pack(answered.Do(m.Header.Get(headerKey), func() []byte { return answer(ctx, request) })); err != nil {
		c.options.Log.Warn("a call is not answered", "subject", m.Subject, "reason", err)
		return
	}
	if len(response.Data) > share.MaxPacked {
		response.Data = nil
		response.Header.Set(headerTooLarge, "1")
	}
	if err := m.RespondMsg(response); err != nil {
		c.options.Log.Warn("a call is not answered", "subject", m.Subject, "reason", err)
	}
}

// Call implements share.Calls.
func (c *TeamConnection) Call(ctx context.Context, line mirror.Line, key string, request []byte) ([]byte, error) {
	body, err := c.packer.Pack(request)
	if err != nil {
		return nil, err
	}
	if len(body) > share.MaxPacked {
		return nil, fmt.Errorf("call %s: the call has more than %d bytes when it is packed", line, share.MaxPacked)
	}
	timeout := callTimeout
	if deadline, ok := ctx.Deadline(); ok {
		timeout = time.Until(deadline)
	}
	subject := callSubject(line)
	// Who is called learns where its answer goes, and could have a server put something there. The
	// places of a connection's other answers must not follow from that, as those of nats.go do.
	inbox := cmp.Or(c.conn.Opts.InboxPrefix, anyInbox) + "." + randomName()
	var response *nats.Msg
	err = c.within(ctx, timeout, subject, func(ctx context.Context) error {
		answers, err := c.conn.SubscribeSync(inbox)
		if err != nil {
			return err
		}
		defer func() { _ = answers.Unsubscribe() }() // with the connection it ends in any case
		err = c.conn.PublishMsg(&nats.Msg{Subject: subject, Reply: inbox, Data: body, Header: nats.Header{headerKey: {url.QueryEscape(key)}}})
		if err == nil {
			response, err = answers.NextMsgWithContext(ctx)
		}
		return err
	})
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, fmt.Errorf("%w: %s", share.ErrNoOwner, line)
	case err != nil:
		return nil, fmt.Errorf("call %s: %w", line, err)
	case response.Header.Get(headerTooLarge) != "":
		return nil, fmt.Errorf("call %s: the answer has more than %d bytes when it is packed", line, share.MaxPacked)
	}
	return c.packer.Unpack(response.Data)
}
