package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTemplate(t *testing.T) {
	const file = TemplateDir + "/issue.md"

	t.Run("it gives a new document its text and fields, and keeps unknown keys in their order", func(t *testing.T) {
		w := clocked(t, map[string]string{file: "---\nid: X\ntitle: <title>\npriority: high\nlabels: [bug]\nassignee: ann\nzeta: 1\nalpha: {b: [c]}\ncreatedAt: 2020-01-01\nwranglerContext: {k: v}\n---\n\n## Steps\n"})
		n, err := w.Template(TypeIssue)
		if err != nil {
			t.Fatal(err)
		}
		n.Title = "One"
		done, err := w.Create(t.Context(), n, CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		const want = "---\nid: ISS-000001\ntitle: One\ntype: issue\nstatus: open\npriority: high\nlabels:\n  - bug\ncreatedAt: '2026-03-01T12:00:00.000Z'\nupdatedAt: '2026-03-01T12:00:00.000Z'\n" +
			"assignee: ann\nzeta: 1\nalpha:\n  b:\n    - c\nwranglerContext:\n  k: v\n---\n\n## Steps\n"
		if got := readFile(t, w, done.Path); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("what it waits for can be replaced", func(t *testing.T) {
		w := clocked(t, map[string]string{file: "---\nzeta: 1\ndepends_on: [ISS-000007]\nblocked_by: ISS-000008\n---\n"})
		n, err := w.Template(TypeIssue)
		if err != nil || strings.Join(n.DependsOn, " ") != "ISS-000007 ISS-000008" || string(n.Extra) != `{"zeta":1}` {
			t.Fatalf("%q, %s, %v", n.DependsOn, n.Extra, err)
		}
		n.Title, n.DependsOn = "One", []string{"ISS-000009"}
		done, err := w.Create(t.Context(), n, CreateOptions{})
		if err != nil || strings.Join(done.After.DependsOn(), " ") != "ISS-000009" || len(done.After.Problems) > 0 {
			t.Errorf("%q, %v", done.After.DependsOn(), err)
		}
	})
	t.Run("without one, only the type is given", func(t *testing.T) {
		w := clocked(t, map[string]string{file: "Text."})
		if n, err := w.Template(TypeIdea); err != nil || n.Type != TypeIdea || n.Description != "" || n.Extra != nil {
			t.Error(n, err)
		}
	})
	t.Run("one with a problem is refused by name", func(t *testing.T) {
		for name, text := range map[string]string{
			"broken YAML":    "---\na: [\n---\n",
			"unknown status": "---\nstatus: new\n---\n",
			"not UTF-8":      "\xff",
			"a NUL byte":     "a\x00",
			"too large":      strings.Repeat("x", MaxFileSize+1),
		} {
			w := clocked(t, map[string]string{file: text})
			var wrong *TemplateError
			if _, err := w.Template(TypeIssue); !errors.As(err, &wrong) || wrong.Path != file || !strings.Contains(err.Error(), file) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("a link that leads out of the workspace is refused", func(t *testing.T) {
		w := clocked(t, map[string]string{TemplateDir + "/idea.md": "Text."})
		secret := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, filepath.Join(w.Root, filepath.FromSlash(file))); err != nil {
			t.Skip("symbolic links cannot be made here:", err)
		}
		var wrong *TemplateError
		if n, err := w.Template(TypeIssue); !errors.As(err, &wrong) || n.Description != "" {
			t.Error(n, err)
		}
	})
	t.Run("templates are no documents, unless a collection is there", func(t *testing.T) {
		for dir, want := range map[string]int{".wrangler": 1, TemplateDir: 2, TemplateDir + "/own": 1} {
			root := t.TempDir()
			writeFiles(t, root, map[string]string{file: "Text.", TemplateDir + "/own/a.md": "Text.", ".wrangler/b.md": "Text."})
			w := openWorkspace(t, root, map[string]string{"WRANGLER_ISSUES_DIRECTORY": dir})
			if l := list(t, w); len(l.Files) != want {
				t.Errorf("with issues in %s: %v", dir, l.Files)
			}
			if _, ok := w.CollectionOf(file); ok != (dir == TemplateDir) {
				t.Errorf("with issues in %s, the template is a document: %v", dir, ok)
			}
		}
	})
}
