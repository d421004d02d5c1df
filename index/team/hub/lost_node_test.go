package hub_test

import (
	"cmp"
	"context"
	"iter"
	"sync/atomic"
	"testing"

	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
)

// A losingTeam loses its node when lose has a value, and goes on at another one.
type losingTeam struct {
	*sharetest.Machine
	lose chan struct{}
}

func (l losingTeam) Follow(ctx context.Context, after uint64, of share.BranchSelection) iter.Seq2[[]share.DocumentVersion, error] {
	return func(yield func([]share.DocumentVersion, error) bool) {
		following, end := context.WithCancel(ctx)
		defer end()
		lost := make(chan struct{})
		go func() {
			select {
			case <-l.lose:
				close(lost)
				end()
			case <-following.Done():
			}
		}()
		for batch, err := range l.Machine.Follow(following, after, of) {
			select {
			case <-lost:
				yield(nil, share.ErrAway)
				return
			default:
			}
			if !yield(batch, err) {
				return
			}
		}
		if ctx.Err() == nil {
			yield(nil, share.ErrAway)
		}
	}
}

// A verification reads what is published of all documents. A hub that has lost a node goes on from
// where it was instead.
func TestAHubThatLosesANodeFollowsOn(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	p.put(api, mirror.ManifestPath, manifest)
	team := losingTeam{engine.Connect(), make(chan struct{})}
	h := startOn(t, t.TempDir(), team, all)
	h.await(t, p.put(api, "a/x.md", "x"))
	until(t, "the first verification", func() bool { return !h.Status().Verified.At.IsZero() })
	first := h.Status().Verified.At
	for _, text := range []string{"y", "z"} {
		team.lose <- struct{}{}
		h.await(t, p.put(api, "a/x.md", text))
	}
	if at := h.Status().Verified.At; !at.Equal(first) {
		t.Errorf("it was verified at %v, and again at %v", first, at)
	}
	same(t, h.dir, p.published(all))

	team.Cut()
	p.put(api, "a/y.md", "written meanwhile")
	team.Mend()
	until(t, "a verification", func() bool { return h.Status().Verified.At.After(first) })
	h.await(t, p.put(api, "a/x.md", "x"))
	same(t, h.dir, p.published(all))
}

// A followedTeam tells from where the log is followed.
type followedTeam struct {
	*sharetest.Machine
	follows func(after uint64)
}

func (l followedTeam) Follow(ctx context.Context, after uint64, of share.BranchSelection) iter.Seq2[[]share.DocumentVersion, error] {
	l.follows(after)
	return l.Machine.Follow(ctx, after, of)
}

// Callers who wait for a position are not held up by a document that a hub never takes.
func TestAVerificationSetsNoPositionBack(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	p.put(api, mirror.ManifestPath, manifest)
	unsafe := p.put(api, "../x.md", "x")
	last := p.put(api, "a/x.md", "x")
	var h atomic.Pointer[runningHub]
	var setBack error
	ended, end := context.WithCancel(t.Context())
	end()
	team := followedTeam{engine.Connect(), func(after uint64) {
		if h := h.Load(); h != nil && after < unsafe {
			setBack = cmp.Or(setBack, h.Wait(ended, last))
		}
	}}
	running := startOn(t, t.TempDir(), team, all)
	running.team = team.Machine
	running.await(t, last)
	h.Store(running)
	if found := verified(t, running); found.Missed != 1 || setBack != nil {
		t.Errorf("%+v, %v", found, setBack)
	}
	same(t, running.dir, map[string]string{"api/" + mirror.ManifestPath: manifest, "api/a/x.md": "x"})
}

// A staleTeam asks a node for the heads that has nothing after a position, 0 for a node that has
// everything.
type staleTeam struct {
	*sharetest.Machine
	until *atomic.Uint64
}

func (s staleTeam) Heads(ctx context.Context, of share.BranchSelection) iter.Seq2[share.DocumentVersion, error] {
	return func(yield func(share.DocumentVersion, error) bool) {
		for head, err := range s.Machine.Heads(ctx, of) {
			if until := s.until.Load(); until > 0 && head.Position > until || !yield(head, err) {
				return
			}
		}
	}
}

// What a node does not have yet, a verification there takes away, and what follows brings back.
func TestAVerificationAtANodeThatIsBehindLosesNothing(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	p.put(api, mirror.ManifestPath, manifest)
	first := p.put(api, "a/x.md", "x")
	team := staleTeam{engine.Connect(), new(atomic.Uint64)}
	h := startOn(t, t.TempDir(), team, all)
	h.team = team.Machine
	h.await(t, p.put(api, "a/y.md", "y"))
	team.until.Store(first)
	if found := verified(t, h); found.Extra != 1 {
		t.Errorf("%+v", found)
	}
	same(t, h.dir, p.published(all))
}
