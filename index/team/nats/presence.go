package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
	"issues-index/store/words"
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

// maxPresenceText is how much is shown of a text that a machine says of itself, in bytes.
const maxPresenceText = 200

// mostPresent is how many lines of a workspace are looked at.
const mostPresent = 500

// Announce implements share.Presences.
func (c *TeamConnection) Announce(ctx context.Context, p share.Presence) error {
	value, err := json.Marshal(presenceValue{p.Branch.Workspace, p.Branch.Name, p.Machine, p.Version, p.Commit, p.Waiting})
	if err != nil {
		return fmt.Errorf("announce %s: %w", p.Branch, err)
	}
	subject := presenceSubject(p.Branch)
	return c.do(ctx, subject, func(ctx context.Context) error {
		_, err := c.js.Publish(ctx, subject, value)
		return err
	})
}

// Presences implements share.Presences. Messages that are no signs of life are left out, and lines
// beyond mostPresent of a workspace.
func (c *TeamConnection) Presences(ctx context.Context) ([]share.Presence, error) {
	byLine, lines := map[mirror.Branch]share.Presence{}, map[string]int{}
	r := streamReader{stream: presenceStream, subjects: []string{presencePrefix + ">"}, atOnce: headsAtOnce}
	for m, err := range c.all(ctx, r) {
		if err != nil {
			return nil, err
		}
		p, ok := readPresence(m)
		if _, isKnown := byLine[p.Branch]; ok && !isKnown {
			lines[p.Branch.Workspace]++
		}
		if ok && lines[p.Branch.Workspace] <= mostPresent {
			byLine[p.Branch] = p
		}
	}
	byName := func(a, b share.Presence) int { return cmp.Compare(a.Branch.String(), b.Branch.String()) }
	return slices.SortedFunc(maps.Values(byLine), byName), nil
}

// readPresence reads a message of presenceStream. Its time is that of the server, whatever it
// says; its texts come from any user with a key and are shown to people.
func readPresence(m streamMessage) (p share.Presence, ok bool) {
	var v presenceValue
	if json.Unmarshal(m.Data, &v) != nil || v.Waiting < 0 {
		return p, false
	}
	line := mirror.Branch{Workspace: v.Workspace, Name: v.Line}
	if !mirror.IsName(line.Workspace) || !mirror.IsName(line.Name) || presenceSubject(line) != m.Subject {
		return p, false
	}
	return share.Presence{
		Branch: line, Machine: shown(v.Machine), Version: shown(v.Version), Commit: shown(v.Commit),
		Waiting: v.Waiting, At: m.At,
	}, true
}

// shown is a text without what controls a terminal or changes the direction of text.
func shown(text string) string {
	return words.CutBytes(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text), maxPresenceText)
}
