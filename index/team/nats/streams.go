package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/team/share"
)

const (
	// oldestServer has counters whose totals hold, and the repairs of streams of 2.15.1.
	oldestServer = "2.15.2"
	// enoughReplicas survive the loss of one node.
	enoughReplicas = 3
	maxMessage     = 1 << 20
	maxPresence    = 4 << 10
	// maxReaders is how many readers a stream may have. A server allows 1,000, and a machine
	// has several for a moment: after the cluster was away all of them read at once.
	maxReaders = 100_000
	// initPatience is how long Init waits for nodes that start: their first election takes about
	// ten seconds.
	initPatience = 30 * time.Second
	initPause    = 100 * time.Millisecond
)

// streamConfigs has the streams as they have to be. No stream allows roll-ups, by which a
// publisher would delete what others have published.
func streamConfigs(replicas int) []jetstream.StreamConfig {
	newest := func(name, subjects string) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name, Subjects: []string{subjects}, Storage: jetstream.FileStorage, Replicas: replicas,
			MaxMsgsPerSubject: 1, DenyDelete: true, AllowDirect: true, MaxMsgSize: maxMessage, MaxConsumers: maxReaders,
		}
	}
	docs, ids := newest(docsStream, "docs.*.*.*"), newest(idsStream, "ids.*.*")
	ids.AllowMsgCounter = true
	claims := newest(claimsStream, leasePrefix+"*.*")
	claims.AllowMsgTTL = true
	presence := newest(presenceStream, presencePrefix+"*.*")
	// It is on the disk, too: a node alone has no stream any more that was in its memory.
	presence.MaxAge = presenceLasts
	presence.MaxMsgSize = maxPresence // all of them are read at once
	return []jetstream.StreamConfig{docs, ids, claims, presence}
}

// Init makes the streams, or gives them the settings that they should have. It needs the
// rights of an administrator, and changes no document. Nodes that were started just now are
// waited for.
func (c *TeamConnection) Init(ctx context.Context, replicas int) error {
	until := time.Now().Add(initPatience)
	for _, config := range streamConfigs(replicas) {
		if err := c.initStream(ctx, config, until); err != nil {
			return fmt.Errorf("make the stream %s: %w", config.Name, err)
		}
	}
	return nil
}

// initStream asks again and again: a request before the nodes have a leader is never answered.
func (c *TeamConnection) initStream(ctx context.Context, config jetstream.StreamConfig, until time.Time) error {
	for {
		err := c.do(ctx, "$JS.API.STREAM.UPDATE."+config.Name, func(ctx context.Context) error {
			_, err := c.js.CreateOrUpdateStream(ctx, config)
			return err
		})
		if !errors.Is(err, share.ErrAway) && !isShortOfNodes(err) || time.Now().After(until) {
			return err
		}
		if err := share.Pause(ctx, initPause); err != nil {
			return err
		}
	}
}

// isShortOfNodes reports whether the servers have said that there are not enough of them for as
// many copies as were asked for.
func isShortOfNodes(err error) bool {
	const noPeers = 10005 // of nats-server's jetstream_errors_generated.go
	answered := new(jetstream.APIError)
	return errors.As(err, &answered) && answered.ErrorCode == noPeers
}

// ErrSettings says that the streams or the servers are not as they have to be.
var ErrSettings = errors.New("the team's engine has other settings than are needed")

// Check looks at the servers and the streams. An error wraps ErrSettings when nothing may be
// shared through them; warnings are for people.
func (c *TeamConnection) Check(ctx context.Context) (warnings []string, err error) {
	if err := c.reach(ctx); err != nil {
		return nil, err
	}
	if version := c.conn.ConnectedServerVersion(); olderThan(version, oldestServer) {
		return nil, fmt.Errorf("%w: the node %s is nats-server %s; %s or newer is needed",
			ErrSettings, c.conn.ConnectedServerName(), version, oldestServer)
	}
	for _, wanted := range streamConfigs(1) {
		info, err := c.streamInfo(ctx, wanted.Name)
		if err != nil {
			return nil, fmt.Errorf("look at the stream %s: %w", wanted.Name, err)
		}
		if has, needed := settings(info.Config), settings(wanted); has != needed {
			return nil, fmt.Errorf("%w: the stream %s has %s and not %s; "+
				"an administrator mends it with issues-index cluster init", ErrSettings, wanted.Name, has, needed)
		}
		if info.Config.Replicas < enoughReplicas {
			warnings = append(warnings, fmt.Sprintf("the stream %s is on %d node and not on %d: "+
				"what is on it can be lost with one disk", wanted.Name, info.Config.Replicas, enoughReplicas))
		}
	}
	return warnings, nil
}

// settings names what a stream may not have otherwise.
func settings(c jetstream.StreamConfig) string {
	return fmt.Sprintf("subjects %v, %d messages of a subject for %s (0s: for ever), %d bytes of a message, %d readers, "+
		"a limit that drops messages: %v, retention %s, storage %s, counters %v, lifetimes %v, direct reading %v, "+
		"roll-ups %v, no deleting %v", c.Subjects, c.MaxMsgsPerSubject, c.MaxAge, c.MaxMsgSize, c.MaxConsumers,
		c.MaxMsgs > 0 || c.MaxBytes > 0, c.Retention, c.Storage, c.AllowMsgCounter, c.AllowMsgTTL, c.AllowDirect,
		c.AllowRollup, c.DenyDelete)
}

// olderThan compares versions like 2.15.2. A version that cannot be read is older.
func olderThan(version, other string) bool {
	read := func(text string) (numbers [3]int) {
		_, _ = fmt.Sscanf(text, "%d.%d.%d", &numbers[0], &numbers[1], &numbers[2])
		return numbers
	}
	a, b := read(version), read(other)
	return slices.Compare(a[:], b[:]) < 0
}

// A ClusterStatus is how the cluster does.
type ClusterStatus struct {
	Node    string // that this machine is connected to
	Version string // of its server
	Streams []StreamStatus
}

// A StreamStatus is how one stream does.
type StreamStatus struct {
	Name    string
	State   jetstream.StreamState
	Cluster jetstream.ClusterInfo // zero on a single node, without a Leader while there is none
	Missing bool                  // it has not been made
}

// Status asks for the state of all streams.
func (c *TeamConnection) Status(ctx context.Context) (ClusterStatus, error) {
	if err := c.reach(ctx); err != nil {
		return ClusterStatus{}, err
	}
	status := ClusterStatus{Node: c.conn.ConnectedServerName(), Version: c.conn.ConnectedServerVersion()}
	for _, name := range streamNames {
		s := StreamStatus{Name: name}
		info, err := c.streamInfo(ctx, name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			s.Missing = true
		case errors.Is(err, share.ErrAway) && c.conn.IsConnected(): // it has no leader
		case err != nil:
			return ClusterStatus{}, err
		default:
			if s.State = info.State; info.Cluster != nil {
				s.Cluster = *info.Cluster
			}
		}
		status.Streams = append(status.Streams, s)
	}
	return status, nil
}
