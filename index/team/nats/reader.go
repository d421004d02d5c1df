package nats

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/team/share"
)

const (
	// heartbeat is how often a server says that it still looks for messages. Two that are
	// missing are a dead server.
	heartbeat = time.Second
	// idle is how long a request for messages waits. After that the consumer is compared with
	// the stream: some stand still after a change of leaders (nats.go #2063).
	idle = 5 * time.Second
	// forgotten is when a server forgets an unused consumer.
	forgotten = 30 * time.Second
	// startPatience is the longest wait between two requests for a consumer.
	startPatience = 4 * time.Second
	// bytesAtOnce is how many bytes of messages are asked for together, whatever they are. It is
	// more than a message may have.
	bytesAtOnce = 8 << 20
)

// A streamMessage is a message of a stream, as it was read.
type streamMessage struct {
	Subject  string
	Header   nats.Header
	Data     []byte
	Sequence uint64
	At       time.Time // when the server stored it
}

// A streamReader reads messages of a stream in their order. At a server it is a consumer, and a new
// one whenever that one is lost or stands still.
type streamReader struct {
	stream   string
	subjects []string
	headers  bool // without bodies
	atOnce   int
	after    uint64 // sequence of the last message that was read
	last     uint64 // of the stream, when a consumer was compared with it
}

// follow yields messages as they come, at most atOnce, and an empty batch when all up to now were
// yielded. After an error it ends.
func (c *TeamConnection) follow(ctx context.Context, r streamReader) iter.Seq2[[]streamMessage, error] {
	return func(yield func([]streamMessage, error) bool) {
		for {
			consumer, err := c.consumer(ctx, r)
			if err != nil {
				yield(nil, err)
				return
			}
			if !c.drain(ctx, consumer, &r, yield) {
				return
			}
		}
	}
}

// consumer makes a consumer for what comes after the last message. While the stream has no leader it
// asks again for some seconds, as an election takes.
func (c *TeamConnection) consumer(ctx context.Context, r streamReader) (consumer jetstream.Consumer, err error) {
	config := jetstream.ConsumerConfig{
		Name: randomName(), AckPolicy: jetstream.AckNonePolicy,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: r.after + 1,
		InactiveThreshold: forgotten, Replicas: 1, MemoryStorage: true, HeadersOnly: r.headers,
	}
	subject := "$JS.API.CONSUMER.CREATE." + r.stream + "." + config.Name
	if len(r.subjects) == 1 {
		config.FilterSubject = r.subjects[0]
		subject += "." + r.subjects[0]
	} else {
		config.FilterSubjects = r.subjects
	}
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		err = c.do(ctx, subject, func(ctx context.Context) error {
			consumer, err = c.js.CreateOrUpdateConsumer(ctx, r.stream, config)
			return err
		})
		again := errors.Is(err, share.ErrAway) && c.conn.IsConnected() && wait < startPatience
		if !again || share.Pause(ctx, wait) != nil {
			return consumer, err
		}
	}
}

// drain yields what a consumer has. It reports whether the reader goes on with a new consumer.
func (c *TeamConnection) drain(ctx context.Context, consumer jetstream.Consumer, r *streamReader,
	yield func([]streamMessage, error) bool,
) (goesOn bool) {
	read, pending := uint64(0), consumer.CachedInfo().NumPending
	for {
		if pending == 0 && !yield(nil, nil) {
			return false
		}
		found, isLost := []streamMessage{}, false
		waits, cancel := context.WithTimeout(ctx, idle)
		batch, err := consumer.Fetch(min(max(int(pending), 1), r.atOnce), //nolint:gosec // of messages in memory
			jetstream.FetchContext(waits), jetstream.FetchHeartbeat(heartbeat), jetstream.FetchMaxBytes(bytesAtOnce))
		if err == nil {
			for m := range batch.Messages() {
				at, err := m.Metadata()
				if isLost = err != nil || at.Sequence.Consumer != read+1; isLost { // a message was lost on the way
					break
				}
				read, r.after, pending = at.Sequence.Consumer, at.Sequence.Stream, at.NumPending
				found = append(found, streamMessage{m.Subject(), m.Headers(), m.Data(), at.Sequence.Stream, at.Timestamp})
			}
			err = batch.Error()
		}
		cancel()
		switch {
		case len(found) > 0 && !yield(found, nil):
			return false
		case err != nil || isLost:
			return true
		case len(found) == 0:
			info, err := c.streamInfo(ctx, r.stream)
			if err != nil {
				yield(nil, err)
				return false
			}
			// The messages may be others' that are not selected; then nothing but a little work is
			// lost.
			if last := info.State.LastSeq; pending > 0 || last != r.last {
				r.last = last
				return true
			}
		}
	}
}

// all yields the messages that the stream has now.
func (c *TeamConnection) all(ctx context.Context, r streamReader) iter.Seq2[streamMessage, error] {
	return func(yield func(streamMessage, error) bool) {
		for messages, err := range c.follow(ctx, r) {
			if err != nil {
				yield(streamMessage{}, err)
			}
			for _, m := range messages {
				if !yield(m, nil) {
					return
				}
			}
			if len(messages) == 0 {
				return
			}
		}
	}
}
