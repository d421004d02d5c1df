package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"issues-index/index"
	"issues-index/index/team/hub"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
)

// rowsOf is what an index shows of all documents, as JSON.
func rowsOf(t testing.TB, ix *index.Index) string {
	t.Helper()
	page, err := ix.Find(t.Context(), index.Query{Limit: 1000, Waits: true})
	ok(t, err)
	rows, err := json.MarshalIndent(page.Rows, "", " ")
	ok(t, err)
	return string(rows)
}

// The index over a mirror says the same as one that is built of the mirror's files anew,
// whatever was published while it was open: documents before their manifests, other layouts,
// lines that end.
func TestTheIndexOverAMirrorIsThatOfItsFiles(t *testing.T) {
	storetest.Checks(t, 5, 200)
	lines := []mirror.Branch{api, web, branch}
	rapid.Check(t, func(r *rapid.T) {
		dir := t.TempDir()
		engine := sharetest.NewEngine(nil)
		p := publish(t, engine)
		h, err := hub.New(hub.Options{Team: engine.Connect(), Dir: dir})
		ok(t, err)
		defer h.Close()
		ws, err := store.Open(store.Options{Root: dir})
		ok(t, err)
		current, err := index.Serve(t.Context(), ws, index.Options{Mode: index.ModeVerify})
		ok(t, err)
		defer current.Close()
		h.UseIndex(current)
		ctx, end := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { ok(t, h.Run(ctx)) })
		defer running.Wait()
		defer end()
		for i := range rapid.IntRange(1, 12).Draw(r, "steps") {
			line := rapid.SampledFrom(lines).Draw(r, "line")
			number := rapid.IntRange(1, 3).Draw(r, "number")
			path := fmt.Sprintf("a/ISS-%06d.md", number)
			switch rapid.IntRange(0, 4).Draw(r, "step") {
			case 0:
				p.put(line, mirror.ManifestPath, fmt.Sprintf(`{"format":1,"collections":[{"type":"issue","dir":%q}],"layout":{}}`, rapid.SampledFrom([]string{"a", "b"}).Draw(r, "folder")))
			case 1:
				p.remove(line, rapid.SampledFrom([]string{path, mirror.ManifestPath}).Draw(r, "removed"))
			default:
				p.put(line, path, fmt.Sprintf("---\nid: ISS-%06d\ntitle: Title %d\ntype: issue\nstatus: open\ndependsOn: [ISS-%06d]\n---\n\nWords.\n", number, i, number%3+1))
			}
			if rapid.Bool().Draw(r, "looked at") {
				compareIndexes(t, r, h, p, current, dir)
			}
		}
		compareIndexes(t, r, h, p, current, dir)
	})
}

// compareIndexes compares the index that is served with one that is built now.
func compareIndexes(t testing.TB, r *rapid.T, h *hub.Hub, p *publisher, current *index.Current, dir string) {
	ctx, end := context.WithTimeout(t.Context(), patience)
	defer end()
	ok(t, h.Wait(ctx, p.put(api, "a/ISS-000009.md", "---\nid: ISS-000009\ntitle: Last\ntype: issue\nstatus: open\n---\n")))
	ix, release, err := current.Acquire(t.Context())
	ok(t, err)
	defer release()
	ws, err := store.Open(store.Options{Root: dir})
	ok(t, err)
	defer ws.Close()
	anew, err := index.Open(t.Context(), ws, index.Options{Path: filepath.Join(t.TempDir(), "anew.db"), Mode: index.ModeVerify})
	ok(t, err)
	defer anew.Close()
	if served, want := rowsOf(t, ix), rowsOf(t, anew); served != want {
		r.Errorf("the index has\n%s, and one that is built now\n%s", served, want)
	}
}
