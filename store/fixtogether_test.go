package store

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The files of a batch before and after.
var batchBefore = map[string]string{
	".wrangler/issues/ISS-000001-a.md":      "---\nid: ISS-000001\n---\nA\n",
	".wrangler/issues/ISS-000001-b.md":      "---\nid: ISS-000001\n---\nB\n",
	".wrangler/issues/ISS-000001-copy.md":   "---\nid: ISS-000001\n---\nA\n",
	".wrangler/issues/ISS-000002-names.md":  "---\nid: ISS-000002\n---\nISS-000001\n",
	".wrangler/issues/sub/ISS-000003-as.md": "---\nid: ISS-000003\n---\n",
	"docs/README.md":                        "See ISS-000001.\n",
}

var batchAfter = map[string]string{
	".wrangler/issues/ISS-000001-a.md":           "---\nid: ISS-000001\n---\nA\n",
	".wrangler/issues/ISS-000004-b.md":           "---\nid: ISS-000004\n---\nB\n",
	".wrangler/issues/ISS-000002-names.md":       "---\nid: ISS-000002\n---\nISS-000004\n",
	".wrangler/issues/archived/ISS-000003-as.md": "---\nid: ISS-000003\n---\n",
	"docs/README.md":                             "See ISS-000004.\n",
}

func batch() FixBatch {
	fix := func(from, to string) Fix {
		return NewFix(from, to, []byte(batchBefore[from]), []byte(batchAfter[to]))
	}
	copied := batchBefore[".wrangler/issues/ISS-000001-copy.md"]
	return FixBatch{
		Fixes: []Fix{
			{From: ".wrangler/issues/ISS-000001-copy.md", Was: HashOf([]byte(copied)), Old: copied},
			fix(".wrangler/issues/ISS-000001-b.md", ".wrangler/issues/ISS-000004-b.md"),
			fix(".wrangler/issues/ISS-000002-names.md", ".wrangler/issues/ISS-000002-names.md"),
			fix(".wrangler/issues/sub/ISS-000003-as.md", ".wrangler/issues/archived/ISS-000003-as.md"),
			fix("docs/README.md", "docs/README.md"),
		},
		NewIDs: []ReplacedID{{TypeIssue, ".wrangler/issues/ISS-000001-b.md", "ISS-000004"}},
	}
}

