package edit

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
)

func TestReplace(t *testing.T) {
	const id = "ISS-000001"
	const archived = ".wrangler/issues/archived/ISS-000001-name.md"
	with := func(text string, pairs ...string) []byte { return []byte(strings.NewReplacer(pairs...).Replace(text)) }

	t.Run("the text takes the place of the document that it was made of", func(t *testing.T) {
		w := fresh(t, id)
		base := w.read(t, issuePath(id))
		done, err := w.Replace(t.Context(), DocumentRef{ID: "iss-1"}, []byte(base), with(base, "The title", "A title", "Text.", "Other."))
		if err != nil || done.Merged || !done.Changed {
			t.Fatal(done, err)
		}
		if row, err := w.ix.Get(t.Context(), id); err != nil || row.Title != "A title of ISS-000001" {
			t.Error(row, err)
		}
	})
	t.Run("what was changed meanwhile is kept, also in a file that has moved", func(t *testing.T) {
		w := fresh(t, id)
		base := w.read(t, issuePath(id))
		if _, err := w.Complete(t.Context(), DocumentRef{ID: id}, "Done."); err != nil {
			t.Fatal(err)
		}
		done, err := w.Replace(t.Context(), DocumentRef{ID: id}, []byte(base), with(base, "The title", "A title"))
		if err != nil || !done.Merged || done.Path != archived {
			t.Fatal(done, err)
		}
		text := w.read(t, archived)
		for _, part := range []string{"title: A title of", "status: closed\n", "Completion Notes", "Done."} {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in %s", part, text)
			}
		}
	})
	t.Run("a conflict changes nothing and has both texts", func(t *testing.T) {
		w := fresh(t, id)
		base := w.read(t, issuePath(id))
		theirs := with(base, "Text.", "Theirs.", "open", "in_progress")
		if err := os.WriteFile(w.file(issuePath(id)), theirs, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := w.Replace(t.Context(), DocumentRef{ID: id}, []byte(base), with(base, "Text.", "Mine."))
		var conflict *MergeConflictError
		if !errors.As(err, &conflict) || !slices.Equal(conflict.Places, []string{"text"}) || conflict.Version != versionOf(string(theirs)) {
			t.Fatal(err)
		}
		if w.read(t, issuePath(id)) != string(theirs) {
			t.Error("the document was changed")
		}
		both := string(conflict.Text)
		if !strings.Contains(both, "Theirs.\n") || !strings.Contains(both, "Mine.\n") || !strings.Contains(both, "status: in_progress\n") {
			t.Error(both)
		}
		var left *store.UneditableError
		if _, err := w.Replace(t.Context(), DocumentRef{ID: id}, theirs, conflict.Text); !errors.As(err, &left) || left.Line == 0 {
			t.Error("markers are taken:", err)
		}
		if _, err := w.Replace(t.Context(), DocumentRef{ID: id, IfVersion: conflict.Version}, theirs, with(base, "Text.", "Both.")); err != nil {
			t.Error(err)
		}
	})
	t.Run("another version than the given one changes nothing", func(t *testing.T) {
		w := fresh(t, id)
		base := w.read(t, issuePath(id))
		var stale *store.VersionError
		if _, err := w.Replace(t.Context(), DocumentRef{ID: id, IfVersion: "aaaaaaaaaa"}, []byte(base), with(base, "Text.", "Mine.")); !errors.As(err, &stale) {
			t.Error(err)
		}
		if w.read(t, issuePath(id)) != base {
			t.Error("the document was changed")
		}
	})
	t.Run("a document that is gone stays gone", func(t *testing.T) {
		w := fresh(t, id)
		base := w.read(t, issuePath(id))
		if err := os.Remove(w.file(issuePath(id))); err != nil {
			t.Fatal(err)
		}
		var missing *index.NotFoundError
		if _, err := w.Replace(t.Context(), DocumentRef{ID: id}, []byte(base), with(base, "Text.", "Mine.")); !errors.As(err, &missing) {
			t.Error(err)
		}
	})
}
