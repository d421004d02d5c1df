package sharetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

// patience is how long a test waits for what another machine has done. It fails after that.
const patience = 20 * time.Second

// api is the line that the suite writes to.
var api = mirror.Line{Workspace: "api", Name: mirror.Main}

// Run holds an implementation to what package share says. connect returns a machine that may
// do everything in the workspaces api and web, and whose engine nothing has been shared
// through before the suite.
func Run(t *testing.T, connect func(t *testing.T) share.Team) {
	s := suite{connect: connect}
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s suite)
	}{
		{"a version is published, headed and followed", followed},
		{"what is sent again stands once", sentAgain},
		{"A, B and A again are three versions", abA},
		{"of two publishers one is refused, and told what stands", conflicts},
		{"a deleted document stays as a sign of that", deleted},
		{"a large document arrives byte for byte", large},
		{"a document that is too large is refused", tooLarge},
		{"lines and workspaces are selected", selects},
		{"following waits for what comes", waits},
		{"a lease has one holder", oneHolder},
		{"a lease is taken again by its nonce", takenAgain},
		{"a lease that is released can be taken", released},
		{"a lease that is not renewed lapses", lapses},
		{"fences only grow", fencesGrow},
		{"of many who claim at once one wins", race},
		{"numbers are given once", numbers},
		{"calls reach who has the files", called},
		{"a call that comes again is not done again", calledAgain},
		{"who is there is known", present},
		{"who has closed the connection reaches nothing", closed},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

type suite struct {
	connect func(t *testing.T) share.Team
}

// versionOf is a version with a path of its own test.
func versionOf(t *testing.T, line mirror.Line, name string, rev uint64, text string) share.DocumentVersion {
	t.Helper()
	return share.DocumentVersion{
		Line: line, Path: ".wrangler/issues/" + fmt.Sprintf("%x", share.HashOf([]byte(t.Name())))[:8] + "/" + name,
		Origin: share.Origin{Epoch: fmt.Sprintf("%x", share.HashOf([]byte(t.Name()))), Rev: rev}, Data: []byte(text),
	}
}

func publish(t *testing.T, team share.Team, v share.DocumentVersion) uint64 {
	t.Helper()
	ack := team.Publish(t.Context(), []share.DocumentVersion{v})[0]
	if ack.Err != nil {
		t.Fatalf("publish %s: %v", v.Path, ack.Err)
	}
	return ack.Position
}

// follow returns the versions that come after a position, up to one position.
func follow(t *testing.T, team share.Team, after, to uint64) []share.DocumentVersion {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var found []share.DocumentVersion
	for batch, err := range team.Follow(ctx, after, share.LineSelection{}) {
		if err != nil {
			t.Fatalf("follow: %v", err)
		}
		found = append(found, batch...)
		if len(found) > 0 && found[len(found)-1].Position >= to {
			return found
		}
	}
	t.Fatal("following has ended")
	return nil
}

// head returns the head of a path. An engine of several nodes may show it a moment later.
func head(t *testing.T, team share.Team, v share.DocumentVersion, position uint64) share.Head {
	t.Helper()
	var found share.Head
	eventually(t, "the head of "+v.Path, func() bool {
		for h, err := range team.Heads(t.Context(), share.LineSelection{Workspaces: []string{v.Line.Workspace}}) {
			if err != nil {
				t.Fatalf("heads: %v", err)
			}
			if h.Line == v.Line && h.Path == v.Path {
				found = h
			}
		}
		return found.Position == position
	})
	return found
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func followed(t *testing.T, s suite) {
	machine, hub := s.connect(t), s.connect(t)
	v := versionOf(t, api, "Größe & \"Wörter\" 100%.md", 7, "---\ntitle: rain\n---\n")
	v.Fence, v.Commit = 12, "0123456789abcdef"
	position := publish(t, machine, v)
	got := follow(t, hub, position-1, position)
	if len(got) != 1 || got[0].Path != v.Path || got[0].Line != v.Line || got[0].Origin != v.Origin || got[0].Fence != v.Fence || got[0].Commit != v.Commit ||
		got[0].Position != position || !bytes.Equal(got[0].Data, v.Data) || got[0].Hash != share.HashOf(v.Data) || got[0].Gone {
		t.Errorf("%+v", got)
	}
	if h := head(t, hub, v, position); h.Hash != share.HashOf(v.Data) || h.Origin != v.Origin || h.Fence != v.Fence {
		t.Errorf("%+v", h)
	}
	state, err := hub.LogState(t.Context())
	if err != nil || state.Last < position || state.Born.IsZero() {
		t.Errorf("%+v %v", state, err)
	}
}

func sentAgain(t *testing.T, s suite) {
	machine := s.connect(t)
	v := versionOf(t, api, "a.md", 1, "once")
	first, again := publish(t, machine, v), publish(t, machine, v)
	if first != again {
		t.Errorf("it stands at %d and then at %d", first, again)
	}
}

func abA(t *testing.T, s suite) {
	machine := s.connect(t)
	var position uint64
	for i, text := range []string{"A", "B", "A"} {
		v := versionOf(t, api, "a.md", uint64(i+1), text)
		v.Replaces = position
		next := publish(t, machine, v)
		if next <= position {
			t.Errorf("%s stands at %d after %d", text, next, position)
		}
		position = next
	}
	if got := follow(t, machine, position-1, position); string(got[0].Data) != "A" {
		t.Errorf("%q stands", got[0].Data)
	}
}

func conflicts(t *testing.T, s suite) {
	first, second := s.connect(t), s.connect(t)
	v := versionOf(t, api, "a.md", 1, "first")
	position := publish(t, first, v)
	other := v
	other.Origin.Epoch, other.Data = "other", []byte("second")
	ack := second.Publish(t.Context(), []share.DocumentVersion{other})[0]
	conflict := new(share.VersionConflictError)
	if !errors.Is(ack.Err, share.ErrConflict) || !errors.As(ack.Err, &conflict) || conflict.Stands.Position != position || conflict.Stands.Origin != v.Origin {
		t.Fatalf("%+v", ack)
	}
	other.Replaces = conflict.Stands.Position
	if publish(t, second, other) <= position {
		t.Error("what replaces stands before what it replaces")
	}
	absent := versionOf(t, api, "absent.md", 2, "text")
	absent.Replaces = position
	if ack := first.Publish(t.Context(), []share.DocumentVersion{absent})[0]; !errors.Is(ack.Err, share.ErrConflict) {
		t.Errorf("what replaces nothing: %+v", ack)
	}
}

func deleted(t *testing.T, s suite) {
	machine := s.connect(t)
	v := versionOf(t, api, "a.md", 1, "text")
	v.Replaces = publish(t, machine, v)
	v.Origin.Rev, v.Gone, v.Data = 2, true, nil
	position := publish(t, machine, v)
	if got := follow(t, machine, position-1, position); !got[0].Gone || got[0].Data != nil || got[0].Path != v.Path {
		t.Errorf("%+v", got)
	}
	if h := head(t, machine, v, position); !h.Gone {
		t.Errorf("%+v", h)
	}
}

// noise is bytes that do not pack.
func noise(n int) []byte {
	data, state := make([]byte, n), uint64(88172645463325252)
	for i := range data {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		data[i] = byte(state)
	}
	return data
}

func large(t *testing.T, s suite) {
	machine, hub := s.connect(t), s.connect(t)
	v := versionOf(t, api, "large.md", 1, string(noise(5<<20)))
	position := publish(t, machine, v)
	if got := follow(t, hub, position-1, position); !bytes.Equal(got[0].Data, v.Data) {
		t.Errorf("%d bytes came", len(got[0].Data))
	}
}

func tooLarge(t *testing.T, s suite) {
	v := versionOf(t, api, "a.md", 1, "")
	v.Data = make([]byte, share.MaxDocument+1)
	if ack := s.connect(t).Publish(t.Context(), []share.DocumentVersion{v})[0]; !errors.Is(ack.Err, share.ErrTooLarge) {
		t.Errorf("%+v", ack)
	}
}

func selects(t *testing.T, s suite) {
	machine := s.connect(t)
	lines := []mirror.Line{api, {Workspace: "api", Name: "mac-7k2q"}, {Workspace: "web", Name: mirror.Main}}
	var versions []share.DocumentVersion
	for _, line := range lines {
		versions = append(versions, versionOf(t, line, "a.md", 1, line.String()))
	}
	acks := machine.Publish(t.Context(), versions)
	for _, ack := range acks {
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
	}
	last := publish(t, machine, versionOf(t, mirror.Line{Workspace: "web", Name: "z"}, "z.md", 1, "z"))
	for _, c := range []struct {
		of   share.LineSelection
		want []int // of lines
	}{
		{share.LineSelection{}, []int{0, 1, 2}},
		{share.LineSelection{Workspaces: []string{"api"}}, []int{0, 1}},
		{share.LineSelection{Lines: []string{mirror.Main}}, []int{0, 2}},
		{share.LineSelection{Workspaces: []string{"api", "web"}, Lines: []string{mirror.Main}}, []int{0, 2}},
		{share.LineSelection{Workspaces: []string{"web"}, Lines: []string{mirror.Main}}, []int{2}},
		{share.LineSelection{Lines: []string{}}, nil},
	} {
		var want, got []uint64
		for _, i := range c.want {
			want = append(want, acks[i].Position)
		}
		slices.Sort(want)
		eventually(t, fmt.Sprintf("the heads of %+v: %v", c.of, want), func() bool {
			got = nil
			for h, err := range machine.Heads(t.Context(), c.of) {
				if err != nil {
					t.Fatal(err)
				}
				if h.Position >= slices.Min([]uint64{acks[0].Position, acks[1].Position, acks[2].Position}) && h.Position < last {
					got = append(got, h.Position)
				}
			}
			return slices.Equal(got, want)
		})
	}
}

func waits(t *testing.T, s suite) {
	machine, hub := s.connect(t), s.connect(t)
	state, err := hub.LogState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	sent := false
	var position uint64
	for batch, err := range hub.Follow(ctx, state.Last, share.LineSelection{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) == 0 && !sent {
			position, sent = publish(t, machine, versionOf(t, api, "a.md", 1, "text")), true
		}
		if len(batch) > 0 {
			if !sent || batch[0].Position != position {
				t.Errorf("%+v", batch)
			}
			return
		}
	}
	t.Error("following has ended")
}

// claim is a lease with a key of its own test.
func claim(t *testing.T, nonce string) share.TeamLease {
	t.Helper()
	return share.TeamLease{Workspace: "api", Key: fmt.Sprintf("iss-%x ß.*>", share.HashOf([]byte(t.Name())))[:12] + " ß.*>", Holder: nonce, Nonce: nonce, Since: time.Now().UTC()}
}

func take(t *testing.T, team share.Team, l share.TeamLease, lasts time.Duration) share.TeamLease {
	t.Helper()
	taken, err := team.Take(t.Context(), l, lasts)
	if err != nil {
		t.Fatalf("take %s: %v", l.Key, err)
	}
	return taken
}

func oneHolder(t *testing.T, s suite) {
	first, second := s.connect(t), s.connect(t)
	taken := take(t, first, claim(t, "one"), time.Minute)
	_, err := second.Take(t.Context(), claim(t, "two"), time.Minute)
	held := new(share.HeldError)
	if !errors.As(err, &held) || held.Lease.Holder != "one" || held.Lease.Key != taken.Key || held.Lease.Fence != taken.Fence {
		t.Fatalf("%v", err)
	}
	if _, err := second.Renew(t.Context(), claim(t, "two"), time.Minute); !errors.Is(err, share.ErrLost) {
		t.Errorf("renewed by another: %v", err)
	}
	if err := second.Release(t.Context(), claim(t, "two")); err != nil {
		t.Errorf("released by another: %v", err)
	}
	eventually(t, "the lease among all", func() bool {
		all, err := second.Leases(t.Context(), "api")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(l share.TeamLease) bool { return l.Key == taken.Key })
		return i >= 0 && all[i].Holder == "one" && all[i].Workspace == "api" && all[i].Fence == taken.Fence && all[i].Nonce == "one"
	})
}

func takenAgain(t *testing.T, s suite) {
	machine := s.connect(t)
	first := take(t, machine, claim(t, "one"), time.Minute)
	again := take(t, machine, claim(t, "one"), time.Minute)
	if again.Nonce != first.Nonce {
		t.Errorf("%+v", again)
	}
	if _, err := machine.Renew(t.Context(), first, time.Minute); err != nil {
		t.Errorf("renew with the fence of before: %v", err)
	}
}

func released(t *testing.T, s suite) {
	first, second := s.connect(t), s.connect(t)
	taken := take(t, first, claim(t, "one"), time.Minute)
	if err := first.Release(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	if err := first.Release(t.Context(), taken); err != nil {
		t.Errorf("released twice: %v", err)
	}
	take(t, second, claim(t, "two"), time.Minute)
	if _, err := first.Renew(t.Context(), taken, time.Minute); !errors.Is(err, share.ErrLost) {
		t.Errorf("renewed after that: %v", err)
	}
}

func lapses(t *testing.T, s suite) {
	first, second := s.connect(t), s.connect(t)
	taken := take(t, first, claim(t, "one"), time.Second)
	taken, err := first.Renew(t.Context(), taken, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the lease", func() bool {
		_, err := second.Take(t.Context(), claim(t, "two"), time.Minute)
		held := new(share.HeldError)
		if err != nil && !errors.As(err, &held) {
			t.Fatal(err)
		}
		return err == nil
	})
	if _, err := first.Renew(t.Context(), taken, time.Second); !errors.Is(err, share.ErrLost) {
		t.Errorf("renewed after that: %v", err)
	}
}

func fencesGrow(t *testing.T, s suite) {
	machine := s.connect(t)
	var fence uint64
	for range 3 {
		taken := take(t, machine, claim(t, "one"), time.Minute)
		renewed, err := machine.Renew(t.Context(), taken, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if taken.Fence <= fence || renewed.Fence < taken.Fence {
			t.Errorf("%d after %d, renewed %d", taken.Fence, fence, renewed.Fence)
		}
		fence = renewed.Fence
		if err := machine.Release(t.Context(), renewed); err != nil {
			t.Fatal(err)
		}
	}
}

func race(t *testing.T, s suite) {
	const machines, keys = 12, 8
	winners := make([][]string, keys)
	var mu sync.Mutex
	var running sync.WaitGroup
	for m := range machines {
		team := s.connect(t)
		running.Go(func() {
			for k := range keys {
				l := claim(t, fmt.Sprintf("machine %d", m))
				l.Key += fmt.Sprint(k)
				_, err := team.Take(t.Context(), l, time.Minute)
				held := new(share.HeldError)
				switch {
				case err == nil:
					mu.Lock()
					winners[k] = append(winners[k], l.Holder)
					mu.Unlock()
				case !errors.As(err, &held):
					t.Errorf("%s: %v", l.Key, err)
				}
			}
		})
	}
	running.Wait()
	for k, w := range winners {
		if len(w) != 1 {
			t.Errorf("key %d was won by %v", k, w)
		}
	}
}

func numbers(t *testing.T, s suite) {
	const machines, each = 8, 20
	var mu sync.Mutex
	given := map[int]int{}
	var running sync.WaitGroup
	for range machines {
		team := s.connect(t)
		running.Go(func() {
			for range each {
				n, err := team.NextNumber(t.Context(), "api", "ISS", 100)
				if err != nil || n < 100 {
					t.Errorf("%d %v", n, err)
				}
				mu.Lock()
				given[n]++
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for n, times := range given {
		if times > 1 {
			t.Errorf("%d was given %d times", n, times)
		}
	}
	if n, err := s.connect(t).NextNumber(t.Context(), "web", "ISS", 3); n != 3 || err != nil {
		t.Errorf("the first of another workspace is %d %v", n, err)
	}
	if n, err := s.connect(t).NextNumber(t.Context(), "web", "ISS", 1); n != 4 || err != nil {
		t.Errorf("the second is %d %v", n, err)
	}
}

// serve answers calls to a line until the test ends.
func serve(t *testing.T, team share.Team, line mirror.Line, answer func(ctx context.Context, request []byte) []byte) {
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
func call(t *testing.T, team share.Team, line mirror.Line, key, request string) string {
	t.Helper()
	var answer []byte
	eventually(t, "an owner of "+line.String(), func() bool {
		var err error
		answer, err = team.Call(t.Context(), line, key, []byte(request))
		if err != nil && !errors.Is(err, share.ErrNoOwner) {
			t.Fatal(err)
		}
		return err == nil
	})
	return string(answer)
}

func called(t *testing.T, s suite) {
	owner, caller := s.connect(t), s.connect(t)
	line := mirror.Line{Workspace: "api", Name: "called"}
	if _, err := caller.Call(t.Context(), line, "k", []byte("x")); !errors.Is(err, share.ErrNoOwner) {
		t.Errorf("nobody is there: %v", err)
	}
	serve(t, owner, line, func(_ context.Context, request []byte) []byte { return append([]byte("did "), request...) })
	if got := call(t, caller, line, "key 1/ß", "this"); got != "did this" {
		t.Errorf("%q", got)
	}
	long := string(bytes.Repeat([]byte("words "), 500_000))
	if got := call(t, caller, line, "2", long); got != "did "+long {
		t.Errorf("%d bytes", len(got))
	}
}

func calledAgain(t *testing.T, s suite) {
	owner, caller := s.connect(t), s.connect(t)
	line := mirror.Line{Workspace: "api", Name: "again"}
	var mu sync.Mutex
	done := 0
	serve(t, owner, line, func(context.Context, []byte) []byte {
		mu.Lock()
		defer mu.Unlock()
		done++
		return fmt.Append(nil, done)
	})
	var running sync.WaitGroup
	for range 5 {
		running.Go(func() {
			if got := call(t, caller, line, "same", "x"); got != "1" {
				t.Errorf("%q", got)
			}
		})
	}
	running.Wait()
	if got := call(t, caller, line, "other", "x"); got != "2" {
		t.Errorf("%q", got)
	}
}

func present(t *testing.T, s suite) {
	machine, hub := s.connect(t), s.connect(t)
	p := share.Presence{Line: mirror.Line{Workspace: "api", Name: "present"}, Machine: "mac", Version: "1", Commit: "abc", Waiting: 3}
	if err := machine.Announce(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the presence", func() bool {
		all, err := hub.Presences(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(other share.Presence) bool { return other.Line == p.Line })
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
	for _, err := range machine.Follow(t.Context(), 0, share.LineSelection{}) {
		if !errors.Is(err, share.ErrAway) {
			t.Errorf("%v", err)
		}
	}
}
