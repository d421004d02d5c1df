package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/store/layout"
)

func TestIDNumbers(t *testing.T) {
	w := &Workspace{Layout: layout.Default()}
	for _, c := range []struct {
		name, typ string
		number    int
	}{
		{"ISS-000042", TypeIssue, 42},
		{"ISS-000042-a-title", TypeIssue, 42},
		{"iss-42", TypeIssue, 42},
		{"SPEC-000007-x", TypeSpecification, 7},
		{"IDEA-999999", TypeIdea, 999_999},
		{"ISS-000042 copy", TypeIssue, 42},
		{"ISS-000042.1", TypeIssue, 42},
		{"000036", TypeIdea, 36},
		{"000036-legacy", TypeIdea, 36},
		{"ISS-1000000", "", 0},
		{"ISS-99999999999999999999", "", 0},
		{"ISS-12b", "", 0},
		{"ISS-", "", 0},
		{"ISS-x", "", 0},
		{"ISSUE-000001", "", 0},
		{"2026-02-15-notes", "", 0},
		{"20260215-notes", "", 0},
		{"36-short", "", 0},
		{"000036legacy", "", 0},
		{"notes", "", 0},
		{"", "", 0},
	} {
		var want []IDNumber
		if c.typ != "" {
			want = []IDNumber{{c.typ, c.number}}
		}
		if got := w.IDNumbers(TypeIdea, c.name); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", c.name, got, want)
		}
	}
}

// numberOf is the number that an issue's id takes from the series of its type.
func numberOf(w *Workspace, id string) int { return w.IDNumbers(TypeIssue, id)[0].Number }

// nextID creates a document and returns its id.
func nextID(t *testing.T, w *Workspace, typ string, o CreateOptions) string {
	t.Helper()
	done, err := w.Create(context.Background(), NewDocument{Type: typ, Title: "New"}, o)
	if err != nil {
		t.Fatal(err)
	}
	return done.After.ID
}

func floor(n int) CreateOptions {
	return CreateOptions{Floor: func(string) (int, error) { return n, nil }}
}

func TestNextID(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		typ   string
		want  string
	}{
		{"is 1 in an empty workspace", nil, TypeSpecification, "SPEC-000001"},
		{"is above the names", map[string]string{".wrangler/issues/ISS-000041-x.md": ""}, TypeIssue, "ISS-000042"},
		{"is above the archive's names", map[string]string{".wrangler/issues/archived/ISS-000041-x.md": ""}, TypeIssue, "ISS-000042"},
		{"is above names at any depth", map[string]string{".wrangler/issues/completed/2024/ISS-000041-x.md": ""}, TypeIssue, "ISS-000042"},
		{"is above legacy names", map[string]string{".wrangler/issues/000036-x.md": "", ".wrangler/ideas/000090-x.md": ""}, TypeIssue, "ISS-000037"},
		{"is above ids that the name does not show", map[string]string{".wrangler/issues/x.md": "---\nid: ISS-000500\n---\n"}, TypeIssue, "ISS-000501"},
		{"is above names that the id does not show", map[string]string{".wrangler/issues/ISS-000500-x.md": "---\nid: other\n---\n"}, TypeIssue, "ISS-000501"},
		{"is above ids in the other collections", map[string]string{".wrangler/specifications/ISS-000500-x.md": ""}, TypeIssue, "ISS-000501"},
		{"has its own numbers by type", map[string]string{".wrangler/issues/ISS-000500-x.md": ""}, TypeIdea, "IDEA-000001"},
		{"ignores numbers that nobody gave out", map[string]string{".wrangler/issues/ISS-99999999999-x.md": "", ".wrangler/issues/2026-02-15-x.md": ""}, TypeIssue, "ISS-000001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := nextID(t, newWorkspace(t, c.files), c.typ, CreateOptions{}); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}

	t.Run("is above the caller's floor, without a look at the other documents", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{".wrangler/issues/ISS-000500-x.md": ""})
		if got := nextID(t, w, TypeIssue, floor(7)); got != "ISS-000008" {
			t.Error(got)
		}
	})
	t.Run("is above what another process has given out, whose documents the floor does not know", func(t *testing.T) {
		w := newWorkspace(t, nil)
		for i := 1; i <= 4; i++ {
			if got, want := nextID(t, openWorkspace(t, w.Root, nil), TypeIssue, floor(0)), fmt.Sprintf("ISS-%06d", i); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
	t.Run("is above a document that was deleted", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{".wrangler/issues/ISS-000041-x.md": ""})
		if _, err := w.Delete(context.Background(), ".wrangler/issues/ISS-000041-x.md", nil); err != nil {
			t.Fatal(err)
		}
		if got := nextID(t, openWorkspace(t, w.Root, nil), TypeIssue, CreateOptions{}); got != "ISS-000042" {
			t.Error(got)
		}
	})
	t.Run("survives the loss of the cache as long as a process lives", func(t *testing.T) {
		w := newWorkspace(t, nil)
		nextID(t, w, TypeIssue, floor(0))
		os.RemoveAll(filepath.Join(w.Root, CacheDir))
		if got := nextID(t, w, TypeIssue, floor(0)); got != "ISS-000002" {
			t.Error(got)
		}
	})
	t.Run("does without a torn file of numbers", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{CacheDir + "/" + idsFile: "ISS 4\x00\x00\nSPEC\n\nIDEA 99999999999999999999\nISS x"})
		if got := nextID(t, w, TypeIssue, floor(2)); got != "ISS-000003" {
			t.Error(got)
		}
	})
	t.Run("passes over a name that is taken all the same", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{".wrangler/issues/ISS-000008-new.md": "kept"})
		if got := nextID(t, w, TypeIssue, floor(7)); got != "ISS-000009" {
			t.Error(got)
		}
		if all := tree(t, w.Root); all[".wrangler/issues/ISS-000008-new.md"] != "kept" {
			t.Error(all)
		}
	})
	t.Run("is an error when the floor cannot be told, or is the last one", func(t *testing.T) {
		w := newWorkspace(t, nil)
		broken := errors.New("no index")
		_, err := w.Create(context.Background(), NewDocument{Title: "T"}, CreateOptions{Floor: func(string) (int, error) { return 0, broken }})
		if !errors.Is(err, broken) {
			t.Error(err)
		}
		if _, err := w.Create(context.Background(), NewDocument{Title: "T"}, floor(maxIDNumber)); err == nil {
			t.Error("no error")
		}
	})
}
