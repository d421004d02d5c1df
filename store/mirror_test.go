package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"issues-index/store"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
)

const apiManifest = `{"format": 1, "layout": {"statuses": [{"name": "todo", "category": "open"}, {"name": "doing", "category": "active"}, {"name": "done", "category": "done"}]},
	"collections": [{"type": "issue", "dir": "docs/tasks", "archive": "docs/done"}, {"type": "issue", "dir": "docs/done", "archive": "docs/done"}]}`

const webManifest = `{"format": 1, "layout": {}, "collections": [{"type": "issue", "dir": ".wrangler/issues", "archive": ".wrangler/issues/archived"}]}`

// writeMarker marks a folder as a mirror with these manifests.
func writeMarker(t *testing.T, root string, manifests map[mirror.Branch][]byte) {
	t.Helper()
	parsed := map[mirror.Branch]mirror.Manifest{}
	for b, data := range manifests {
		m, err := mirror.ParseManifest(data)
		if err != nil {
			t.Fatal(err)
		}
		parsed[b] = m
	}
	data, err := mirror.MarkerBytes(parsed)
	if err != nil {
		t.Fatal(err)
	}
	storetest.WriteFiles(t, root, map[string]string{mirror.Marker: string(data)})
}

func newMirror(t *testing.T) (root string, manifests map[mirror.Branch][]byte) {
	t.Helper()
	root = storetest.RealDir(t, t.TempDir())
	storetest.WriteFiles(t, root, map[string]string{
		"api/.wrangler/workspace.json":       apiManifest,
		"api/docs/tasks/ISS-000001-rain.md":  "---\nid: ISS-000001\nstatus: doing\nupdatedAt: 2026-01-01\n---\nSee [it](../done/ISS-000002-sun.md), [other](../../../web/x.md) and [top](/docs/tasks/a.md).\n",
		"api/docs/done/ISS-000002-sun.md":    "---\nid: ISS-000002\nstatus: done\n---\n",
		"api/docs/other/a.md":                "no document",
		"web/.wrangler/workspace.json":       webManifest,
		"web/.wrangler/issues/ISS-000001.md": "---\nstatus: doing\n---\n",
		"new/.wrangler/issues/ISS-000001.md": "without a manifest",
	})
	manifests = map[mirror.Branch][]byte{{Workspace: "api", Name: "main"}: []byte(apiManifest), {Workspace: "web", Name: "main"}: []byte(webManifest)}
	writeMarker(t, root, manifests)
	return root, manifests
}