// markdownIn reads all Markdown files below a folder.
func markdownIn(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".md") {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestABatchThatStopsAnywhereIsFinishedLater lets an operation and all after it fail, as if the
// process had died there, and then has a new process go on.
func TestABatchThatStopsAnywhereIsFinishedLater(t *testing.T) {
	operations := 0
	for n := 0; n == 0 || n <= operations; n++ {
		root := realDir(t, t.TempDir())
		writeFiles(t, root, batchBefore)
		w, d := openFaulty(t, root, func(i int, _ string) (bool, error) {
			if n > 0 && i >= n {
				return false, syscall.EIO
			}
			return false, nil
		})
		var told []DocumentChange // by the process that dies
		ctx := Recorded(t.Context(), func(_ *Workspace, c DocumentChange) func() error {
			told = append(told, c)
			return func() error { return nil }
		})
		_, err := w.FixTogether(ctx, batch(), FixOptions{})
		if n == 0 {
			operations = d.n
		}
		if (err == nil) != (n == 0) {
			t.Fatalf("operation %d of %d: %v", n, operations, err)
		}
		for p, text := range markdownIn(t, root) {
			moved := p == ".wrangler/issues/ISS-000004-b.md" && text == batchBefore[".wrangler/issues/ISS-000001-b.md"]
			if text != batchBefore[p] && text != batchAfter[p] && !moved {
				t.Fatalf("operation %d: %s is %q", n, p, text)
			}
		}
		var made []DocumentChange // by the process that goes on
		goesOn := Recorded(t.Context(), func(_ *Workspace, c DocumentChange) func() error {
			for i, earlier := range made {
				if earlier.Path != "" && earlier.Path == c.OldPath {
					made[i], _ = earlier.Then(c)
					return func() error { return nil }
				}
			}
			made = append(made, c)
			return func() error { return nil }
		})
		again, err := Open(Options{Root: root, Getenv: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = again.Close() })
		left, err := again.Unfinished()
		if err != nil {
			t.Fatalf("operation %d: %v", n, err)
		}
		if left == nil && !maps.Equal(markdownIn(t, root), batchAfter) {
			whole := batch()
			left = &whole
		}
		if left != nil {
			_, err := again.FixTogether(goesOn, *left, FixOptions{})
			var given *ConflictError
			if errors.As(err, &given) && strings.Contains(given.Reason, "given out since") && maps.Equal(markdownIn(t, root), batchBefore) {
				continue // it was stopped behind the reservation: the ids are chosen anew
			}
			if err != nil {
				t.Fatalf("operation %d: %v", n, err)
			}
			if got := markdownIn(t, root); !maps.Equal(got, batchAfter) {
				t.Fatalf("operation %d: it ended as %v", n, got)
			}
			if err := again.Mutate(t.Context(), func(m *Mutation) error { return m.Revert(made) }); err != nil {
				t.Fatalf("operation %d: %v", n, err)
			}
			told = slices.DeleteFunc(told, func(c DocumentChange) bool {
				return markdownIn(t, root)[c.OldPath] == batchBefore[c.OldPath]
			})
			if err := again.Mutate(t.Context(), func(m *Mutation) error { return m.Revert(told) }); err != nil {
				t.Fatalf("operation %d: %v", n, err)
			}
			want := maps.Clone(batchBefore)
			want["docs/README.md"] = batchAfter["docs/README.md"]
			if got := markdownIn(t, root); !maps.Equal(got, want) {
				t.Fatalf("operation %d: taken back it is %v", n, got)
			}
		}
		if left, err := again.Unfinished(); left != nil || err != nil {
			t.Fatalf("operation %d: %v, %v", n, left, err)
		}
	}
	t.Logf("%d operations", operations)
}

func TestABatchIsRefusedAsAWhole(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *Workspace, b *FixBatch)
		want   string
	}{
		"when a file has changed": {
			func(w *Workspace, _ *FixBatch) {
				writeFiles(t, w.Root, map[string]string{".wrangler/issues/ISS-000002-names.md": "other"})
			},
			"has changed since",
		},
		"when a path is taken": {
			func(w *Workspace, _ *FixBatch) {
				writeFiles(t, w.Root, map[string]string{".wrangler/issues/ISS-000004-b.md": "other"})
			},
			"exists already",
		},
		"when an id has been given out": {
			func(w *Workspace, _ *FixBatch) {
				if _, err := w.Create(t.Context(), NewDocument{Title: "x"}, CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			},
			"which has been given out since",
		},
		"when a file is no Markdown": {
			func(w *Workspace, b *FixBatch) {
				b.Fixes[4].From, b.Fixes[4].To = "main.go", "main.go"
			},
			"neither a document",
		},
		"when a file lies outside": {
			func(w *Workspace, b *FixBatch) {
				b.Fixes[4].From, b.Fixes[4].To = "../README.md", "../README.md"
			},
			"",
		},
		"when another batch is not finished": {
			func(w *Workspace, _ *FixBatch) {
				writeFiles(t, w.Root, map[string]string{UnfinishedFixes: `{"Fixes": []}`})
			},
			"delete it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, batchBefore)
			b := batch()
			c.change(w, &b)
			before := markdownIn(t, w.Root)
			_, err := w.FixTogether(t.Context(), b, FixOptions{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if got := markdownIn(t, w.Root); !maps.Equal(got, before) {
				t.Errorf("it changed the files to %v", got)
			}
		})
	}
}

func TestTheListOfChangesIsNotTrusted(t *testing.T) {
	for _, text := range []string{"{", `{"Fixes": []}`, "null"} {
		w := newWorkspace(t, map[string]string{UnfinishedFixes: text})
		_, err := w.Unfinished()
		if conflict := (*ConflictError)(nil); !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, "delete it") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FreeIDs answers the same question alike, and reserves nothing.
func TestFreeIDsAreAboveAll(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		".wrangler/issues/ISS-000002.md": "", ".wrangler/issues/a.md": "---\nid: ISS-000007\n---\n", ".wrangler/specifications/SPEC-000003.md": "",
	})
	asked := []ReplacedID{{TypeIssue, "a", "ISS-000002"}, {TypeSpecification, "b", "ISS-000002"}, {TypeIssue, "c", "notes"}}
	for range 2 {
		ids, note, err := w.FreeIDs(t.Context(), asked)
		if err != nil || note != "" || strings.Join(ids, " ") != "ISS-000008 SPEC-000004 ISS-000009" {
			t.Errorf("%v, %q, %v", ids, note, err)
		}
	}
	for child, parent := range map[string]string{"ISS-000002": "", "notes": "", "TASK-1.2": ""} {
		if got := w.ParentOfID(TypeIssue, child); got != parent {
			t.Errorf("the parent of %s is %q", child, got)
		}
	}
}
