package sharetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// patience is how long a test waits for what another machine has done. It fails after that.
const patience = 2 * time.Minute

// api is the line that the suite writes to.
var api = mirror.Branch{Workspace: "api", Name: mirror.Main}

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
		{"what is sent again after another has replaced it is refused", sentTooLate},
		{"A, B and A again are three versions", abA},
		{"of two publishers one is refused, and told what stands", conflicts},
		{"a deleted document stays as a sign of that", deleted},
		{"large documents arrive byte for byte", large},
		{"a document that is too large is refused, and no other", tooLarge},
		{"documents that are large when they are unpacked come a few at a time", comeFewAtATime},
		{"lines and workspaces are selected", selects},
		{"following waits for what comes", waits},
		{"a lease has one holder", oneHolder},
		{"a lease is taken again by its nonce", takenAgain},
		{"a lease that is released can be taken", released},
		{"a lease that is not renewed lapses", lapses},
		{"a lease lasts for weeks or a year", lastsLong},
		{"fences only grow", fencesGrow},
		{"of many who claim at once one wins", race},
		{"numbers are given once", numbers},
		{"calls reach who has the files", called},
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
func versionOf(t *testing.T, line mirror.Branch, name string, rev uint64, text string) share.DocumentVersion {
	t.Helper()
	return share.DocumentVersion{
		Branch: line, Path: ".wrangler/issues/" + fmt.Sprintf("%x", share.HashOf([]byte(t.Name())))[:8] + "/" + name,
		Origin: share.Origin{Epoch: fmt.Sprintf("%x", share.HashOf([]byte(t.Name()))), Rev: rev}, Data: []byte(text),
	}
}

// publish publishes a version, again while the engine is away, as a publisher does: the nodes of a
// cluster may be choosing their leader.
func publish(t *testing.T, team share.Team, v share.DocumentVersion) (position uint64) {
	t.Helper()
	eventually(t, "the engine to take "+v.Path, func() bool {
		ack := team.Publish(t.Context(), []share.DocumentVersion{v})[0]
		if ack.Err != nil && !errors.Is(ack.Err, share.ErrAway) {
			t.Fatalf("publish %s: %v", v.Path, ack.Err)
		}
		position = ack.Position
		return ack.Err == nil
	})
	return position
}