func openMirror(t *testing.T, dir string) *store.Workspace {
	t.Helper()
	ws, err := store.Open(store.Options{Getwd: func() (string, error) { return dir, nil }, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func TestMirror(t *testing.T) {
	root, manifests := newMirror(t)
	ws := openMirror(t, root)
	if !ws.Mirror() || len(ws.Branches()) != 2 {
		t.Fatalf("%v, %+v", ws.Mirror(), ws.Branches())
	}

	t.Run("lists the documents of the lines that have a manifest", func(t *testing.T) {
		listing, err := ws.List(t.Context())
		if err != nil || len(listing.Files) != 3 {
			t.Fatalf("%+v, %v", listing, err)
		}
		if f := listing.Files[1]; f.Path != "api/docs/tasks/ISS-000001-rain.md" || f.Collection.Branch.Workspace != "api" {
			t.Errorf("%+v", f)
		}
	})
	t.Run("reads each document by the layout of its workspace", func(t *testing.T) {
		api, _, err := ws.Load("api/docs/tasks/ISS-000001-rain.md")
		if err != nil || api.ID != "api:ISS-000001" || len(api.Problems) > 0 || api.Category() != "active" {
			t.Errorf("%+v, %v", api, err)
		}
		web, _, err := ws.Load("web/.wrangler/issues/ISS-000001.md")
		if err != nil || web.ID != "web:ISS-000001" || len(web.Problems) != 1 || web.Category() != "" {
			t.Errorf("%+v, %v", web, err)
		}
		if ws.Layout.CategoryOf("doing") != "active" || ws.Layout.CategoryOf("closed") != "done" {
			t.Errorf("the layout of all has %v", ws.Layout.Statuses)
		}
	})
	t.Run("links stay within their line", func(t *testing.T) {
		d, _, err := ws.Load("api/docs/tasks/ISS-000001-rain.md")
		if err != nil {
			t.Fatal(err)
		}
		found := ws.References(d)
		if len(found) != 2 || ws.LinkedPath(d.Path, found[0].Target) != "api/docs/done/ISS-000002-sun.md" || ws.LinkedPath(d.Path, found[1].Target) != "api/docs/tasks/a.md" {
			t.Errorf("%+v", found)
		}
		for written, want := range map[string]string{"ISS-02": "api:iss-2", "web:ISS-02": "web:iss-2", "41": "api:41", "Web@mac-01:ISS-02": "web@mac-01:iss-2"} {
			if got := d.FoldLink(written); got != want {
				t.Errorf("%s resolves by %s, not %s", written, got, want)
			}
		}
	})
	t.Run("is never changed", func(t *testing.T) {
		_, err := ws.Create(t.Context(), store.NewDocument{Type: store.TypeIssue, Title: "Rain"}, store.CreateOptions{})
		if !errors.Is(err, store.ErrMirror) {
			t.Errorf("creating gives %v", err)
		}
		if _, err := ws.Update(t.Context(), "web/.wrangler/issues/ISS-000001.md", func(*store.Document) (store.Fields, error) { return store.Fields{}, nil }); !errors.Is(err, store.ErrMirror) {
			t.Errorf("updating gives %v", err)
		}
	})
	t.Run("is found from a folder in it", func(t *testing.T) {
		if found := openMirror(t, filepath.Join(root, "api", "docs")); found.Root != root {
			t.Errorf("found %s", found.Root)
		}
	})
	t.Run("is opened again when a manifest changes, and only then", func(t *testing.T) {
		if err := ws.CheckLayout(); err != nil {
			t.Fatal(err)
		}
		manifests[mirror.Branch{Workspace: "new", Name: "main"}] = []byte(webManifest)
		storetest.WriteFiles(t, root, map[string]string{"new/.wrangler/workspace.json": webManifest})
		writeMarker(t, root, manifests)
		if err := ws.CheckLayout(); !errors.Is(err, store.ErrRelaid) {
			t.Fatalf("%v", err)
		}
		again, err := ws.Reopen()
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if c, ok := again.CollectionOf("new/.wrangler/issues/ISS-000001.md"); !ok || c.Branch.Workspace != "new" {
			t.Errorf("%+v", again.Collections)
		}
	})
	t.Run("leaves out a branch whose manifest it cannot read", func(t *testing.T) {
		storetest.WriteFiles(t, root, map[string]string{"web/.wrangler/workspace.json": `{"format": 2}`})
		again, err := ws.Reopen()
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if _, ok := again.CollectionOf("web/.wrangler/issues/ISS-000001.md"); ok {
			t.Error("it is there")
		}
	})
	t.Run("of another format is refused", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(root, mirror.Marker), []byte(`{"format": 2}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ws.Reopen(); !errors.Is(err, mirror.ErrFormat) {
			t.Errorf("%v", err)
		}
	})
}

// BenchmarkMirror lists a mirror of many workspaces, and tells whose its documents are.
func BenchmarkMirror(b *testing.B) {
	const lines, documents = 300, 100
	root := b.TempDir()
	manifest := `{"format": 1, "layout": {}, "collections": [{"type": "issue", "dir": ".wrangler/issues"}, {"type": "specification", "dir": ".wrangler/specifications"}, {"type": "idea", "dir": ".wrangler/ideas"}]}`
	files := map[string]string{mirror.Marker: `{"format": 1}`}
	for l := range lines {
		files[fmt.Sprintf("w-%d/%s", l, mirror.ManifestPath)] = manifest
		for d := range documents {
			files[fmt.Sprintf("w-%d/.wrangler/issues/ISS-%06d.md", l, d)] = "x"
		}
	}
	storetest.WriteFiles(b, root, files)
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ws.Close() })
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			again, err := ws.Reopen()
			if err != nil {
				b.Fatal(err)
			}
			_ = again.Close()
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if l, err := ws.List(b.Context()); err != nil || len(l.Files) != lines*documents {
				b.Fatal(len(l.Files), err)
			}
		}
	})
	b.Run("collection of", func(b *testing.B) {
		for b.Loop() {
			if _, ok := ws.CollectionOf("w-299/.wrangler/issues/ISS-000001.md"); !ok {
				b.Fatal("it has none")
			}
		}
	})
}

// Opened for one of its workspaces, a mirror has no other ones.
func TestOneWorkspaceOfAMirror(t *testing.T) {
	root, manifests := newMirror(t)
	ws, err := store.Open(store.Options{Root: root, OnlyWorkspace: "web", Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	listing, err := ws.List(t.Context())
	if err != nil || len(listing.Files) != 1 || listing.Files[0].Path != "web/.wrangler/issues/ISS-000001.md" || len(ws.Branches()) != 1 {
		t.Errorf("%+v, %v, %+v", listing, err, ws.Branches())
	}
	if ws.Layout.CategoryOf("doing") != "" {
		t.Errorf("it has the statuses of another one: %v", ws.Layout.Statuses)
	}
	if _, _, err := ws.Load("api/docs/tasks/ISS-000001-rain.md"); err == nil {
		t.Error("a document of another one is read")
	}
	storetest.WriteFiles(t, root, map[string]string{"new/.wrangler/workspace.json": webManifest})
	manifests[mirror.Branch{Workspace: "new", Name: mirror.Main}] = []byte(webManifest)
	writeMarker(t, root, manifests)
	if err := ws.CheckLayout(); err != nil {
		t.Errorf("another workspace comes: %v", err)
	}
	if _, err := store.Open(store.Options{Root: t.TempDir(), OnlyWorkspace: "web", Getenv: func(string) string { return "" }}); err == nil {
		t.Error("a folder that is no mirror is opened")
	}
}
