package nats_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/team/nats"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

var api = mirror.Branch{Workspace: "api", Name: mirror.Main}

// version is one of a document of api.
func version(name string, rev uint64, text string) share.DocumentVersion {
	return share.DocumentVersion{Branch: api, Path: ".wrangler/issues/" + name, Origin: share.Origin{Epoch: "epoch", Rev: rev}, Data: []byte(text)}
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestAMachineStartsWhileTheClusterIsAway(t *testing.T) {
	cluster := natstest.New(t, 1)
	machine := cluster.Connect(natstest.API)
	if state := machine.Connection(); state.Connected || state.Reason == "" {
		t.Errorf("%+v", state)
	}
	if ack := machine.Publish(t.Context(), []share.DocumentVersion{version("a.md", 1, "text")})[0]; !errors.Is(ack.Err, share.ErrAway) {
		t.Errorf("%+v", ack)
	}
	again, done := machine.Reconnected()
	defer done()
	cluster.Restart(0)
	cluster.WaitReady()
	select {
	case <-again:
	case <-time.After(time.Minute):
		t.Fatal("the machine is not told that it is connected")
	}
	if state := machine.Connection(); !state.Connected || state.Server != "node1" {
		t.Errorf("%+v", state)
	}
}

// Who goes on at another node has missed nothing. The engine was away when no node could be
// reached.
func TestALostNodeIsNoEngineThatWasAway(t *testing.T) {
	cluster := natstest.Start(t, 3)
	machine := cluster.Connect(natstest.API)
	first := machine.Connection().Server
	again, done := machine.Reconnected()
	defer done()
	for i := range 3 {
		if cluster.Plan.Nodes[i].Name == first {
			cluster.Kill(i)
		}
	}
	until(t, "another node", func() bool { s := machine.Connection(); return s.Connected && s.Server != first })
	select {
	case <-again:
		t.Error("the machine is told that the engine was away")
	default:
	}
	for i := range 3 {
		if cluster.Plan.Nodes[i].Name != first {
			cluster.Kill(i)
		}
	}
	until(t, "the loss of all nodes", func() bool { return !machine.Connection().Connected })
	for i := range 3 {
		cluster.Restart(i)
	}
	select {
	case <-again:
	case <-time.After(time.Minute):
		t.Error("the machine is not told that it is connected")
	}
}

func TestStreamsOutliveTheirOnlyNode(t *testing.T) {
	cluster := natstest.Start(t, 1)
	machine, admin := cluster.Connect(natstest.API), cluster.Connect(natstest.Administrator)
	cluster.Kill(0)
	cluster.Restart(0)
	cluster.WaitReady()
	until(t, "the streams", func() bool {
		_, err := admin.Check(t.Context())
		return err == nil
	})
	until(t, "an answer to the machine", func() bool {
		return machine.Announce(t.Context(), share.Presence{Branch: api, Machine: "mac"}) == nil
	})
}

// The acknowledgement of a version is lost; the publisher sends it again.
func TestALostAcknowledgementLeavesOneVersion(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d nodes", nodes), func(t *testing.T) {
			cluster := natstest.Start(t, nodes)
			machine := cluster.Connect(natstest.API)
			before := machine.Publish(t.Context(), []share.DocumentVersion{version("a.md", 1, "A")})[0]
			next := version("a.md", 2, "B")
			next.Replaces = before.Position
			lost, again := machine.Publish(t.Context(), []share.DocumentVersion{next})[0], machine.Publish(t.Context(), []share.DocumentVersion{next})[0]
			if before.Err != nil || lost.Err != nil || again != lost {
				t.Errorf("%+v, %+v and %+v", before, lost, again)
			}
			if state, err := machine.LogState(t.Context()); err != nil || state.Last != lost.Position {
				t.Errorf("%+v %v", state, err)
			}
		})
	}
}

func TestTheLeaderIsStoppedWhileAMachinePublishes(t *testing.T) {
	cluster := natstest.Start(t, 3)
	machine, hub := cluster.Connect(natstest.API), cluster.Connect(natstest.Hub)
	const all = 60
	acked := map[string]uint64{}
	stopped := -1
	for i := range all {
		if i == all/3 {
			stopped = cluster.StopLeader("DOCS")
		}
		v := version(fmt.Sprintf("%d.md", i), uint64(i+1), "text")
		until(t, "an acknowledgement", func() bool {
			ack := machine.Publish(t.Context(), []share.DocumentVersion{v})[0]
			if ack.Err != nil && !errors.Is(ack.Err, share.ErrAway) {
				t.Fatalf("%s: %v", v.Path, ack.Err)
			}
			acked[v.Path] = ack.Position
			return ack.Err == nil
		})
	}
	cluster.Restart(stopped)
	got := map[string]uint64{}
	until(t, "all versions at a hub", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		for batch, err := range hub.Follow(ctx, 0, share.BranchSelection{}) {
			if err != nil {
				return false // the hub was connected to the node, and begins again
			}
			for _, v := range batch {
				got[v.Path] = v.Position
			}
			if len(got) == all {
				return true
			}
		}
		return false
	})
	for path, position := range acked {
		if got[path] != position {
			t.Errorf("%s was acknowledged at %d and stands at %d", path, position, got[path])
		}
	}
}

