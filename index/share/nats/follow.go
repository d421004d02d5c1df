package nats

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/share"
	"issues-index/index/share/wire"
)

const (
	// mostAtOnce is how many versions Follow yields together, and what waits in memory at most.
	mostAtOnce = 256
	// headsAtOnce is the same for what is small.
	headsAtOnce = 2000
)

// filters are the subjects of the selected lines; none for a selection of no line.
func filters(of share.LineSelection) []string {
	workspaces, lines := slices.Compact(slices.Sorted(slices.Values(of.Workspaces))), slices.Compact(slices.Sorted(slices.Values(of.Lines)))
	if len(workspaces) == 0 {
		workspaces = []string{"*"}
	}
	if of.Lines == nil {
		lines = []string{"*"}
	}
	var subjects []string
	for _, workspace := range workspaces {
		for _, line := range lines {
			subjects = append(subjects, "docs."+workspace+"."+line+".*")
		}
	}
	return subjects
}

// Heads implements share.VersionLog. On several nodes, what was published milliseconds before
// may be missing.
func (c *TeamConnection) Heads(ctx context.Context, of share.LineSelection) iter.Seq2[share.Head, error] {
	return func(yield func(share.Head, error) bool) {
		subjects := filters(of)
		if len(subjects) == 0 {
			return
		}
		for m, err := range c.all(ctx, streamReader{stream: docsStream, subjects: subjects, headers: true, atOnce: headsAtOnce}) {
			if err != nil {
				yield(share.Head{}, err)
				return
			}
			found, err := wire.Parse(m.Subject, m.Header, m.Sequence)
			var wrong *share.MessageError
			if errors.As(err, &wrong) {
				of.Refuse(wrong)
			} else if !yield(found.Head(), err) {
				return
			}
		}
	}
}

// Follow implements share.VersionLog.
func (c *TeamConnection) Follow(ctx context.Context, after uint64, of share.LineSelection) iter.Seq2[[]share.DocumentVersion, error] {
	return func(yield func([]share.DocumentVersion, error) bool) {
		r := &streamReader{c: c, stream: docsStream, subjects: filters(of), atOnce: mostAtOnce, after: after}
		if len(r.subjects) == 0 {
			r.subjects = []string{"docs.none"} // of no line nothing comes
		}
		for {
			messages, err := r.next(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			batch, err := c.versions(ctx, messages, of)
			if len(batch) > 0 && !yield(batch, nil) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if (len(messages) == 0 || r.pending == 0) && !yield(nil, nil) {
				return
			}
		}
	}
}

// versions are what messages have, up to an error that is of the connection.
func (c *TeamConnection) versions(
	ctx context.Context, messages []streamMessage, of share.LineSelection,
) (batch []share.DocumentVersion, err error) {
	for _, m := range messages {
		v, err := c.versionOf(ctx, m)
		var wrong *share.MessageError
		switch {
		case errors.As(err, &wrong):
			of.Refuse(wrong)
		case err != nil:
			return batch, err
		default:
			batch = append(batch, v)
		}
	}
	return batch, nil
}

func (c *TeamConnection) versionOf(ctx context.Context, m streamMessage) (share.DocumentVersion, error) {
	found, err := wire.Parse(m.Subject, m.Header, m.Sequence)
	if err != nil {
		return share.DocumentVersion{}, err
	}
	return found.Version(&c.packer, m.Data)
}

// LogState implements share.VersionLog.
func (c *TeamConnection) LogState(ctx context.Context) (share.LogState, error) {
	info, err := c.streamInfo(ctx, docsStream)
	if err != nil {
		return share.LogState{}, err
	}
	return share.LogState{Last: info.State.LastSeq, Born: info.Created}, nil
}

// streamInfo asks the leader of a stream.
func (c *TeamConnection) streamInfo(ctx context.Context, name string) (*jetstream.StreamInfo, error) {
	var info *jetstream.StreamInfo
	err := c.do(ctx, "$JS.API.STREAM.INFO."+name, func(ctx context.Context) error {
		stream, err := c.js.Stream(ctx, name)
		if err == nil {
			info = stream.CachedInfo()
		}
		return err
	})
	return info, err
}
