package sharetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// serve answers calls to a line until the test ends.
func serve(t *testing.T, team share.Team, line mirror.Branch, answer func(ctx context.Context, request []byte) []byte) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := team.ServeCalls(ctx, line, answer); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
}

// call calls once somebody serves the line.
func call(t *testing.T, team share.Team, line mirror.Branch, request string) string {
	t.Helper()
	var answer []byte
	eventually(t, "an owner of "+line.String(), func() bool {
		var err error
		answer, err = team.Call(t.Context(), line, []byte(request))
		if err != nil && !errors.Is(err, share.ErrNoOwner) {
			t.Fatal(err)
		}
		return err == nil
	})
	return string(answer)
}

func called(t *testing.T, s suite) {
	owner, caller := s.connect(t), s.connect(t)
	line := mirror.Branch{Workspace: "api", Name: "called"}
	if _, err := caller.Call(t.Context(), line, []byte("x")); !errors.Is(err, share.ErrNoOwner) {
		t.Errorf("nobody is there: %v", err)
	}
	serve(t, owner, line, func(_ context.Context, request []byte) []byte { return append([]byte("did "), request...) })
	if got := call(t, caller, line, "this"); got != "did this" {
		t.Errorf("%q", got)
	}
	long := string(bytes.Repeat([]byte("words "), 500_000))
	if got := call(t, caller, line, long); got != "did "+long {
		t.Errorf("%d bytes", len(got))
	}
}

func present(t *testing.T, s suite) {
	machine, hub := s.connect(t), s.connect(t)
	p := share.Presence{Branch: mirror.Branch{Workspace: "api", Name: "present"}, Machine: "mac", Version: "1", Commit: "abc", Waiting: 3}
	if err := machine.Announce(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the presence", func() bool {
		all, err := hub.Presences(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(other share.Presence) bool { return other.Branch == p.Branch })
		if i < 0 {
			return false
		}
		if all[i].At.IsZero() {
			t.Error("it has no time")
		}
		all[i].At = time.Time{}
		return all[i] == p
	})
}

func closed(t *testing.T, s suite) {
	machine := s.connect(t)
	publish(t, machine, versionOf(t, api, "a.md", 1, "text"))
	if err := machine.Close(); err != nil {
		t.Fatal(err)
	}
	if state := machine.Connection(); state.Connected || state.Reason == "" {
		t.Errorf("%+v", state)
	}
	if ack := machine.Publish(t.Context(), []share.DocumentVersion{versionOf(t, api, "b.md", 2, "text")})[0]; !errors.Is(ack.Err, share.ErrAway) {
		t.Errorf("%+v", ack)
	}
	if _, err := machine.LogState(t.Context()); !errors.Is(err, share.ErrAway) {
		t.Errorf("%v", err)
	}
	for _, err := range machine.Follow(t.Context(), 0, share.BranchSelection{}) {
		if !errors.Is(err, share.ErrAway) {
			t.Errorf("%v", err)
		}
	}
	if _, err := machine.Call(t.Context(), api, nil); !errors.Is(err, share.ErrUnreached) || !errors.Is(err, share.ErrAway) {
		t.Errorf("%v", err)
	}
}