func TestAWireThatCarriesNothingIsAnEngineThatIsAway(t *testing.T) {
	cluster := natstest.Start(t, 1)
	proxy := natstest.NewProxy(t, cluster.Plan.Nodes[0].Client)
	o := cluster.Options(natstest.API)
	o.URLs, o.Timeout = []string{proxy.URL()}, 200*time.Millisecond
	machine, err := nats.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer machine.Close()
	v := version("a.md", 1, "text")
	until(t, "the connection", func() bool { return machine.Connection().Connected })
	proxy.Cut()
	if ack := machine.Publish(t.Context(), []share.DocumentVersion{v})[0]; !errors.Is(ack.Err, share.ErrAway) {
		t.Errorf("%+v", ack)
	}
	if _, err := machine.Take(t.Context(), share.TeamLease{Workspace: "api", Key: "iss-1", Nonce: "one"}, time.Minute); !errors.Is(err, share.ErrAway) {
		t.Errorf("%v", err)
	}
	proxy.Mend()
	var ack share.Ack
	until(t, "an acknowledgement", func() bool {
		ack = machine.Publish(t.Context(), []share.DocumentVersion{v})[0]
		return ack.Err == nil
	})
	if state, err := cluster.Connect(natstest.Hub).LogState(t.Context()); err != nil || state.Last != 1 || ack.Position != 1 {
		t.Errorf("it was stored %d times, and stands at %d: %v", state.Last, ack.Position, err)
	}
}

func TestWhatIsNotAllowedFailsAtOnce(t *testing.T) {
	cluster := natstest.Start(t, 1)
	stranger := cluster.Connect(natstest.Web)
	for name, do := range map[string]func() error{
		"publish": func() error {
			return stranger.Publish(t.Context(), []share.DocumentVersion{version("a.md", 1, "x")})[0].Err
		},
		"take": func() error {
			_, err := stranger.Take(t.Context(), share.TeamLease{Workspace: "api", Key: "iss-1", Nonce: "one"}, time.Minute)
			return err
		},
		"count": func() error {
			_, err := stranger.NextNumber(t.Context(), "api", "ISS", 1)
			return err
		},
		"announce": func() error { return stranger.Announce(t.Context(), share.Presence{Branch: api}) },
		"serve": func() error {
			return stranger.ServeCalls(t.Context(), api, func(context.Context, []byte) []byte { return nil })
		},
		"call": func() error { _, err := stranger.Call(t.Context(), api, nil); return err },
		"init": func() error { return stranger.Init(t.Context(), 1) },
		"follow": func() error {
			for _, err := range stranger.Follow(t.Context(), 0, share.BranchSelection{}) {
				return err
			}
			return nil
		},
	} {
		if err := do(); !errors.Is(err, share.ErrForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWrongCredentialsAreSaidToBeWrong(t *testing.T) {
	cluster := natstest.Start(t, 1)
	seed, _, err := nats.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	o := cluster.Options(natstest.API)
	o.Credentials = filepath.Join(t.TempDir(), "other.nk")
	if err := os.WriteFile(o.Credentials, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	machine, err := nats.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer machine.Close()
	until(t, "the refusal", func() bool {
		_, err := machine.LogState(t.Context())
		return errors.Is(err, share.ErrForbidden)
	})
	o.Credentials = filepath.Join(t.TempDir(), "absent.nk")
	if _, err := nats.Connect(t.Context(), o); err == nil {
		t.Error("credentials that are not there were taken")
	}
}

// Whoever may publish for a workspace can write any bytes there.
func TestForgedMessagesAreSkippedAndNamed(t *testing.T) {
	cluster := natstest.Start(t, 1)
	machine, hub := cluster.Connect(natstest.API), cluster.Connect(natstest.Hub)
	first := machine.Publish(t.Context(), []share.DocumentVersion{version("a.md", 1, "text")})[0]
	seed, err := natsgo.NkeyOptionFromSeed(cluster.Options(natstest.API).Credentials)
	if err != nil {
		t.Fatal(err)
	}
	forger, err := natsgo.Connect("nats://"+cluster.Plan.Nodes[0].Client, seed)
	if err != nil {
		t.Fatal(err)
	}
	defer forger.Close()
	forged := []natsgo.Header{
		nil,
		{"Ii": {"2 future"}},
		{"Ii": {"1 00 a.md"}},
		{"Ii": {"1 00000000000000000000000000000000 ../../etc/passwd"}, "Ii-Id": {"api/main/e/1"}},
		{"Ii": {"1 00000000000000000000000000000000 .wrangler/issues/b.md"}, "Ii-Id": {"web/main/e/1"}},
	}
	for i, header := range forged {
		if err := forger.PublishMsg(&natsgo.Msg{Subject: "docs.api.main." + rand.Text()[:8], Header: header, Data: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := forger.Flush(); err != nil {
		t.Fatal(err)
	}
	last := machine.Publish(t.Context(), []share.DocumentVersion{version("z.md", 2, "text")})[0]
	named, got := 0, []uint64{}
	for batch, err := range hub.Follow(t.Context(), 0, share.BranchSelection{Refused: func(*share.MessageError) { named++ }}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range batch {
			got = append(got, v.Position)
		}
		if len(got) > 1 {
			break
		}
	}
	if named != len(forged) || len(got) != 2 || got[0] != first.Position || got[1] != last.Position {
		t.Errorf("%d were named, and %v are versions", named, got)
	}
}

func TestSettingsThatAreWrongAreNamed(t *testing.T) {
	cluster := natstest.Start(t, 1)
	admin := cluster.Connect(natstest.Administrator)
	warnings, err := admin.Check(t.Context())
	if err != nil || len(warnings) != 4 {
		t.Errorf("one node: %q %v", warnings, err)
	}
	status, err := cluster.Connect(natstest.Hub).Status(t.Context())
	if err != nil || status.Node != "node1" || len(status.Streams) != 4 || status.Streams[0].Missing {
		t.Errorf("%+v %v", status, err)
	}
}
