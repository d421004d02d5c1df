package publish

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/natstest"
)

// BenchmarkPublish publishes a workspace to a node of a real engine, and then changes of single
// documents.
func BenchmarkPublish(b *testing.B) {
	const documents = 10_000
	cluster := natstest.Start(b, 1)
	team := cluster.Connect(natstest.API)
	s := newSiteOn(b, b.TempDir(), team, nil, index.ModeWatch)
	s.Team = team // without the wire, which looks at all heads for each version
	b.Cleanup(s.end)
	body := strings.Repeat("Rain falls on the plain, and somebody measures it every day.\n", 40)
	for i := range documents {
		s.write(fmt.Sprintf("ISS-%06d.md", i), document(fmt.Sprint("About ", i))+body)
	}
	ix, release, err := s.index.Acquire(b.Context())
	s.must(err)
	_, err = ix.Health(b.Context())
	s.must(err)
	release()
	began := time.Now()
	s.must(s.publish())
	b.Logf("all %d documents: %v", documents, time.Since(began))
	b.Run("compare with the engine", func(b *testing.B) {
		for b.Loop() {
			s.loop.reconcileAt = farPast
			s.must(s.publish())
		}
	})
	b.Run("nothing", func(b *testing.B) {
		for b.Loop() {
			s.must(s.publish())
		}
	})
	b.Run("one change", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			s.write("ISS-000007.md", document(fmt.Sprint("Changed ", n))+body)
			s.must(s.publish())
		}
	})
	b.Run("one deletion", func(b *testing.B) {
		n := 0
		for b.Loop() {
			s.remove(fmt.Sprintf("ISS-%06d.md", 100+n))
			n++
			s.must(s.publish())
		}
	})
}
