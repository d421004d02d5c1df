package hub

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// A Standing is how a hub is doing.
type Standing struct {
	// Following says that this process keeps the mirror; else another one does, or none.
	Following  bool
	Position   uint64
	Behind     uint64    // positions that the order is ahead, when it was asked last
	AsOf       time.Time // when the mirror had everything last, zero for never
	Connection share.ConnectionState
	Failure    error // why nothing is applied at the moment, nil for no reason
	Verified   Verified
	Branches   []BranchStanding // by name
}

// A BranchStanding is what the hub knows of a line.
type BranchStanding struct {
	Branch mirror.Branch
	// Heard is the last sign of life of a machine that publishes the line, a zero one when
	// there was none since the hub runs.
	Heard  share.Presence
	Unused []UnusedVersion // the newest ones
	More   int             // others
}

// An UnusedVersion is something published that is not used.
type UnusedVersion struct {
	Path     string // "" when it is not known
	Position uint64
	Reason   string // completes "it …"
}

const (
	// maxUnused is how many unused versions of a line are kept.
	maxUnused = 50
	// maxLines is of how many lines of a workspace signs of life are kept, and of how many unused versions.
	maxLines = 500
)

// hasRoom reports whether something is kept of one more line.
func hasRoom[V any](lines map[mirror.Branch]V, l mirror.Branch) bool {
	if _, there := lines[l]; there {
		return true
	}
	others := 0
	for other := range lines {
		if other.Workspace == l.Workspace {
			others++
		}
	}
	return others < maxLines
}

// unusedVersions are those of one line.
type unusedVersions struct {
	all  map[string]UnusedVersion // by path, or by position where that is not known
	more int
}

// Standing returns how the hub is doing.
func (h *Hub) Standing() Standing {
	connection := h.o.Team.Connection()
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Standing{
		Following: h.following, Position: h.state.Applied, AsOf: h.state.AsOf,
		Connection: connection, Failure: h.failure, Verified: h.verified,
	}
	if !h.atTip && h.last > s.Position {
		s.Behind = h.last - s.Position
	}
	lines := map[mirror.Branch]BranchStanding{}
	for l, p := range h.present {
		lines[l] = BranchStanding{Branch: l, Heard: p}
	}
	for l, unused := range h.unused {
		line := lines[l]
		line.Branch, line.More = l, unused.more
		line.Unused = slices.SortedFunc(maps.Values(unused.all), func(a, b UnusedVersion) int {
			return cmp.Compare(b.Position, a.Position)
		})
		lines[l] = line
	}
	s.Branches = slices.SortedFunc(maps.Values(lines), func(a, b BranchStanding) int {
		return cmp.Compare(a.Branch.String(), b.Branch.String())
	})
	return s
}

// Heard returns the last sign of life of a line's machines since the hub runs; heard is false
// for none.
func (h *Hub) Heard(l mirror.Branch) (p share.Presence, heard bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, heard = h.present[l]
	return p, heard
}

// noteUnused keeps why a version is not used.
func (h *Hub) noteUnused(l mirror.Branch, key string, f UnusedVersion) {
	h.mu.Lock()
	defer h.mu.Unlock()
	unused := h.unused[l]
	if unused == nil {
		if !hasRoom(h.unused, l) {
			return
		}
		unused = &unusedVersions{all: map[string]UnusedVersion{}}
		h.unused[l] = unused
	}
	_, known := unused.all[key]
	switch {
	case known:
	case len(unused.all) < maxUnused:
		h.o.Log.Warn("a published version is not used",
			"line", l.String(), "path", f.Path, "position", f.Position, "reason", f.Reason)
	default:
		oldest := slices.MinFunc(slices.Collect(maps.Keys(unused.all)), func(a, b string) int {
			return cmp.Compare(unused.all[a].Position, unused.all[b].Position)
		})
		delete(unused.all, oldest)
		unused.more++
	}
	unused.all[key] = f
}

// clearUnused forgets why a document was not used.
func (h *Hub) clearUnused(l mirror.Branch, path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if unused := h.unused[l]; unused != nil {
		if delete(unused.all, path); len(unused.all) == 0 && unused.more == 0 {
			delete(h.unused, l)
		}
	}
}

// listen asks for the machines' presences, until ctx ends.
func (h *Hub) listen(ctx context.Context) {
	for {
		all, err := h.o.Team.Presences(ctx)
		if err == nil {
			h.mu.Lock()
			for _, p := range all {
				before, heard := h.present[p.Branch]
				if (!heard || before.At.Before(p.At)) && hasRoom(h.present, p.Branch) {
					h.present[p.Branch] = p
				}
			}
			h.mu.Unlock()
		}
		if !pause(ctx, listenEvery) {
			return
		}
	}
}
