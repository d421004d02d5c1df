package hub

import (
	"context"
	"fmt"
	"maps"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// A Verified is what a verification has found.
type Verified struct {
	At        time.Time // zero for never
	Documents int       // that are published
	Missed    int       // that the mirror lacked, or had otherwise
	Extra     int       // that it had too much
	IsSetBack bool      // the order was another or an older one
}

// A wantedHead is what is published of a document.
type wantedHead struct {
	hash     share.Hash
	position uint64
	isThere  bool // the mirror has it
}

// verify compares the mirror with the heads. What it has too much goes. Where it lacks a document,
// or has it otherwise, the following goes on from before that: it repairs the document, and ends the
// verification when it has come to the tip. It goes on from no later than the newest head, too: the
// node that was asked may be behind, and what it does not have yet is taken for too much. The position
// of the hub stays meanwhile, since there may always be a document that cannot be used: callers would
// wait for all after it at each verification.
func (f *logFollower) verify(ctx context.Context) error {
	log, err := f.o.Team.LogState(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.last = log.Last
	before := f.state
	maps.DeleteFunc(f.branches, func(_ mirror.Branch, b *branchState) bool {
		clear(b.unused) // what is wrong still is found again
		b.more = 0
		return !b.isHeard()
	})
	f.mu.Unlock()
	wanted, newest, err := f.heads(ctx)
	if err != nil {
		return err
	}
	found := &Verified{IsSetBack: before.isSetBack(log)}
	if err := f.compare(wanted, found); err != nil {
		return fmt.Errorf("compare the mirror with what is published: %w", err)
	}
	f.from = min(log.Last, newest)
	for l, documents := range wanted {
		found.Documents += len(documents)
		for path, head := range documents {
			f.checkHeld(l, path, head.position)
			if !head.isThere {
				found.Missed++
				f.from = min(f.from, head.position-1)
			}
		}
	}
	f.verifying = found
	applied := f.from
	if !found.IsSetBack {
		applied = max(applied, before.Applied)
	}
	return f.saveState(hubState{Applied: applied, Born: log.Born, AsOf: before.AsOf})
}

// endVerification ends a verification: the mirror has everything.
func (f *logFollower) endVerification(ctx context.Context) {
	found := *f.verifying
	f.verifying = nil
	f.mu.Lock()
	found.At = f.state.AsOf
	f.verified = found
	f.mu.Unlock()
	if found.Missed+found.Extra > 0 || found.IsSetBack {
		f.o.Log.Info("verified the mirror", "documents", found.Documents, "missed", found.Missed,
			"extra", found.Extra, "set back", found.IsSetBack)
	}
	f.catchUp(ctx)
}

// heads returns the documents that the mirror should have, and the position of the newest head.
func (f *logFollower) heads(ctx context.Context,
) (wanted map[mirror.Branch]map[string]*wantedHead, newest uint64, err error) {
	wanted = map[mirror.Branch]map[string]*wantedHead{}
	documents := map[string]int{}
	of := f.o.Of
	of.Refused = f.refuse
	for head, err := range f.o.Team.Heads(ctx, of) {
		if err != nil {
			return nil, 0, err
		}
		newest = head.Position
		if head.Gone {
			continue
		}
		if wanted[head.Branch] == nil {
			wanted[head.Branch] = map[string]*wantedHead{}
		}
		if documents[head.Branch.Workspace]++; documents[head.Branch.Workspace] > f.room.documents() {
			f.noteUnused(head.Branch, head.Path, UnusedVersion{head.Path, head.Position, f.room.full()})
			continue
		}
		wanted[head.Branch][head.Path] = &wantedHead{hash: head.Hash, position: head.Position}
	}
	return wanted, newest, ctx.Err()
}

// compare removes what the mirror has too much, and finds what is there.
func (f *logFollower) compare(wanted map[mirror.Branch]map[string]*wantedHead, found *Verified) error {
	branches, err := f.files.Branches()
	if err != nil {
		return err
	}
	f.room = newQuota(f.o.MostBytes)
	for _, l := range branches {
		var extra []string
		err := f.files.Files(l, func(file mirror.MirroredFile) {
			head := wanted[l][file.Path]
			if head == nil {
				extra = append(extra, file.Path)
				return
			}
			if file.Readable {
				f.room.take(l.Workspace, documentCost(file.Size))
			}
			head.isThere = file.Readable && share.Hash(file.Sum[:len(head.hash)]) == head.hash
		})
		if err != nil {
			return err
		}
		found.Extra += len(extra)
		for _, path := range extra {
			if err := f.files.Discard(l, path); err != nil {
				return err
			}
		}
		if len(wanted[l]) == 0 {
			if err := f.files.Remove(l); err != nil {
				return err
			}
		}
	}
	return f.files.Mark()
}
