package nats

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/team/share"
)

const (
	// mostAtOnce is how many versions are asked for together.
	mostAtOnce = 256
	// headsAtOnce is the same for what is small.
	headsAtOnce = 2000
)

// filters are the subjects of the selected branches; none for a selection of no branch.
func filters(of share.BranchSelection) []string {
	names := func(all []string) []string { return slices.Compact(slices.Sorted(slices.Values(all))) }
	workspaces, branches := names(of.Workspaces), names(of.Branches)
	if len(workspaces) == 0 {
		workspaces = []string{"*"}
	}
	if of.Branches == nil {
		branches = []string{"*"}
	}
	var subjects []string
	for _, workspace := range workspaces {
		for _, branch := range branches {
			subjects = append(subjects, "docs."+workspace+"."+branch+".*")
		}
	}
	return subjects
}

// Heads implements share.Team. On several nodes, what was published milliseconds before may be
// missing, and at a node that was away for a while, all that it does not have yet.
func (c *TeamConnection) Heads(ctx context.Context, of share.BranchSelection) iter.Seq2[share.DocumentVersion, error] {
	return func(yield func(share.DocumentVersion, error) bool) {
		subjects := filters(of)
		if len(subjects) == 0 {
			return
		}
		r := streamReader{stream: docsStream, subjects: subjects, headers: true, atOnce: headsAtOnce}
		for m, err := range c.all(ctx, r) {
			if err != nil {
				yield(share.DocumentVersion{}, err)
				return
			}
			found, err := share.ParseHeader(m.Subject, m.Header, m.Sequence)
			var wrong *share.MessageError
			if errors.As(err, &wrong) {
				of.Refuse(wrong)
			} else if !yield(found, err) {
				return
			}
		}
	}
}

// Follow implements share.Team.
func (c *TeamConnection) Follow(ctx context.Context, after uint64, of share.BranchSelection,
) iter.Seq2[[]share.DocumentVersion, error] {
	return func(yield func([]share.DocumentVersion, error) bool) {
		r := streamReader{stream: docsStream, subjects: filters(of), atOnce: mostAtOnce, after: after}
		if len(r.subjects) == 0 {
			r.subjects = []string{"docs.none"} // of no branch nothing comes
		}
		for messages, err := range c.follow(ctx, r) {
			if err != nil || len(messages) == 0 {
				if !yield(nil, err) {
					return
				}
				continue
			}
			for batch := range c.batches(messages, of) {
				if !yield(batch, nil) {
					return
				}
			}
		}
	}
}

// batches yields the versions that messages have. A few hundred bytes unpack to as many as a
// document may have: where a batch has no room for such a document, it is yielded before the next
// message is unpacked.
func (c *TeamConnection) batches(messages []streamMessage, of share.BranchSelection) iter.Seq[[]share.DocumentVersion] {
	return func(yield func([]share.DocumentVersion) bool) {
		var batch []share.DocumentVersion
		bytes := 0
		for _, m := range messages {
			v, err := share.ParseHeader(m.Subject, m.Header, m.Sequence)
			if err == nil {
				v, err = v.WithBody(&c.packer, m.Data)
			}
			if wrong := new(share.MessageError); errors.As(err, &wrong) {
				of.Refuse(wrong)
				continue
			}
			batch, bytes = append(batch, v), bytes+len(v.Data)
			if bytes > share.MaxBatchBytes-share.MaxDocument {
				if !yield(batch) {
					return
				}
				batch, bytes = nil, 0
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// LogState implements share.Team.
func (c *TeamConnection) LogState(ctx context.Context) (share.LogState, error) {
	info, err := c.streamInfo(ctx, docsStream)
	if err != nil {
		return share.LogState{}, err
	}
	return share.LogState{Last: info.State.LastSeq, Born: info.Created}, nil
}

// streamInfo asks the leader of a stream.
func (c *TeamConnection) streamInfo(ctx context.Context, name string) (info *jetstream.StreamInfo, err error) {
	err = c.do(ctx, "$JS.API.STREAM.INFO."+name, func(ctx context.Context) error {
		stream, err := c.js.Stream(ctx, name)
		if err == nil {
			info = stream.CachedInfo()
		}
		return err
	})
	return info, err
}
