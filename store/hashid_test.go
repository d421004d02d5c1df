package store

import (
	"slices"
	"testing"

	"issues-index/store/layout"
)

func TestHashIDs(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		layout.File:                      "idScheme: hash\n",
		".wrangler/issues/ISS-000041.md": "---\nid: ISS-000041\n---\n",
		".wrangler/issues/ISS-bbbb1.md":  "---\nid: ISS-BBBB1\n---\n",
	})
	if w.Layout.IDScheme != layout.SchemeHash {
		t.Fatal("the layout is not read")
	}
	drawn := [][]byte{{9, 9, 9, 9, 9}, {9, 9, 9, 9, 0}, {9, 9, 9, 9, 1}} // a word, a taken one, a free one
	for _, o := range []CreateOptions{{}, {Taken: func(id string) (bool, int, error) { return id == "ISS-bbbb1", 2, nil }}} {
		left := slices.Clone(drawn)
		w.ids.random = func(b []byte) { copy(b, left[0]); left = left[1:] }
		done, err := w.Create(t.Context(), NewDocument{Title: "A title", DependsOn: []string{"ISS-000041"}}, o)
		if err != nil || done.After.ID != "ISS-bbbb2" || done.Path != ".wrangler/issues/ISS-bbbb2-a-title.md" || len(done.After.Problems) > 0 {
			t.Fatalf("%+v, %v", done.After, err)
		}
		if _, err := w.Delete(t.Context(), done.Path, func(*Document) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("randomness that is none is an error", func(t *testing.T) {
		w.ids.random = func([]byte) {}
		if _, err := w.Create(t.Context(), NewDocument{Title: "x"}, CreateOptions{}); err == nil {
			t.Error("there is no error")
		}
	})
}

func TestHashesAreIDs(t *testing.T) {
	w := newWorkspace(t, nil)
	for id, want := range map[string]bool{"ISS-k3f9q": true, "spec-K3F9Q": true, "ISS-k3f9": false, "ISS-kkkkk": false, "ISS-k3f9o": false, "k3f9q": false, "ISS-000041": true} {
		if got := w.HasPlainID(TypeIssue, id); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
	for name, want := range map[string]bool{"ISS-k3f9q-title": true, "ISS-k3f9q": true, "k3f9q-title": false, "notes": false} {
		if got := w.BeginsWithID(TypeIssue, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
