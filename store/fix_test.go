package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// TestFixIsExact holds that a change is written down in few whole lines, leads
// from the one text to the other, and back.
func TestFixIsExact(t *testing.T) {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "a\r\n", "status: open\n", "\n", "end", "\ufeff---\n"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(line, 0, 6).Draw(t, "lines"), "") })
	rapid.Check(t, func(t *rapid.T) {
		was, is := text.Draw(t, "was"), text.Draw(t, "is")
		f := NewFix("a.md", "b.md", []byte(was), []byte(is))
		if got, ok := f.apply([]byte(was)); !ok || string(got) != is {
			t.Fatalf("%+v makes %q of %q", f, got, was)
		}
		if f.Edits() != (was != is) || f.At > 0 && was[f.At-1] != '\n' {
			t.Fatalf("%+v does not begin with a line", f)
		}
		if after := was[f.At+len(f.Old):]; after != "" && f.Old != "" && !strings.HasSuffix(f.Old, "\n") {
			t.Fatalf("%+v does not end with a line, before %q", f, after)
		}
		if was != is {
			if got, ok := f.apply([]byte(is)); ok {
				t.Fatalf("%+v makes %q of another text", f, got)
			}
		}
	})

	t.Run("a file that only moves has no place of a change", func(t *testing.T) {
		if f := NewFix("a", "b", []byte("no end of line"), []byte("no end of line")); f.At != 0 || f.Edits() {
			t.Errorf("%+v", f)
		}
	})
	t.Run("one changed line is one line", func(t *testing.T) {
		f := NewFix("a", "a", []byte("---\nstatus: Open\ntitle: x\n---\n"), []byte("---\nstatus: open\ntitle: x\n---\n"))
		if f.At != 4 || f.Old != "status: Open\n" || f.New != "status: open\n" {
			t.Errorf("%+v", f)
		}
	})
	t.Run("an added line takes nothing out", func(t *testing.T) {
		f := NewFix("a", "a", []byte("a\nb\n"), []byte("a\nx\nb\n"))
		if f.At != 2 || f.Old != "" || f.New != "x\n" {
			t.Errorf("%+v", f)
		}
	})
}

func TestFix(t *testing.T) {
	const from, to = ".wrangler/issues/a.md", ".wrangler/issues/archived/a.md"
	moving := NewFix(from, to, []byte(closedIssue), []byte(closedIssue))
	start := func(t *testing.T, files map[string]string) (*Workspace, string) {
		t.Helper()
		root := t.TempDir()
		writeFiles(t, root, files)
		return openWorkspace(t, root, nil), root
	}

	t.Run("a file that only moves stays the same file", func(t *testing.T) {
		w, root := start(t, map[string]string{from: closedIssue})
		file := filepath.Join(root, filepath.FromSlash(from))
		long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
		if err := os.Chtimes(file, long, long); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(file)
		if err != nil || !os.SameFile(before, before) { // Windows looks for the identity here, by the name
			t.Fatal(err)
		}
		if err := w.Fix(context.Background(), moving); err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(filepath.Join(root, filepath.FromSlash(to)))
		if err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(long) {
			t.Errorf("%v, %v", after, err)
		}
	})

	var conflict *ConflictError
	var outside *PathError
	for name, c := range map[string]struct {
		files map[string]string
		fix   Fix
		want  func(error) bool
	}{
		"a file that was changed meanwhile": {
			files: map[string]string{from: closedIssue + "More.\n"}, fix: moving,
			want: func(err error) bool { return errors.As(err, &conflict) && conflict.Path == from },
		},
		"a file in the way": {
			files: map[string]string{from: closedIssue, to: bystander}, fix: moving,
			want: func(err error) bool { return errors.As(err, &conflict) && conflict.Path == to },
		},
		"a file that is gone": {
			fix:  moving,
			want: func(err error) bool { return errors.Is(err, fs.ErrNotExist) },
		},
		"a way out of the workspace": {
			files: map[string]string{from: closedIssue}, fix: NewFix(from, "../a.md", []byte(closedIssue), []byte(closedIssue)),
			want: func(err error) bool { return errors.As(err, &outside) },
		},
		"a place that is no document's": {
			files: map[string]string{from: closedIssue}, fix: NewFix(from, ".wrangler/cache/a.md", []byte(closedIssue), []byte(closedIssue)),
			want: func(err error) bool { return errors.As(err, &outside) },
		},
		"a change that does not lead where it says": {
			files: map[string]string{from: closedIssue}, fix: Fix{From: from, To: from, Was: HashOf([]byte(closedIssue)), Is: HashOf(nil), Old: "---", New: "+++"},
			want: func(err error) bool { return errors.As(err, &conflict) },
		},
		"a place beyond the end": {
			files: map[string]string{from: closedIssue}, fix: Fix{From: from, To: from, Was: HashOf([]byte(closedIssue)), At: 1 << 20, New: "x"},
			want: func(err error) bool { return errors.As(err, &conflict) },
		},
	} {
		t.Run(name+" is refused and nothing changes", func(t *testing.T) {
			w, root := start(t, c.files)
			if err := w.Fix(context.Background(), c.fix); !c.want(err) {
				t.Errorf("got %v", err)
			}
			for p, text := range c.files {
				if data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p))); string(data) != text {
					t.Errorf("%s: %q, %v", p, data, err)
				}
			}
		})
	}
}

func TestRespellingClosesNothing(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for was, want := range map[string]string{
		"---\nstatus: Closed\n---\n":                        "---\nstatus: closed\nupdatedAt: '2026-03-04T05:06:07.000Z'\n---\n",
		"---\nstatus: \"Cancelled\"\nclosedAt: 2020\n---\n": "---\nstatus: \"closed\"\nclosedAt: 2020\nupdatedAt: '2026-03-04T05:06:07.000Z'\n---\n",
	} {
		e := frontmatter.Edit{Set: []frontmatter.Assignment{{Key: "status", Value: "closed"}}, Respells: true}
		if got, changed, err := e.Apply(frontmatter.Parse([]byte(was), "", layout.Default()), now); err != nil || !changed || string(got) != want {
			t.Errorf("%q: %v, %v", got, changed, err)
		}
	}
}
