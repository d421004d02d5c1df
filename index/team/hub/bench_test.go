package hub_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"issues-index/index/team/hub"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
)

// BenchmarkFilling is a new hub of 10,000 documents, until their files are there; the index is
// not built. Verifying is a start with all of them there.
func BenchmarkFilling(b *testing.B) {
	engine := sharetest.NewEngine(nil)
	team := engine.Connect()
	versions := []share.DocumentVersion{{Branch: api, Path: mirror.ManifestPath, Data: []byte(manifest), Origin: share.Origin{Epoch: "b"}}}
	for i := range 10_000 {
		text := fmt.Sprintf("---\nid: ISS-%06d\ntitle: Title\ntype: issue\nstatus: open\n---\n\n%s", i, strings.Repeat("Some words of a document. ", 200))
		versions = append(versions, share.DocumentVersion{Branch: api, Path: fmt.Sprintf("a/ISS-%06d.md", i), Data: []byte(text), Origin: share.Origin{Epoch: "b", Rev: uint64(i + 1)}})
	}
	for _, ack := range team.Publish(b.Context(), versions) {
		ok(b, ack.Err)
	}
	run := func(dir string) {
		h, err := hub.New(hub.Options{Team: team, Dir: dir})
		ok(b, err)
		ctx, end := context.WithCancel(b.Context())
		defer end()
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		until(b, "a verification", func() bool { return !h.Status().Verified.At.IsZero() })
		end()
		ok(b, <-ended, h.Close())
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			run(b.TempDir())
		}
	})
	b.Run("verifying", func(b *testing.B) {
		dir := b.TempDir()
		run(dir)
		for b.Loop() {
			run(dir)
		}
	})
}
