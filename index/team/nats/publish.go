package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/team/share"
)

// Publish implements share.Team.
func (c *TeamConnection) Publish(ctx context.Context, versions []share.DocumentVersion) []share.Ack {
	acks := make([]share.Ack, len(versions))
	waiting := make([]func() (uint64, error), len(versions))
	for i, v := range versions {
		waiting[i], acks[i].Err = c.send(ctx, v)
	}
	for i, await := range waiting {
		if await == nil {
			continue
		}
		acks[i].Position, acks[i].Err = await()
		if stands, is := wrongSequence(acks[i].Err); is {
			acks[i].Position, acks[i].Err = c.resolveConflict(ctx, versions[i], stands)
		}
	}
	return acks
}

// send sends a version. What it returns awaits the acknowledgement.
func (c *TeamConnection) send(ctx context.Context, v share.DocumentVersion) (await func() (uint64, error), err error) {
	m, err := c.message(v)
	if err == nil {
		err = c.reach(ctx)
	}
	if err != nil {
		return nil, err
	}
	ctx, done := c.watch(ctx, m.Subject)
	future, err := c.js.PublishMsgAsync(m, jetstream.WithStallWait(c.options.Timeout))
	if err != nil {
		done()
		return nil, translate(err)
	}
	return func() (uint64, error) {
		defer done()
		select {
		case ack := <-future.Ok():
			return ack.Sequence, nil
		case err := <-future.Err():
			return 0, translate(err)
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}, nil
}

// message is a version as it is sent. A server takes 1 MiB with the headers.
func (c *TeamConnection) message(v share.DocumentVersion) (*nats.Msg, error) {
	if len(v.Data) > share.MaxDocument {
		return nil, share.ErrTooLarge
	}
	v.Hash = share.Hash{}
	if !v.Gone {
		v.Hash = share.HashOf(v.Data)
	}
	m := &nats.Msg{Subject: share.DocumentSubject(v.Branch, v.Path), Header: v.Header()}
	_, err := share.ParseHeader(m.Subject, m.Header, 0)
	if err != nil {
		return nil, fmt.Errorf("publish %q: %w", v.Path, err)
	}
	if v.Gone {
		return m, nil
	}
	if m.Data, err = c.packer.Pack(v.Data); err != nil {
		return nil, err
	}
	if len(m.Data) > share.MaxPacked {
		return nil, share.ErrTooLarge
	}
	return m, nil
}

// wrongSequence reports whether another message stands where none or a certain one was expected, and
// its sequence, 0 if the server does not tell.
func wrongSequence(err error) (stands uint64, is bool) {
	var answered *jetstream.APIError
	codes := []jetstream.ErrorCode{
		jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant,
	}
	if !errors.As(err, &answered) || !slices.Contains(codes, answered.ErrorCode) {
		return 0, false
	}
	_, number, _ := strings.Cut(answered.Description, "wrong last sequence: ")
	stands, _ = strconv.ParseUint(strings.TrimSpace(number), 10, 64)
	return stands, true
}

// resolveConflict says what stands in the place of a version that was refused. A publication whose
// acknowledgement was lost is refused when it is sent again: then it stands there itself.
func (c *TeamConnection) resolveConflict(ctx context.Context, v share.DocumentVersion, stands uint64) (uint64, error) {
	m, err := c.readNewest(ctx, docsStream, share.DocumentSubject(v.Branch, v.Path), stands)
	if err != nil {
		return 0, err
	}
	found, err := share.ParseHeader(m.Subject, m.Header, m.Sequence)
	switch {
	case err != nil: // whatever it is, it is not ours
		found = share.DocumentVersion{Branch: v.Branch, Path: v.Path, Position: m.Sequence}
	case found.Origin == v.Origin:
		return found.Position, nil
	}
	return 0, &share.VersionConflictError{Stands: found}
}

// readNewest reads the newest message of a subject, which is at least that with a sequence. Any
// node answers, and one may be behind.
func (c *TeamConnection) readNewest(ctx context.Context, stream, subject string, atLeast uint64,
) (streamMessage, error) {
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		m, err := c.read(ctx, stream, subject)
		if err != nil || m.Sequence >= atLeast || wait > c.options.Timeout {
			return m, err
		}
		if err := share.Pause(ctx, wait); err != nil {
			return m, err
		}
	}
}

// read reads the newest message of a subject, a zero message where it has none. What the server says
// of the message comes after the headers of the message itself, which may have the same names.
func (c *TeamConnection) read(ctx context.Context, stream, subject string) (m streamMessage, err error) {
	asked := "$JS.API.DIRECT.GET." + stream + "." + subject
	err = c.do(ctx, asked, func(ctx context.Context) error {
		answer, err := c.conn.RequestWithContext(ctx, asked, nil)
		if err != nil {
			return err
		}
		if status := answer.Header.Get("Status"); status == "404" {
			return nil
		} else if status != "" {
			return fmt.Errorf("%w: %s %s", share.ErrAway, status, answer.Header.Get("Description"))
		}
		said := func(name string) (last string) {
			if all := answer.Header[name]; len(all) > 0 {
				last, answer.Header[name] = all[len(all)-1], all[:len(all)-1]
			}
			return last
		}
		said(jetstream.StreamHeader)
		m = streamMessage{Subject: subject, Header: answer.Header, Data: answer.Data}
		if m.Sequence, err = strconv.ParseUint(said(jetstream.SequenceHeader), 10, 64); err != nil {
			return fmt.Errorf("%w: an answer without its place", share.ErrAway)
		}
		return nil
	})
	return m, err
}
