package store

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// numbered are files of issues with the given numbers.
func numbered(ids ...int) map[string]string {
	files := map[string]string{}
	for _, n := range ids {
		files[fmt.Sprintf(".wrangler/issues/ISS-%06d-x.md", n)] = ""
	}
	return files
}

// givenFile is a file of numbers given out.
func givenFile(issue int) map[string]string {
	return map[string]string{CacheDir + "/" + idsFile: fmt.Sprintf("ISS %09d\nSPEC 000000000\nIDEA 000000007\n", issue)}
}

func joined(all ...map[string]string) map[string]string {
	files := map[string]string{}
	for _, f := range all {
		maps.Copy(files, f)
	}
	return files
}

func TestNumbersAbove999999DoNotCount(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"alone", numbered(999_999_999), "ISS-000001"},
		{"above others", numbered(1, 7, 1_000_000, 5_000_000), "ISS-000008"},
		{"but those below do", numbered(7, 999_998), "ISS-999999"},
		{"in an id that the name does not show", map[string]string{".wrangler/issues/x.md": "---\nid: ISS-1000000\n---\n"}, "ISS-000001"},
		{"in the file of numbers given out", joined(numbered(7), givenFile(999_999_999)), "ISS-000008"},
		{"but those below do there", joined(numbered(7), givenFile(500_000)), "ISS-500001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := nextID(t, newWorkspace(t, c.files), TypeIssue, CreateOptions{}); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	t.Run("in the file of numbers given out, which is corrected for this type and kept for others", func(t *testing.T) {
		w := newWorkspace(t, givenFile(999_999_999))
		nextID(t, w, TypeIssue, floor(41))
		data, err := os.ReadFile(filepath.Join(w.Root, CacheDir, idsFile))
		if want := "IDEA 000000007\nSPEC 000000000\nISS 000000042\n"; err != nil || string(data) != want {
			t.Errorf("%s, %v; want %s", data, err, want)
		}
	})
	t.Run("of other worktrees, in documents and among the numbers given out", func(t *testing.T) {
		base := realDir(t, t.TempDir())
		writeFiles(t, base, gitFiles(base))
		writeFiles(t, filepath.Join(base, "one"), joined(numbered(20, 7_000_000), map[string]string{".wrangler/issues/x.md": "---\nid: ISS-8000000\n---\n"}))
		writeFiles(t, filepath.Join(base, "two"), givenFile(999_999_999))
		w := openWorkspace(t, filepath.Join(base, "main"), nil)
		for _, want := range []string{"ISS-000021", "ISS-000022"} {
			if got := nextID(t, w, TypeIssue, floor(0)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
	t.Run("when their documents are deleted", func(t *testing.T) {
		w := newWorkspace(t, numbered(7, 5_000_001))
		if _, err := w.Delete(t.Context(), ".wrangler/issues/ISS-5000001-x.md", nil); err != nil {
			t.Fatal(err)
		}
		for _, w := range []*Workspace{w, openWorkspace(t, w.Root, nil)} {
			if got := nextID(t, w, TypeIssue, CreateOptions{}); got != "ISS-000008" && got != "ISS-000009" {
				t.Error(got)
			}
		}
	})
}

// The cache can be deleted at any time, also while a process has its numbers in memory.
func TestTheNumberOfADeletedDocumentOutlivesTheCache(t *testing.T) {
	w := newWorkspace(t, numbered(7))
	nextID(t, w, TypeIssue, CreateOptions{})
	if err := os.RemoveAll(filepath.Join(w.Root, CacheDir)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ISS-000008-new.md", "ISS-000007-x.md"} {
		if _, err := w.Delete(t.Context(), ".wrangler/issues/"+name, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := nextID(t, openWorkspace(t, w.Root, nil), TypeIssue, CreateOptions{}); got != "ISS-000009" {
		t.Error(got)
	}
}

func TestCreatingWithoutANumberLeftSaysWhatToDo(t *testing.T) {
	w := newWorkspace(t, numbered(7, maxIDNumber))
	_, err := w.Create(t.Context(), NewDocument{Title: "New"}, CreateOptions{})
	if err == nil || !strings.Contains(err.Error(), "999999: give that document a lower number") || !strings.Contains(err.Error(), "rebuild") {
		t.Errorf("%v", err)
	}
	if err := os.Remove(filepath.Join(w.Root, ".wrangler/issues/ISS-999999-x.md")); err != nil {
		t.Fatal(err)
	}
	if got := nextID(t, w, TypeIssue, CreateOptions{}); got != "ISS-000008" {
		t.Error(got)
	}
}
