package store

import (
	"path/filepath"
	"testing"
)

func TestADocumentIsListedByOneNameOfItsFolder(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		".wrangler/issues/area/a.md": "",
		"shared/deep/b.md":           "",
		"apart/c.md":                 "",
	})
	for name, target := range map[string]string{"issues/z": "../../shared", "ideas/b": "../../shared", "ideas/a": "../issues/area", "issues/round": ".."} {
		symlink(t, target, filepath.Join(w.Root, ".wrangler", name))
	}
	l := list(t, w)
	torn := Folders{several: true, names: map[dirKey]string{}} // of a walk that missed the folder's own name
	info, err := w.follow(".wrangler/issues/area")
	if err != nil {
		t.Fatal(err)
	}
	torn.names[w.keyOf(".wrangler/issues/area", info)] = ".wrangler/ideas/a"
	if got := w.ListedAs(torn, ".wrangler/issues/area/a.md"); got != ".wrangler/issues/area/a.md" {
		t.Errorf("a folder's own name gives way to %s", got)
	}
	wantPaths(t, "files", paths(l), ".wrangler/ideas/b/deep/b.md", ".wrangler/issues/area/a.md")
	for p, want := range map[string]string{
		".wrangler/issues/z/deep/b.md":          ".wrangler/ideas/b/deep/b.md",
		".wrangler/ideas/b/deep/b.md":           ".wrangler/ideas/b/deep/b.md",
		".wrangler/ideas/a/a.md":                ".wrangler/issues/area/a.md",
		".wrangler/issues/round/ideas/a/new.md": ".wrangler/issues/area/new.md",
		// Of what no walk has met, nothing is known.
		".wrangler/issues/new/a.md": ".wrangler/issues/new/a.md",
		"apart/c.md":                "apart/c.md",
	} {
		if got := w.ListedAs(l.Folders, p); got != want {
			t.Errorf("%s is listed as %s, want %s", p, got, want)
		}
	}
}
