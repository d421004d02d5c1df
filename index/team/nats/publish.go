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

// A sent is a publication whose acknowledgement is awaited.
type sent struct {
	future jetstream.PubAckFuture
	ctx    context.Context //nolint:containedctx // ends when the server has refused the subject
	done   func()
}

// Publish implements share.VersionLog.
func (c *TeamConnection) Publish(ctx context.Context, versions []share.DocumentVersion) []share.Ack {
	acks := make([]share.Ack, len(versions))
	waiting := make([]sent, len(versions))
	for i, v := range versions {
		waiting[i], acks[i].Err = c.send(ctx, v)
	}
	for i, s := range waiting {
		if acks[i].Err != nil {
			continue
		}
		acks[i].Position, acks[i].Err = s.await()
		s.done()
		if isWrongSequence(acks[i].Err) {
			acks[i].Position, acks[i].Err = c.resolveConflict(ctx, versions[i], acks[i].Err)
		}
	}
	return acks
}

func (c *TeamConnection) send(ctx context.Context, v share.DocumentVersion) (sent, error) {
	m, err := c.message(v)
	if err == nil {
		err = c.reach(ctx)
	}
	if err != nil {
		return sent{}, err
	}
	ctx, done := c.refused.watch(ctx, m.Subject)
	future, err := c.js.PublishMsgAsync(m, jetstream.WithStallWait(c.options.Timeout))
	if err != nil {
		done()
		return sent{}, translate(err)
	}
	return sent{future, ctx, done}, nil
}

func (s sent) await() (uint64, error) {
	select {
	case ack := <-s.future.Ok():
		return ack.Sequence, nil
	case err := <-s.future.Err():
		return 0, translate(err)
	case <-s.ctx.Done():
		return 0, context.Cause(s.ctx)
	}
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

// isWrongSequence reports whether another message stands where none or a certain one was
// expected.
func isWrongSequence(err error) bool {
	var answered *jetstream.APIError
	codes := []jetstream.ErrorCode{
		jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant,
	}
	return errors.As(err, &answered) && slices.Contains(codes, answered.ErrorCode)
}

// standing is the sequence that stands according to such an error, 0 if it does not tell.
func standing(wrongSequence error) uint64 {
	var answered *jetstream.APIError
	if !errors.As(wrongSequence, &answered) {
		return 0
	}
	_, number, _ := strings.Cut(answered.Description, "wrong last sequence: ")
	sequence, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64)
	if err != nil {
		return 0
	}
	return sequence
}

// resolveConflict says what stands in the place of a version that was refused. A publication whose
// acknowledgement was lost is refused when it is sent again: then it stands there itself.
func (c *TeamConnection) resolveConflict(ctx context.Context, v share.DocumentVersion, refusal error) (uint64, error) {
	m, err := c.readStanding(ctx, docsStream, share.DocumentSubject(v.Branch, v.Path), standing(refusal))
	if err != nil {
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return 0, &share.VersionConflictError{}
		}
		return 0, err
	}
	found, err := share.ParseHeader(m.Subject, m.Header, m.Sequence)
	if err != nil { // whatever it is, it is not ours
		stands := share.Head{Branch: v.Branch, Path: v.Path, Position: m.Sequence}
		return 0, &share.VersionConflictError{Stands: stands}
	}
	if found.Origin == v.Origin {
		return found.Position, nil
	}
	return 0, &share.VersionConflictError{Stands: found.Head()}
}

// readStanding reads the newest message of a subject, which is at least the one with a
// sequence. Any node answers, and one may be behind.
func (c *TeamConnection) readStanding(ctx context.Context, stream, subject string, atLeast uint64,
) (*jetstream.RawStreamMsg, error) {
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		m, err := c.read(ctx, stream, subject)
		switch {
		case err != nil && !errors.Is(err, jetstream.ErrMsgNotFound):
			return nil, err
		case err == nil && m.Sequence >= atLeast, err != nil && atLeast == 0:
			return m, err
		case wait > c.options.Timeout && err != nil:
			return nil, err
		case wait > c.options.Timeout:
			return m, nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// read reads the newest message of a subject. The error is jetstream.ErrMsgNotFound when it
// has none.
func (c *TeamConnection) read(ctx context.Context, stream, subject string) (*jetstream.RawStreamMsg, error) {
	asked := "$JS.API.DIRECT.GET." + stream + "." + subject
	var found *jetstream.RawStreamMsg
	err := c.do(ctx, asked, func(ctx context.Context) error {
		answer, err := c.conn.RequestWithContext(ctx, asked, nil)
		if err != nil {
			return err
		}
		found, err = direct(answer)
		return err
	})
	return found, err
}

// direct reads an answer of $JS.API.DIRECT.GET. What the server says of the message comes after
// the headers of the message itself, which may have the same names.
func direct(answer *nats.Msg) (*jetstream.RawStreamMsg, error) {
	switch status := answer.Header.Get("Status"); {
	case status == "404":
		return nil, jetstream.ErrMsgNotFound
	case status != "":
		return nil, fmt.Errorf("%w: %s %s", share.ErrAway, status, answer.Header.Get("Description"))
	}
	said := map[string]string{}
	names := []string{
		jetstream.StreamHeader, jetstream.SubjectHeader, jetstream.SequenceHeader, jetstream.TimeStampHeaer,
	}
	for _, name := range names {
		values := answer.Header[name]
		if len(values) == 0 {
			return nil, fmt.Errorf("%w: an answer without %s", share.ErrAway, name)
		}
		said[name] = values[len(values)-1]
		if answer.Header[name] = values[:len(values)-1]; len(values) == 1 {
			answer.Header.Del(name)
		}
	}
	sequence, err := strconv.ParseUint(said[jetstream.SequenceHeader], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: an answer with the sequence %q", share.ErrAway, said[jetstream.SequenceHeader])
	}
	return &jetstream.RawStreamMsg{
		Subject: said[jetstream.SubjectHeader], Sequence: sequence, Header: answer.Header, Data: answer.Data,
	}, nil
}
