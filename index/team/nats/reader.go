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
	// startTries is how often a consumer is asked for while the stream has no leader: about
	// ten seconds, longer than an election takes.
	startTries = 14
)

// A streamMessage is one of a stream, as it was read.
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
	c        *TeamConnection
	stream   string
	subjects []string
	headers  bool // without bodies
	atOnce   int

	after    uint64 // sequence of the last message that was read
	consumer jetstream.Consumer
	waiting  <-chan jetstream.Msg
	fetched  jetstream.MessageBatch
	given    int    // number of messages that this request has given
	read     uint64 // number of messages that this consumer has given
	pending  uint64 // number of messages that it has besides, as far as known
	last     uint64 // of the stream, when it was compared
	compared bool
}

// next returns the messages that have come, at most atOnce. It waits for the first; when none
// comes within idle, and when there is none at the start, it returns none.
func (r *streamReader) next(ctx context.Context) ([]streamMessage, error) {
	for {
		if err := r.c.reach(ctx); err != nil {
			return nil, err
		}
		if r.consumer == nil {
			if err := r.start(ctx); err != nil {
				return nil, err
			}
			if r.pending == 0 {
				return nil, nil
			}
		}
		found, err := r.take(ctx)
		switch {
		case errors.Is(err, errLostConsumer):
			r.consumer = nil
			if len(found) > 0 {
				return found, nil
			}
		case err != nil || len(found) > 0:
			return found, err
		case r.fetched == nil && r.given == 0: // idle, and not the end of a request that was answered
			return nil, r.compare(ctx)
		}
	}
}

// start makes a consumer.
func (r *streamReader) start(ctx context.Context) error {
	for try, wait := 1, 50*time.Millisecond; ; try, wait = try+1, min(2*wait, time.Second) {
		err := r.create(ctx)
		if err == nil || !errors.Is(err, share.ErrAway) || try == startTries || !r.c.conn.IsConnected() {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *streamReader) create(ctx context.Context) error {
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
	return r.c.do(ctx, subject, func(ctx context.Context) error {
		consumer, err := r.c.js.CreateOrUpdateConsumer(ctx, r.stream, config)
		if err == nil {
			r.consumer, r.pending = consumer, consumer.CachedInfo().NumPending
			r.read, r.fetched, r.waiting = 0, nil, nil
		}
		return err
	})
}

// errLostConsumer says that a new consumer has to be made.
var errLostConsumer = errors.New("the consumer is lost")

// take returns what has come of one request to the consumer, and waits for the first.
func (r *streamReader) take(ctx context.Context) (found []streamMessage, err error) {
	if r.fetched == nil {
		fetched, err := r.consumer.Fetch(r.atOnce, jetstream.FetchMaxWait(idle), jetstream.FetchHeartbeat(heartbeat),
			jetstream.FetchMaxBytes(bytesAtOnce))
		if err != nil {
			return nil, errLostConsumer
		}
		r.fetched, r.waiting, r.given = fetched, fetched.Messages(), 0
	}
	for len(found) == 0 || len(r.waiting) > 0 {
		var m jetstream.Msg
		var more bool
		select {
		case m, more = <-r.waiting:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !more {
			failed := r.fetched.Error() != nil
			r.fetched = nil
			if failed {
				return found, errLostConsumer
			}
			return found, nil
		}
		at, err := m.Metadata()
		if err != nil || at.Sequence.Consumer != r.read+1 {
			return found, errLostConsumer // a message was lost on the way
		}
		r.given++
		r.read, r.after, r.pending = at.Sequence.Consumer, at.Sequence.Stream, at.NumPending
		found = append(found, streamMessage{m.Subject(), m.Headers(), m.Data(), at.Sequence.Stream, at.Timestamp})
	}
	return found, nil
}

// compare has a new consumer made when the stream has got messages and none has come. They may
// be others' that are not selected; then nothing but a little work is lost.
func (r *streamReader) compare(ctx context.Context) error {
	info, err := r.c.streamInfo(ctx, r.stream)
	if err != nil {
		if errors.Is(err, share.ErrAway) && r.c.conn.IsConnected() {
			r.consumer = nil // it has no leader at the moment: start waits for one
			return nil
		}
		return err
	}
	if r.compared && info.State.LastSeq != r.last || !r.compared && info.State.LastSeq > r.after {
		r.consumer = nil
	}
	r.last, r.compared = info.State.LastSeq, true
	return nil
}

// all yields the messages that the stream has now.
func (c *TeamConnection) all(ctx context.Context, r streamReader) iter.Seq2[streamMessage, error] {
	return func(yield func(streamMessage, error) bool) {
		r.c = c
		for {
			messages, err := r.next(ctx)
			if err != nil {
				yield(streamMessage{}, err)
				return
			}
			for _, m := range messages {
				if !yield(m, nil) {
					return
				}
			}
			if r.pending == 0 {
				return
			}
			if len(messages) == 0 { // a new consumer tells anew how many there are
				r.consumer = nil
			}
		}
	}
}
