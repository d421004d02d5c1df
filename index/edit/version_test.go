package edit

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"issues-index/store"
	"issues-index/store/markdown"
)

// versionOf is the version as the specification defines it.
func versionOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:10]
}

func TestVersion(t *testing.T) {
	const id = "ISS-000001"
	t.Run("it is the beginning of the hash of the file's bytes, in every answer", func(t *testing.T) {
		w := fresh(t, id)
		row, err := w.ix.Get(t.Context(), id)
		if want := versionOf(w.read(t, issuePath(id))); err != nil || row.Version != want {
			t.Errorf("the row has %q, the file %q, %v", row.Version, want, err)
		}
		done, err := w.Update(t.Context(), DocumentRef{ID: id, IfVersion: strings.ToUpper(row.Version)}, urgent)
		want := versionOf(w.read(t, issuePath(id)))
		if err != nil || done.After.Version != want || done.Before.Version != row.Version || want == row.Version {
			t.Errorf("%q became %q, the file has %q, %v", row.Version, done.After.Version, want, err)
		}
		if row, err = w.ix.Get(t.Context(), id); err != nil || row.Version != want {
			t.Errorf("the row has %q, the file %q, %v", row.Version, want, err)
		}
	})
	t.Run("a change without a version merges", func(t *testing.T) {
		w := fresh(t, id)
		if _, err := w.Update(t.Context(), DocumentRef{ID: id}, urgent); err != nil {
			t.Error(err)
		}
	})
	t.Run("what is no version is refused as such", func(t *testing.T) {
		w := fresh(t, id)
		for _, given := range []string{"latest", "*", "aaaaaaaaa1", "aaaaaaaaaaa"} {
			_, err := w.Update(t.Context(), DocumentRef{ID: id, IfVersion: given}, urgent)
			if wrong := (*store.ValueError)(nil); !errors.As(err, &wrong) || wrong.Field != "ifVersion" {
				t.Errorf("%q: %v", given, err)
			}
		}
	})
	t.Run("a file that is not UTF-8 has one, a file that cannot be read none", func(t *testing.T) {
		w := fresh(t, id)
		if err := os.WriteFile(w.file(issuePath(id)), []byte("---\nid: ISS-000001\n---\n\xff\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if row, err := w.ix.Get(t.Context(), id); err != nil || row.Version != versionOf(w.read(t, issuePath(id))) {
			t.Errorf("%q, %v", row.Version, err)
		}
		if err := os.Truncate(w.file(issuePath(id)), store.MaxFileSize+1); err != nil {
			t.Fatal(err)
		}
		if row, err := w.ix.Get(t.Context(), issuePath(id)); err != nil || row.Version != "" {
			t.Errorf("%q, %v", row.Version, err)
		}
	})
}

// Every way of changing a document refuses a version that is no longer its own, changes
// nothing, and names the fields that have changed since.
func TestStaleVersionsAreRefused(t *testing.T) {
	const id = "ISS-000001"
	edits := []markdown.TextEdit{{Op: markdown.Append, Text: "More."}}
	for name, change := range map[string]func(w workspace, ref DocumentRef) error{
		"update":   func(w workspace, ref DocumentRef) error { _, err := w.Update(t.Context(), ref, urgent); return err },
		"complete": func(w workspace, ref DocumentRef) error { _, err := w.Complete(t.Context(), ref, "Done."); return err },
		"delete":   func(w workspace, ref DocumentRef) error { _, err := w.Delete(t.Context(), ref); return err },
		"edit":     func(w workspace, ref DocumentRef) error { _, err := w.Edit(t.Context(), ref, edits); return err },
	} {
		t.Run(name, func(t *testing.T) {
			w := fresh(t, id)
			read, err := w.ix.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			title := "Another title"
			retitled := func(*store.Document) (store.Fields, error) { return store.Fields{Title: &title}, nil }
			if _, err := w.Update(t.Context(), DocumentRef{ID: id}, retitled); err != nil {
				t.Fatal(err)
			}
			between, err := w.Edit(t.Context(), DocumentRef{ID: id}, []markdown.TextEdit{{Op: markdown.Prepend, Text: "First."}})
			if err != nil {
				t.Fatal(err)
			}
			before := w.read(t, issuePath(id))
			err = change(w, DocumentRef{ID: id, IfVersion: read.Version})
			stale := (*store.VersionError)(nil)
			if !errors.As(err, &stale) {
				t.Fatalf("it is %v", err)
			}
			if stale.Given != read.Version || stale.Current != between.After.Version || stale.Changed.IsZero() || stale.ID != id {
				t.Errorf("%+v", stale)
			}
			if !slices.Equal(stale.Fields, []string{"title", "text"}) {
				t.Errorf("changed are %v", stale.Fields)
			}
			if after := w.read(t, issuePath(id)); after != before {
				t.Errorf("the file is %q now", after)
			}
			if err := change(w, DocumentRef{ID: id, IfVersion: stale.Current}); err != nil {
				t.Errorf("with the current version: %v", err)
			}
		})
	}
}

// A change by hand that the index has seen is named, too; a version that nobody has seen
// is refused without fields.
func TestWhatChangedSinceAVersion(t *testing.T) {
	const id = "ISS-000001"
	w := fresh(t, id)
	read, err := w.ix.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	byHand := strings.Replace(w.read(t, issuePath(id)), "status: open", "status: in_progress\nestimate: 3", 1)
	if err := os.WriteFile(w.file(issuePath(id)), []byte(byHand), 0o644); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string][]string{read.Version: {"status"}, "aaaaaaaaaa": nil} {
		_, err = w.Update(t.Context(), DocumentRef{ID: id, IfVersion: given}, urgent)
		if stale := (*store.VersionError)(nil); !errors.As(err, &stale) || !slices.Equal(stale.Fields, want) || stale.Current != versionOf(byHand) {
			t.Errorf("%s: %v %+v", given, err, stale)
		}
	}
	byHand = strings.Replace(byHand, "estimate: 3", "estimate: 5", 1)
	if err := os.WriteFile(w.file(issuePath(id)), []byte(byHand), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(t.Context(), DocumentRef{ID: id, IfVersion: read.Version}, urgent)
	if stale := (*store.VersionError)(nil); !errors.As(err, &stale) || !slices.Equal(stale.Fields, []string{"status", "frontmatter"}) {
		t.Errorf("%v %+v", err, stale)
	}
}

// Of many writers who have read one version, one succeeds.
func TestOneOfManyWritersWithOneVersionSucceeds(t *testing.T) {
	const id, writers = "ISS-000001", 8
	w := fresh(t, id)
	row, err := w.ix.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	errs := make([]error, writers)
	for i := range writers {
		wait.Go(func() {
			_, errs[i] = w.Edit(t.Context(), DocumentRef{ID: id, IfVersion: row.Version}, []markdown.TextEdit{{Op: markdown.Append, Text: string(rune('a' + i))}})
		})
	}
	wait.Wait()
	succeeded := 0
	for _, err := range errs {
		stale := (*store.VersionError)(nil)
		switch {
		case err == nil:
			succeeded++
		case !errors.As(err, &stale):
			t.Error(err)
		}
	}
	if succeeded != 1 {
		t.Errorf("%d writers succeeded", succeeded)
	}
}
