package publish

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
)

// running has a site publish until the test ends.
func (s *site) running(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { s.Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); run.Wait() })
	t.Cleanup(stop)
	return stop
}

// eventually waits for something that is going to be so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestRun(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeWatch)
	s.intervals.tick = 50 * time.Millisecond // instead of 20 s
	s.Answer = func(_ context.Context, request []byte) []byte { return append([]byte("answer to "), request...) }
	if _, err := s.Flush(t.Context()); !errors.Is(err, ErrNotPublishing) {
		t.Errorf("%v", err)
	}
	s.write("ISS-000001.md", document("One"))
	stop := s.running(t)
	stands := func(name string) func() bool {
		return func() bool { return standing(t, engine, mirror.Main)[issues+name] == s.files()[issues+name] }
	}
	has := func(name string) func() bool {
		return func() bool { return standing(t, engine, mirror.Main)[issues+name] != "" && stands(name)() }
	}

	t.Run("publishes what is there, and what changes", func(t *testing.T) {
		eventually(t, "the first document is published", has("ISS-000001.md"))
		if ix, done, err := s.index.Acquire(t.Context()); err == nil {
			h, err := ix.Health(t.Context())
			if done(); err != nil || h.Freshness != "watch" {
				t.Skip("files cannot be watched here")
			}
		}
		s.write("ISS-000002.md", document("Two"))
		eventually(t, "a change is published", has("ISS-000002.md"))
	})
	toldOf := func(t *testing.T, position uint64, err error) {
		t.Helper()
		if err != nil || !stands("ISS-000002.md")() {
			t.Fatalf("%d, %v", position, err)
		}
		for h := range engine.Connect().Heads(t.Context(), share.BranchSelection{}) {
			if h.Position > position {
				t.Errorf("%s stands at %d, and %d was told", h.Path, h.Position, position)
			}
		}
	}
	t.Run("publishes for a call what was written before it", func(t *testing.T) {
		s.write("ISS-000002.md", document("Two and more"))
		position, err := s.Flush(t.Context())
		toldOf(t, position, err)
	})
	t.Run("and tells its position also after the acknowledgement was lost", func(t *testing.T) {
		s.wire.mu.Lock()
		s.wire.deaf = true
		s.wire.mu.Unlock()
		s.write("ISS-000002.md", document("Two and much more"))
		var position uint64
		var err error
		for range 2 { // whichever round publishes it, a call or the loop, loses the acknowledgement
			if position, err = s.Flush(t.Context()); err == nil && stands("ISS-000002.md")() {
				break
			}
		}
		toldOf(t, position, err)
	})
	t.Run("shows signs of life", func(t *testing.T) {
		eventually(t, "it is announced", func() bool {
			there, err := engine.Connect().Presences(t.Context())
			return err == nil && len(there) == 1 && there[0].Branch.Name == mirror.Main && there[0].Version == "1" && there[0].Waiting == 0
		})
	})
	t.Run("answers calls to its line", func(t *testing.T) {
		eventually(t, "a call is answered", func() bool {
			answer, err := engine.Connect().Call(t.Context(), mirror.Branch{Workspace: "api", Name: mirror.Main}, []byte("x"))
			return err == nil && string(answer) == "answer to x"
		})
	})
	t.Run("publishes after a cut what has changed meanwhile", func(t *testing.T) {
		s.machine.Cut()
		s.write("ISS-000003.md", document("Three"))
		if _, err := s.Flush(t.Context()); !errors.Is(err, share.ErrAway) {
			t.Errorf("%v", err)
		}
		eventually(t, "it is said to wait", func() bool { return s.Status().Waiting == 1 })
		s.machine.Mend()
		eventually(t, "it is published", has("ISS-000003.md"))
		eventually(t, "nothing waits", func() bool { st := s.Status(); return st.Waiting == 0 && st.LastError == "" && st.Connected })
	})
	t.Run("finds out that the engine was set back", func(t *testing.T) {
		s.machine.Cut() // the nodes are stopped for it
		engine.Restore(1)
		s.machine.Mend()
		eventually(t, "all is published again", has("ISS-000001.md"))
	})
	t.Run("lets another process go on after its end", func(t *testing.T) {
		second := newSite(t, s.root, engine, nil, index.ModeWatch)
		defer second.end()
		ended := second.running(t)
		eventually(t, "the second one says who publishes", func() bool { return second.Status().Idle != "" })
		ix, release, err := second.index.Acquire(t.Context())
		second.must(err)
		defer release()
		if got, err := second.FolderStatus(t.Context(), ix); err != nil || got.Branch != mirror.Main || !got.Process.Running {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := second.Once(t.Context()); !errors.As(err, new(*BusyError)) {
			t.Errorf("%v", err)
		}
		stop()
		eventually(t, "it publishes", func() bool { return second.Status().Branch == mirror.Main })
		if got, err := second.FolderStatus(t.Context(), ix); err != nil || got.Process != nil {
			t.Errorf("%+v, %v", got, err)
		}
		ended()
	})
}

func TestOnce(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeVerify)
	s.write("ISS-000001.md", document("One"))
	s.write("ISS-000002.md", document("Two"))
	done, err := s.Once(t.Context())
	if err != nil || done.Published != 2 || done.Removed != 0 || done.Branch != mirror.Main || done.Position == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	s.remove("ISS-000002.md")
	if done, err = s.Once(t.Context()); err != nil || done.Published != 0 || done.Removed != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if l, err := engine.Connect().Lease(t.Context(), "api", share.BranchLeaseKey(mirror.Main)); err != nil || l.Fence != 0 {
		t.Errorf("it keeps %v, %v", l, err)
	}
	t.Run("does not publish what another machine publishes", func(t *testing.T) {
		other := newSiteIn(t, engine, nil, index.ModeVerify)
		other.must(other.publish())
		var held *HeldBranchError
		if _, err := s.Once(t.Context()); !errors.As(err, &held) || held.Branch != mirror.Main {
			t.Errorf("%v", err)
		}
	})
	t.Run("tries until its time is over while the engine is away", func(t *testing.T) {
		s.machine.Cut()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := s.Once(ctx); !errors.Is(err, share.ErrAway) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// A muteMachine is one whose signs of life do not get through.
type muteMachine struct{ *sharetest.Machine }

func (muteMachine) Announce(context.Context, share.Presence) error { return share.ErrAway }

func TestDocumentsArePublishedWithoutSignsOfLife(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteOn(t, t.TempDir(), muteMachine{engine.Connect()}, nil, index.ModeVerify)
	t.Cleanup(s.end)
	s.write("ISS-000001.md", document("Rain"))
	s.running(t)
	eventually(t, "it is published", func() bool {
		_, err := s.Flush(t.Context())
		return err == nil
	})
	expect(t, "without a sign of life", standing(t, engine, mirror.Main), map[string]string{issues + "ISS-000001.md": document("Rain")})
}
