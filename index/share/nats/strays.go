package nats

import (
	"context"
	"errors"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

// Strays implements share.Team. A message that ends a lease is none.
func (c *TeamConnection) Strays(ctx context.Context, workspace string) (found []*share.MessageError, err error) {
	documents := filters(share.LineSelection{Workspaces: []string{workspace}})
	for m, err := range c.all(ctx, streamReader{stream: docsStream, subjects: documents, atOnce: mostAtOnce}) {
		if err == nil {
			_, err = c.versionOf(m)
		}
		var wrong *share.MessageError
		if errors.As(err, &wrong) {
			found = append(found, wrong)
		} else if err != nil {
			return nil, err
		}
	}
	for _, place := range []struct {
		stream, subjects, reason string
		fits                     func(m streamMessage) bool
	}{
		{claimsStream, leasePrefix + workspace + ".>", "is no lease", func(m streamMessage) bool {
			l, held := readLease(workspace, m.Header, m.Data, m.Sequence)
			return held && leaseSubject(workspace, l.Key) == m.Subject || m.Header.Get(headerOperation) != ""
		}},
		{presenceStream, presencePrefix + workspace + ".>", "is no sign of life", func(m streamMessage) bool {
			_, ok := readPresence(m)
			return ok
		}},
	} {
		reader := streamReader{
			stream: place.stream, subjects: []string{place.subjects}, atOnce: headsAtOnce,
		}
		for m, err := range c.all(ctx, reader) {
			if err != nil {
				return nil, err
			}
			if !place.fits(m) {
				found = append(found, &share.MessageError{
					Line: mirror.Line{Workspace: workspace, Name: mirror.Main}, Position: m.Sequence,
					Reason: "what stands at " + shown(m.Subject) + " " + place.reason,
				})
			}
		}
	}
	return found, nil
}