// follow returns the versions that come after a position, up to one position.
func follow(t *testing.T, team share.Team, after, to uint64) []share.DocumentVersion {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var found []share.DocumentVersion
	for batch, err := range team.Follow(ctx, after, share.BranchSelection{}) {
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
func head(t *testing.T, team share.Team, v share.DocumentVersion, position uint64) share.DocumentVersion {
	t.Helper()
	var found share.DocumentVersion
	eventually(t, "the head of "+v.Path, func() bool {
		for h, err := range team.Heads(t.Context(), share.BranchSelection{Workspaces: []string{v.Branch.Workspace}}) {
			if err != nil {
				t.Fatalf("heads: %v", err)
			}
			if h.Branch == v.Branch && h.Path == v.Path {
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
	v.Commit = "0123456789abcdef"
	position := publish(t, machine, v)
	got := follow(t, hub, position-1, position)
	if len(got) != 1 || got[0].Path != v.Path || got[0].Branch != v.Branch || got[0].Origin != v.Origin || got[0].Commit != v.Commit ||
		got[0].Position != position || !bytes.Equal(got[0].Data, v.Data) || got[0].Hash != share.HashOf(v.Data) || got[0].Gone {
		t.Errorf("%+v", got)
	}
	if h := head(t, hub, v, position); h.Hash != share.HashOf(v.Data) || h.Origin != v.Origin {
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

// A publisher that was told of the position where its version stood would take it for what the
// engine has.
func sentTooLate(t *testing.T, s suite) {
	machine, other := s.connect(t), s.connect(t)
	v := versionOf(t, api, "a.md", 1, "first")
	next := versionOf(t, api, "a.md", 2, "second")
	next.Replaces = publish(t, machine, v)
	position := publish(t, other, next)
	for range 2 {
		ack := machine.Publish(t.Context(), []share.DocumentVersion{v})[0]
		conflict := new(share.VersionConflictError)
		if !errors.As(ack.Err, &conflict) || conflict.Stands.Position != position || conflict.Stands.Origin != next.Origin {
			t.Errorf("%+v", ack)
		}
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
	if !errors.As(ack.Err, &conflict) || conflict.Stands.Position != position || conflict.Stands.Origin != v.Origin {
		t.Fatalf("%+v", ack)
	}
	other.Replaces = conflict.Stands.Position
	if publish(t, second, other) <= position {
		t.Error("what replaces stands before what it replaces")
	}
	absent := versionOf(t, api, "absent.md", 2, "text")
	absent.Replaces = position
	if ack := first.Publish(t.Context(), []share.DocumentVersion{absent})[0]; !errors.As(ack.Err, new(*share.VersionConflictError)) {
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
	const documents = 12 // more than are asked for together
	machine, hub := s.connect(t), s.connect(t)
	text := string(noise(share.MaxPacked - 1000))
	var first, last uint64
	for i := range documents {
		last = publish(t, machine, versionOf(t, api, fmt.Sprintf("%d.md", i), uint64(i+1), text))
		first = cmp.Or(first, last)
	}
	got := follow(t, hub, first-1, last)
	if len(got) != documents || slices.ContainsFunc(got, func(v share.DocumentVersion) bool { return string(v.Data) != text }) {
		t.Errorf("%d documents came", len(got))
	}
}

func tooLarge(t *testing.T, s suite) {
	acks := s.connect(t).Publish(t.Context(), []share.DocumentVersion{
		versionOf(t, api, "large.md", 1, string(make([]byte, share.MaxDocument+1))), versionOf(t, api, "noise.md", 2, string(noise(share.MaxPacked+1))),
		versionOf(t, api, "small.md", 3, "small"),
	})
	for _, ack := range acks[:2] {
		if !errors.Is(ack.Err, share.ErrTooLarge) {
			t.Errorf("%+v", ack)
		}
	}
	if acks[2].Err != nil {
		t.Errorf("the one beside them: %+v", acks[2])
	}
}

// comeFewAtATime publishes the worst that a member can, which takes few bytes of an engine.
func comeFewAtATime(t *testing.T, s suite) {
	const documents, size = 4, 15 << 20 // twice as much as may come at once
	machine, hub := s.connect(t), s.connect(t)
	text := strings.Repeat("\n", size)
	var first, last uint64
	for i := range documents {
		last = publish(t, machine, versionOf(t, api, fmt.Sprintf("%d.md", i), uint64(i+1), text))
		first = cmp.Or(first, last)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	found := 0
	for batch, err := range hub.Follow(ctx, first-1, share.BranchSelection{}) {
		if err != nil {
			t.Fatal(err)
		}
		bytes := 0
		for _, v := range batch {
			bytes += len(v.Data)
		}
		if found += len(batch); bytes > share.MaxBatchBytes {
			t.Fatalf("%d versions have %d bytes together, more than %d", len(batch), bytes, share.MaxBatchBytes)
		}
		if len(batch) > 0 && batch[len(batch)-1].Position == last {
			break
		}
	}
	if found != documents {
		t.Errorf("%d of %d documents came", found, documents)
	}
}

func selects(t *testing.T, s suite) {
	machine := s.connect(t)
	lines := []mirror.Branch{api, {Workspace: "api", Name: "mac-7k2q"}, {Workspace: "web", Name: mirror.Main}}
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
	last := publish(t, machine, versionOf(t, mirror.Branch{Workspace: "web", Name: "z"}, "z.md", 1, "z"))
	for _, c := range []struct {
		of   share.BranchSelection
		want []int // of lines
	}{
		{share.BranchSelection{}, []int{0, 1, 2}},
		{share.BranchSelection{Workspaces: []string{"api"}}, []int{0, 1}},
		{share.BranchSelection{Branches: []string{mirror.Main}}, []int{0, 2}},
		{share.BranchSelection{Workspaces: []string{"api", "web"}, Branches: []string{mirror.Main}}, []int{0, 2}},
		{share.BranchSelection{Workspaces: []string{"web"}, Branches: []string{mirror.Main}}, []int{2}},
		{share.BranchSelection{Branches: []string{}}, nil},
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
	for batch, err := range hub.Follow(ctx, state.Last, share.BranchSelection{}) {
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
