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

// A Status is how a hub is doing.
type Status struct {
	// Following says that this process keeps the mirror; else another one does, or none.
	Following  bool
	Position   uint64
	Behind     uint64    // positions that the order is ahead, when it was asked last
	AsOf       time.Time // when the mirror had everything last, zero for never
	Connection share.ConnectionState
	Failure    error // why nothing is applied at the moment, nil for no reason
	Verified   Verified
	Branches   []BranchStatus // by name
}

// A BranchStatus is what a hub says of a branch.
type BranchStatus struct {
	Branch mirror.Branch
	Unused []UnusedVersion // the newest first, at most 50
	More   int             // how many others there are
}

// An UnusedVersion is something published that is not used.
type UnusedVersion struct {
	Path     string // "" when it is not known
	Position uint64
	Reason   string // completes "it …"
}

const (
	// maxUnused is how many unused versions of a branch are kept.
	maxUnused = 50
	// maxBranches is of how many branches of a workspace presences are kept, and of how many unused
	// versions.
	maxBranches = 500
)

// A branchState is what the hub knows of a branch.
type branchState struct {
	heard  time.Time                // when a machine with the branch was heard last, zero for never
	unused map[string]UnusedVersion // by path, or by position where that is not known
	more   int
}

func (b *branchState) isHeard() bool { return !b.heard.IsZero() }

func (b *branchState) hasUnused() bool { return len(b.unused) > 0 }

// branch returns the state of a branch that is to have something from now on, nil where that is so of
// too many branches of its workspace. The caller holds mu.
func (h *Hub) branch(in mirror.Branch, has func(*branchState) bool) *branchState {
	b := h.branches[in]
	if b != nil && has(b) {
		return b
	}
	others := 0
	for other, state := range h.branches {
		if other.Workspace == in.Workspace && has(state) {
			others++
		}
	}
	if others >= maxBranches {
		return nil
	}
	if b == nil {
		b = &branchState{unused: map[string]UnusedVersion{}}
		h.branches[in] = b
	}
	return b
}

// Status returns how the hub is doing.
func (h *Hub) Status() Status {
	connection := h.o.Team.Connection()
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Status{
		Following: h.following, Position: h.state.Applied, AsOf: h.state.AsOf,
		Connection: connection, Failure: h.failure, Verified: h.verified,
	}
	if !h.atTip && h.last > s.Position {
		s.Behind = h.last - s.Position
	}
	for in, b := range h.branches {
		byPosition := func(a, b UnusedVersion) int { return cmp.Compare(b.Position, a.Position) }
		unused := slices.SortedFunc(maps.Values(b.unused), byPosition)
		s.Branches = append(s.Branches, BranchStatus{in, unused, b.more})
	}
	slices.SortFunc(s.Branches, func(a, b BranchStatus) int { return cmp.Compare(a.Branch.String(), b.Branch.String()) })
	return s
}

// Heard returns when a machine that publishes a branch was heard last since the hub runs, the zero
// time for never.
func (h *Hub) Heard(in mirror.Branch) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if b := h.branches[in]; b != nil {
		return b.heard
	}
	return time.Time{}
}

// noteUnused keeps why a version is not used.
func (h *Hub) noteUnused(in mirror.Branch, key string, v UnusedVersion) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.branch(in, (*branchState).hasUnused)
	if b == nil {
		return
	}
	if _, known := b.unused[key]; !known {
		if len(b.unused) == maxUnused {
			b.more++
			return
		}
		h.o.Log.Warn("a published version is not used",
			"line", in.String(), "path", v.Path, "position", v.Position, "reason", v.Reason)
	}
	b.unused[key] = v
}

// clearUnused forgets why a document was not used.
func (h *Hub) clearUnused(in mirror.Branch, path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if b := h.branches[in]; b != nil {
		delete(b.unused, path)
		if !b.isHeard() && !b.hasUnused() {
			delete(h.branches, in)
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
				if b := h.branch(p.Branch, (*branchState).isHeard); b != nil && b.heard.Before(p.At) {
					b.heard = p.At
				}
			}
			h.mu.Unlock()
		}
		if share.Pause(ctx, listenEvery) != nil {
			return
		}
	}
}
