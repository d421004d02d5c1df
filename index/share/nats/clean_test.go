package nats_test

import (
	"bytes"
	crand "crypto/rand"
	"errors"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/share"
	"issues-index/index/share/natstest"
	"issues-index/index/share/wire"
)

// largeVersion is one whose body is stored in three pieces.
func largeVersion(t *testing.T, name string, rev, replaces uint64) share.DocumentVersion {
	t.Helper()
	v := version(name, rev, "")
	v.Data, v.Replaces = make([]byte, 1_200_000), replaces
	if _, err := crand.Read(v.Data); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPartsOfLargeDocumentsAreRemovedWhenNoVersionNamesThem(t *testing.T) {
	cluster := natstest.Start(t, 1)
	machine, admin := cluster.Connect(natstest.API), cluster.Connect(natstest.Administrator)
	publish := func(v share.DocumentVersion) uint64 {
		t.Helper()
		ack := machine.Publish(t.Context(), []share.DocumentVersion{v})[0]
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
		return ack.Position
	}
	kept := largeVersion(t, "kept.md", 1, 0)
	publish(kept)
	replaced := publish(largeVersion(t, "replaced.md", 2, 0))
	newest := largeVersion(t, "replaced.md", 3, replaced)
	publish(newest)
	gone := version("gone.md", 5, "")
	gone.Replaces, gone.Gone, gone.Data = publish(largeVersion(t, "gone.md", 4, 0)), true, nil
	publish(gone)

	if _, err := machine.CleanNow(t.Context()); !errors.Is(err, share.ErrForbidden) {
		t.Errorf("without the rights: %v", err)
	}
	if removed, err := admin.Clean(t.Context()); removed != 0 || err != nil {
		t.Errorf("%d pieces were removed that a version may be going to name: %v", removed, err)
	}
	known := version("future.md", 6, "known")
	unknown := natsgo.NewMsg(wire.DocumentSubject(known.Line, known.Path))
	unknown.Header.Set("Ii", "2 of a newer version of this program")
	raw := (&stranger{t: t, cluster: cluster}).dial(natstest.API)
	if _, err := raw.RequestMsg(unknown, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if removed, err := admin.CleanNow(t.Context()); removed != 0 || err != nil {
		t.Errorf("%d pieces were removed that a message may name: %v", removed, err)
	}
	conflict := new(share.VersionConflictError)
	if ack := machine.Publish(t.Context(), []share.DocumentVersion{known})[0]; !errors.As(ack.Err, &conflict) {
		t.Fatalf("%+v", ack)
	}
	known.Replaces = conflict.Stands.Position
	position := publish(known)
	for _, want := range []int{6, 0} {
		if removed, err := admin.CleanNow(t.Context()); removed != want || err != nil {
			t.Errorf("%d pieces were removed, and not %d: %v", removed, want, err)
		}
	}
	got := map[string][]byte{}
	for batch, err := range cluster.Connect(natstest.Hub).Follow(t.Context(), 0, share.LineSelection{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range batch {
			got[v.Path] = v.Data
		}
		if len(batch) > 0 && batch[len(batch)-1].Position == position {
			break
		}
	}
	if !bytes.Equal(got[kept.Path], kept.Data) || !bytes.Equal(got[newest.Path], newest.Data) {
		t.Error("a large document that is used is not whole")
	}
}
