package hub_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/index"
	"issues-index/index/team/hub"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/mirror"
)

// What is published when a line is removed: its documents go, and its manifest last.
func TestNothingStaysOfALineThatWasRemoved(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	h := start(t, t.TempDir(), engine.Connect(), all)
	h.filled(t)
	text := "---\nid: ISS-000001\ntitle: One\ntype: issue\nstatus: open\n---\n"
	for _, line := range []mirror.Branch{api, branch} {
		p.put(line, mirror.ManifestPath, manifest)
		h.await(t, p.put(line, "a/ISS-000001.md", text))
	}
	ws, err := store.Open(store.Options{Root: h.dir})
	ok(t, err)
	current, err := index.Serve(t.Context(), ws, index.Options{Mode: index.ModeVerify})
	ok(t, err)
	defer current.Close()
	shown := func() (lines, documents []string) {
		ix, release, err := current.Acquire(t.Context())
		ok(t, err)
		defer release()
		page, err := ix.Find(t.Context(), index.Query{Limit: 9, Filter: index.Filter{Workspaces: []string{"api"}, Lines: []string{api.Name, branch.Name}}})
		ok(t, err)
		for _, row := range page.Rows {
			documents = append(documents, row.ID)
		}
		health, err := ix.Health(t.Context())
		if ok(t, err); health.Documents != len(documents) {
			t.Errorf("%d documents are counted, and %v found", health.Documents, documents)
		}
		for _, l := range ix.Workspace().Branches() {
			lines = append(lines, l.String())
		}
		slices.Sort(documents)
		return lines, documents
	}
	if lines, documents := shown(); !slices.Equal(lines, []string{"api", "api@mac-7k2q"}) || len(documents) != 2 {
		t.Fatalf("%v, %v", lines, documents)
	}
	p.remove(branch, "a/ISS-000001.md")
	h.await(t, p.remove(branch, mirror.ManifestPath))
	if lines, documents := shown(); !slices.Equal(lines, []string{"api"}) || !slices.Equal(documents, []string{"api:ISS-000001"}) {
		t.Errorf("%v, %v", lines, documents)
	}
	if _, err := os.Stat(filepath.Join(h.dir, branch.String())); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
	if found := verified(t, h); found != (hub.Verified{At: found.At, Documents: 2}) {
		t.Errorf("a hub that compares finds %+v", found)
	}
	same(t, h.dir, p.published(all))
	p.put(branch, mirror.ManifestPath, manifest)
	h.await(t, p.put(branch, "a/ISS-000001.md", text))
	if lines, documents := shown(); len(lines) != 2 || len(documents) != 2 {
		t.Errorf("when it is back: %v, %v", lines, documents)
	}
}
