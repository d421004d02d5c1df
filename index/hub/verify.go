package hub

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"issues-index/index/share"
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

// A docKey names a document of a line.
type docKey struct {
	line mirror.Line
	path string
}

// wantedHead is what is published of a document.
type wantedHead struct {
	hash     share.Hash
	position uint64
}

// verify makes the mirror what the heads say: what it has too much goes, and what it lacks or
// has otherwise is fetched.
func (f *logFollower) verify(ctx context.Context) (found Verified, err error) {
	log, err := f.o.Team.LogState(ctx)
	if err != nil {
		return found, err
	}
	f.mu.Lock()
	found.TakenBack = f.state.takenBack(log)
	f.last = log.Last
	f.mu.Unlock()
	f.mu.Lock()
	clear(f.faults) // what is wrong still is found again
	f.mu.Unlock()
	wanted, err := f.heads(ctx)
	if err != nil {
		return found, err
	}
	needed, err := f.compare(wanted, &found)
	if err != nil {
		return found, fmt.Errorf("compare the mirror with what is published: %w", err)
	}
	if err := f.fetch(ctx, needed); err != nil {
		return found, err
	}
	if err := f.files.Mark(); err != nil {
		return found, err
	}
	f.countHeld(wanted, &found)
	found.At = f.o.Now()
	f.mu.Lock()
	f.verified = found
	f.mu.Unlock()
	if found.Changed() || found.TakenBack {
		f.o.Log.Info("verified the mirror", "documents", found.Documents, "missed", found.Missed, "differing", found.Differing, "extra", found.Extra, "taken back", found.TakenBack)
	}
	if err := f.reach(hubState{Applied: log.Last, Born: log.Born, AsOf: found.At}); err != nil {
		return found, err
	}
	f.catchUp(ctx)
	return found, nil
}

// heads returns the documents that the mirror should have. The fences are those that a new hub
// would have seen.
func (f *logFollower) heads(ctx context.Context) (map[mirror.Line]map[string]wantedHead, error) {
	clear(f.fences)
	wanted, documents := map[mirror.Line]map[string]wantedHead{}, map[string]int{}
	of := f.o.Of
	of.Refused = f.refuse
	for head, err := range f.o.Team.Heads(ctx, of) {
		if err != nil {
			return nil, err
		}
		f.fences[head.Line] = max(f.fences[head.Line], head.Fence)
		if head.Gone {
			continue
		}
		if wanted[head.Line] == nil {
			wanted[head.Line] = map[string]wantedHead{}
		}
		if documents[head.Line.Workspace]++; documents[head.Line.Workspace] > f.room.documents() {
			f.fault(head.Line, head.Path, UnusedVersion{head.Path, head.Position, f.room.full()})
			continue
		}
		wanted[head.Line][head.Path] = wantedHead{head.Hash, head.Position}
	}
	return wanted, ctx.Err()
}

// compare removes what the mirror has too much, and returns what is to be fetched.
func (f *logFollower) compare(wanted map[mirror.Line]map[string]wantedHead, found *Verified) (needed map[docKey]uint64, err error) {
	lines, err := f.files.Lines()
	if err != nil {
		return nil, err
	}
	needed = map[docKey]uint64{}
	f.room = newQuota(f.o.MostBytes)
	for _, l := range lines {
		has := map[string]bool{}
		var extra []string
		err := f.files.Files(l, func(file mirror.MirroredFile) {
			head, published := wanted[l][file.Path]
			switch {
			case !published:
				extra = append(extra, file.Path)
				return
			case !file.Sound || share.Hash(file.Sum[:len(head.hash)]) != head.hash:
				found.Differing++
				needed[docKey{l, file.Path}] = head.position
			}
			has[file.Path] = true
			if file.Sound {
				f.room.take(l.Workspace, documentCost(file.Size))
			}
		})
		if err != nil {
			return nil, err
		}
		found.Extra += len(extra)
		if err := f.discard(l, extra, len(wanted[l]) == 0); err != nil {
			return nil, err
		}
		for path, head := range wanted[l] {
			if !has[path] {
				found.Missed++
				needed[docKey{l, path}] = head.position
			}
		}
	}
	for l, documents := range wanted {
		if slices.Contains(lines, l) {
			continue
		}
		found.Missed += len(documents)
		for path, head := range documents {
			needed[docKey{l, path}] = head.position
		}
	}
	return needed, nil
}

// discard removes files of a line, or all of it.
func (f *logFollower) discard(l mirror.Line, paths []string, whole bool) error {
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

// fetch writes documents at the positions where they stand. One that was published again
// since is left to the following.
func (f *logFollower) fetch(ctx context.Context, needed map[docKey]uint64) error {
	if len(needed) == 0 {
		return nil
	}
	first, at := ^uint64(0), map[uint64]docKey{}
	of := share.LineSelection{Lines: f.o.Of.Lines, Refused: func(e *share.MessageError) {
		f.refuse(e)
		delete(needed, at[e.Position])
	}}
	for key, position := range needed {
		first = min(first, position)
		at[position] = key
		if !slices.Contains(of.Workspaces, key.line.Workspace) {
			of.Workspaces = append(of.Workspaces, key.line.Workspace)
		}
	}
	for batch, err := range f.o.Team.Follow(ctx, first-1, of) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		for _, v := range batch {
			key := docKey{v.Line, v.Path}
			position, ok := needed[key]
			if !ok || v.Position < position {
				continue
			}
			if v.Position == position {
				if err := f.put(v); err != nil {
					return err
				}
			}
			delete(needed, key)
		}
		if len(batch) == 0 && len(needed) > 0 {
			if err := f.forgetReplaced(ctx, needed); err != nil {
				return err
			}
		}
		if len(needed) == 0 {
			return nil
		}
	}
	return ctx.Err()
}

// forgetReplaced leaves out what does not stand any more where it was found: by what was published
// since, or by a message that is no version.
func (f *logFollower) forgetReplaced(ctx context.Context, needed map[docKey]uint64) error {
	stands := map[docKey]bool{}
	for head, err := range f.o.Team.Heads(ctx, f.o.Of) {
		if err != nil {
			return err
		}
		if key := (docKey{head.Line, head.Path}); needed[key] == head.Position {
			stands[key] = true
		}
	}
	maps.DeleteFunc(needed, func(key docKey, _ uint64) bool { return !stands[key] })
	return nil
}

// countHeld counts what is published, and names what no folder of its workspace has.
func (f *logFollower) countHeld(wanted map[mirror.Line]map[string]wantedHead, found *Verified) {
	for l, documents := range wanted {
		found.Documents += len(documents)
		for path, head := range documents {
			f.checkHeld(l, path, head.position)
		}
	}
}
