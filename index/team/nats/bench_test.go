package nats_test

import (
	"fmt"
	"testing"
	"time"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
)

// BenchmarkThreeNodes measures what a team asks of a cluster, each change synced to the disks
// of most nodes before it is acknowledged.
func BenchmarkThreeNodes(b *testing.B) {
	cluster := natstest.Start(b, 3)
	machine, hub := cluster.Connect(natstest.API), cluster.Connect(natstest.Hub)
	rev := uint64(0)
	next := func() share.DocumentVersion {
		rev++
		return version(fmt.Sprintf("%d.md", rev), rev, fmt.Sprintf("---\ntitle: %d\n---\n%05500d", rev, rev))
	}
	b.Run("publish one by one", func(b *testing.B) {
		for b.Loop() {
			if ack := machine.Publish(b.Context(), []share.DocumentVersion{next()})[0]; ack.Err != nil {
				b.Fatal(ack.Err)
			}
		}
	})
	b.Run("publish 1000 at once", func(b *testing.B) {
		for b.Loop() {
			versions := make([]share.DocumentVersion, 1000)
			for i := range versions {
				versions[i] = next()
			}
			for _, ack := range machine.Publish(b.Context(), versions) {
				if ack.Err != nil {
					b.Fatal(ack.Err)
				}
			}
		}
	})
	b.Run("follow 1000", func(b *testing.B) {
		var read, last uint64
		state, err := hub.LogState(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			read = 0
			for batch, err := range hub.Follow(b.Context(), state.Last-1000, share.BranchSelection{}) {
				if err != nil {
					b.Fatal(err)
				}
				for _, v := range batch {
					last = v.Position
					read++
				}
				if last >= state.Last {
					break
				}
			}
			last = 0
		}
	})
	b.Run("take a lease", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			if _, err := machine.Take(b.Context(), share.TeamLease{Workspace: "api", Key: fmt.Sprint(n, b.N), Nonce: "n"}, time.Minute); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("number", func(b *testing.B) {
		for b.Loop() {
			if _, err := machine.NextNumber(b.Context(), "api", "ISS", 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}
