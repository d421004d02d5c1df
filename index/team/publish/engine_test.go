package publish

import (
	"maps"
	"testing"

	"issues-index/index"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// What the tests with an engine in memory show holds with a real one: documents are published
// once each, also over the death of a node.
func TestWithARealEngine(t *testing.T) {
	cluster := natstest.Start(t, 1)
	s := newSiteOn(t, t.TempDir(), cluster.Connect(natstest.API), nil, index.ModeWatch)
	t.Cleanup(s.end)
	hub := cluster.Connect(natstest.Hub)
	main := share.BranchSelection{Workspaces: []string{"api"}, Branches: []string{mirror.Main}}
	stands := func() bool {
		got := map[string]share.Hash{}
		for h, err := range hub.Heads(t.Context(), main) {
			if err != nil {
				return false
			}
			if !h.Gone && h.Path != mirror.ManifestPath {
				got[h.Path] = h.Hash
			}
		}
		want := map[string]share.Hash{}
		for path, text := range s.files() {
			want[path] = share.HashOf([]byte(text))
		}
		return maps.Equal(got, want)
	}
	s.write("ISS-000001.md", document("One"))
	s.write("ISS-000002.md", document("Two"))
	s.running(t)
	eventually(t, "all is published", stands)
	s.write("ISS-000001.md", document("One and more"))
	s.remove("ISS-000002.md")
	if _, err := s.Flush(t.Context()); err != nil || !stands() {
		t.Fatalf("%v, %+v", err, s.Status())
	}

	cluster.Kill(0)
	s.write("ISS-000003.md", document("Three"))
	eventually(t, "it is said to wait", func() bool { return s.Status().Waiting == 1 })
	cluster.Restart(0)
	cluster.WaitReady()
	eventually(t, "what was written meanwhile is published", stands)
	if status := s.Status(); status.Branch != mirror.Main || len(status.Problems) != 0 {
		t.Errorf("%+v", status)
	}
	if got := len(s.wire.published()); got != 5 {
		t.Errorf("%d versions were published, want 5", got)
	}
}
