package hub

import (
	"context"
	"fmt"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// A Verified is what a verification has found.
type Verified struct {
	At        time.Time // zero for never
	Documents int       // that are published
	Missed    int       // that the mirror lacked
	Differing int       // that it had otherwise
	Extra     int       // that it had too much
	TakenBack bool      // the order was another or an older one
}

// Changed reports whether there was something to repair.
func (v Verified) Changed() bool { return v.Missed+v.Differing+v.Extra > 0 }

// A wantedHead is what is published of a document.
type wantedHead struct {
	hash     share.Hash
	position uint64
	fence    uint64
}

// verify compares the mirror with the heads. What it has too much goes. Where it lacks a document,
// or has it otherwise, the following goes on from before that: it repairs the document, and ends the
// verification when it has come to the tip. The position of the hub stays meanwhile, since there may
// always be a document that cannot be used: callers would wait for all after it at each verification.
func (f *logFollower) verify(ctx context.Context) error {
	f.askers = append(f.askers, f.takeAsked()...)
	log, err := f.o.Team.LogState(ctx)
	if err != nil {
		return err
	}
	found := &Verified{}
	f.mu.Lock()
	found.TakenBack = f.state.takenBack(log)
	f.last = log.Last
	before := f.state
	clear(f.unused) // what is wrong still is found again
	f.mu.Unlock()
	wanted, err := f.heads(ctx)
	if err != nil {
		return err
	}
	applied, err := f.compare(wanted, log.Last, found)
	if err != nil {
		return fmt.Errorf("compare the mirror with what is published: %w", err)
	}
	if err := f.files.Mark(); err != nil {
		return err
	}
	clear(f.fences) // those of before are found again
	for l, documents := range wanted {
		found.Documents += len(documents)
		for path, head := range documents {
			f.checkHeld(l, path, head.position)
			if head.position <= applied {
				f.fences[l] = max(f.fences[l], head.fence)
			}
		}
	}
	f.verifying, f.from = found, applied
	if !found.TakenBack {
		applied = max(applied, before.Applied)
	}
	return f.reach(hubState{Applied: applied, Born: log.Born, AsOf: before.AsOf})
}

// endVerification ends a verification: the mirror has everything.
func (f *logFollower) endVerification(ctx context.Context) {
	found := *f.verifying
	f.verifying = nil
	f.mu.Lock()
	found.At = f.state.AsOf
	f.verified = found
	f.mu.Unlock()
	if found.Changed() || found.TakenBack {
		f.o.Log.Info("verified the mirror", "documents", found.Documents, "missed", found.Missed,
			"differing", found.Differing, "extra", found.Extra, "taken back", found.TakenBack)
	}
	f.catchUp(ctx)
	answer(f.askers, found, nil)
	f.askers = nil
}

// heads returns the documents that the mirror should have.
func (f *logFollower) heads(ctx context.Context) (map[mirror.Branch]map[string]wantedHead, error) {
	wanted, documents := map[mirror.Branch]map[string]wantedHead{}, map[string]int{}
	of := f.o.Of
	of.Refused = f.refuse
	for head, err := range f.o.Team.Heads(ctx, of) {
		if err != nil {
			return nil, err
		}
		if head.Gone {
			continue
		}
		if wanted[head.Branch] == nil {
			wanted[head.Branch] = map[string]wantedHead{}
		}
		if documents[head.Branch.Workspace]++; documents[head.Branch.Workspace] > f.room.documents() {
			f.noteUnused(head.Branch, head.Path, UnusedVersion{head.Path, head.Position, f.room.full()})
			continue
		}
		wanted[head.Branch][head.Path] = wantedHead{head.Hash, head.Position, head.Fence}
	}
	return wanted, ctx.Err()
}

// compare removes what the mirror has too much, and returns up to which position it has everything.
func (f *logFollower) compare(wanted map[mirror.Branch]map[string]wantedHead, last uint64, found *Verified,
) (applied uint64, err error) {
	lines, err := f.files.Lines()
	if err != nil {
		return 0, err
	}
	right := map[mirror.Branch]map[string]bool{} // the documents that the mirror has as they are published
	f.room = newQuota(f.o.MostBytes)
	for _, l := range lines {
		if wanted[l] == nil {
			wanted[l] = map[string]wantedHead{}
		}
		right[l] = map[string]bool{}
		var extra []string
		err := f.files.Files(l, func(file mirror.MirroredFile) {
			head, published := wanted[l][file.Path]
			if !published {
				extra = append(extra, file.Path)
				return
			}
			if file.Sound {
				f.room.take(l.Workspace, documentCost(file.Size))
			}
			isRight := file.Sound && share.Hash(file.Sum[:len(head.hash)]) == head.hash
			if right[l][file.Path] = isRight; !isRight {
				found.Differing++
			}
		})
		if err != nil {
			return 0, err
		}
		found.Extra += len(extra)
		if err := f.discard(l, extra, len(wanted[l]) == 0); err != nil {
			return 0, err
		}
	}
	for l, documents := range wanted {
		for path, head := range documents {
			isRight, is := right[l][path]
			if !is {
				found.Missed++
			}
			if !isRight {
				last = min(last, head.position-1)
			}
		}
	}
	return last, nil
}

// discard removes files of a line, or all of it.
func (f *logFollower) discard(l mirror.Branch, paths []string, whole bool) error {
	if whole {
		return f.files.Remove(l)
	}
	for _, path := range paths {
		if err := f.files.Discard(l, path); err != nil {
			return err
		}
	}
	return nil
}
