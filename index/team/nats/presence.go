package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// presenceLasts is how long a presence counts: the stream keeps it no longer.
const presenceLasts = time.Minute

// A presenceValue is a presence as it is stored.
type presenceValue struct {
	Workspace string `json:"workspace"`
	Line      string `json:"line"`
	share.Presence
}

// mostPresent is how many branches of a workspace are looked at.
const mostPresent = 500

// Announce implements share.Team.
func (c *TeamConnection) Announce(ctx context.Context, p share.Presence) error {
	value, err := json.Marshal(presenceValue{p.Branch.Workspace, p.Branch.Name, p})
	if err != nil {
		return fmt.Errorf("announce %s: %w", p.Branch, err)
	}
	subject := presenceSubject(p.Branch)
	return c.do(ctx, subject, func(ctx context.Context) error {
		_, err := c.js.Publish(ctx, subject, value)
		return err
	})
}

// Presences implements share.Team. Messages that are no presences are left out, and branches
// beyond mostPresent of a workspace.
func (c *TeamConnection) Presences(ctx context.Context) ([]share.Presence, error) {
	byBranch, branches := map[mirror.Branch]share.Presence{}, map[string]int{}
	r := streamReader{stream: presenceStream, subjects: []string{presencePrefix + ">"}, atOnce: headsAtOnce}
	for m, err := range c.all(ctx, r) {
		if err != nil {
			return nil, err
		}
		p, ok := readPresence(m)
		if _, isKnown := byBranch[p.Branch]; ok && !isKnown {
			branches[p.Branch.Workspace]++
		}
		if ok && branches[p.Branch.Workspace] <= mostPresent {
			byBranch[p.Branch] = p
		}
	}
	byName := func(a, b share.Presence) int { return cmp.Compare(a.Branch.String(), b.Branch.String()) }
	return slices.SortedFunc(maps.Values(byBranch), byName), nil
}

// readPresence reads a message of presenceStream. Its time is that of the server, whatever it says.
func readPresence(m streamMessage) (p share.Presence, ok bool) {
	var v presenceValue
	if json.Unmarshal(m.Data, &v) != nil || v.Waiting < 0 {
		return p, false
	}
	v.Branch, v.At = mirror.Branch{Workspace: v.Workspace, Name: v.Line}, m.At
	ok = mirror.IsName(v.Workspace) && mirror.IsName(v.Line) && presenceSubject(v.Branch) == m.Subject
	return v.Presence, ok
}
