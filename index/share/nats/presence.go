package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"issues-index/index/share"
	"issues-index/index/share/wire"
	"issues-index/store/mirror"
)

// presenceLasts is how long a sign of life counts: the stream keeps it no longer.
const presenceLasts = time.Minute

// A presenceValue is a sign of life as it is stored.
type presenceValue struct {
	Workspace string `json:"workspace"`
	Line      string `json:"line"`
	Machine   string `json:"machine"`
	Version   string `json:"version"`
	Commit    string `json:"commit,omitempty"`
	Waiting   int    `json:"waiting"`
}

// Announce implements share.Presences.
func (c *TeamConnection) Announce(ctx context.Context, p share.Presence) error {
	value, err := json.Marshal(presenceValue{p.Line.Workspace, p.Line.Name, p.Machine, p.Version, p.Commit, p.Waiting})
	if err != nil {
		return fmt.Errorf("announce %s: %w", p.Line, err)
	}
	subject := presenceSubject(p.Line)
	return c.do(ctx, subject, func(ctx context.Context) error {
		_, err := c.js.Publish(ctx, subject, value)
		return err
	})
}

// Presences implements share.Presences.
func (c *TeamConnection) Presences(ctx context.Context) ([]share.Presence, error) {
	byLine := map[mirror.Line]share.Presence{}
	for m, err := range c.all(ctx, streamReader{stream: presenceStream, subjects: []string{presencePrefix + ">"}, atOnce: headsAtOnce}) {
		if err != nil {
			return nil, err
		}
		var v presenceValue
		if m.Header.Get(wire.HeaderCopied) != "" || json.Unmarshal(m.Data, &v) != nil {
			continue
		}
		line := mirror.Line{Workspace: v.Workspace, Name: v.Line}
		if presenceSubject(line) == m.Subject {
			byLine[line] = share.Presence{Line: line, Machine: v.Machine, Version: v.Version, Commit: v.Commit, Waiting: v.Waiting, At: m.At}
		}
	}
	var found []share.Presence
	for _, p := range byLine {
		found = append(found, p)
	}
	slices.SortFunc(found, func(a, b share.Presence) int { return cmp.Compare(a.Line.String(), b.Line.String()) })
	return found, nil
}
