package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCollections(t *testing.T) {
	const custom = `{"version": "1.2.0", "mcpConfiguration": {"issuesDirectory": "work/issues", "ideasDirectory": "work/ideas/"}}`
	for _, c := range []struct {
		name, schema string
		env          map[string]string
		want         []string // in the order of Types
	}{
		{name: "have default directories", want: []string{".wrangler/issues", ".wrangler/specifications", ".wrangler/ideas"}},
		{name: "take what the schema file names", schema: custom, want: []string{"work/issues", ".wrangler/specifications", "work/ideas"}},
		{name: "take the environment before the schema file", schema: custom,
			env:  map[string]string{"WRANGLER_ISSUES_DIRECTORY": "issues", "WRANGLER_SPECIFICATIONS_DIRECTORY": "./specs"},
			want: []string{"issues", "specs", "work/ideas"}},
		{name: "need no mcpConfiguration in the schema file", schema: `{"version": "1.2.0"}`, want: []string{".wrangler/issues", ".wrangler/specifications", ".wrangler/ideas"}},
		{name: "read a schema file with a byte order mark", schema: "\ufeff" + custom, want: []string{"work/issues", ".wrangler/specifications", "work/ideas"}},
		{name: "may be the whole workspace", env: map[string]string{"WRANGLER_ISSUES_DIRECTORY": "."}, want: []string{".", ".wrangler/specifications", ".wrangler/ideas"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			if c.schema != "" {
				writeFiles(t, root, map[string]string{schemaFile: c.schema})
			}
			w := openWorkspace(t, root, c.env)
			var got []string
			for i, col := range w.Collections {
				got = append(got, col.Dir)
				if col.Type != Types[i] {
					t.Errorf("collection %d is of type %s, want %s", i, col.Type, Types[i])
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}

	t.Run("accept an absolute directory inside the workspace", func(t *testing.T) {
		root := realDir(t, t.TempDir())
		w := openWorkspace(t, root, map[string]string{"WRANGLER_IDEAS_DIRECTORY": filepath.Join(root, "my", "ideas")})
		if w.Collections[2].Dir != "my/ideas" {
			t.Error(w.Collections[2].Dir)
		}
	})

	t.Run("refuse a directory outside the workspace", func(t *testing.T) {
		root := t.TempDir()
		outside := t.TempDir()
		if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"../issues", "a/../../b", "/etc", outside, "link", "link/deeper", "a\x00b"} {
			_, err := Open(Options{Root: root, Getenv: func(key string) string {
				return map[string]string{"WRANGLER_ISSUES_DIRECTORY": dir}[key]
			}})
			var refused *PathError
			// Below a link that leads out a missing directory cannot be told from
			// a missing one inside; there the walk refuses.
			if dir == "link/deeper" && err == nil {
				continue
			}
			if !errors.As(err, &refused) {
				t.Errorf("%q: %v", dir, err)
			} else if !strings.Contains(err.Error(), "WRANGLER_ISSUES_DIRECTORY") {
				t.Errorf("%q: the error does not say where it was configured: %v", dir, err)
			}
		}
	})

	t.Run("refuse a directory in the cache, by whatever way", func(t *testing.T) {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, CacheDir, "deeper"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(root, CacheDir), filepath.Join(root, "link")); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{CacheDir, CacheDir + "/deeper", "link", "link/deeper"} {
			_, err := Open(Options{Root: root, Getenv: func(key string) string {
				return map[string]string{"WRANGLER_ISSUES_DIRECTORY": dir}[key]
			}})
			if refused := (*PathError)(nil); !errors.As(err, &refused) || refused.Reason != reasonCache {
				t.Errorf("%q: %v", dir, err)
			}
		}
	})

	t.Run("refuse a broken schema file by name and reason", func(t *testing.T) {
		for schema, reason := range map[string]string{
			`{"mcpConfiguration": `:                          "unexpected end",
			`{"mcpConfiguration": {"issuesDirectory": 7}}`:   "issuesDirectory is not a string",
			`{"mcpConfiguration": "x"}`:                      "mcpConfiguration",
			`{"mcpConfiguration": {"ideasDirectory":"../"}}`: "ideasDirectory",
		} {
			root := t.TempDir()
			writeFiles(t, root, map[string]string{schemaFile: schema})
			_, err := Open(Options{Root: root, Getenv: func(string) string { return "" }})
			if err == nil || !strings.Contains(err.Error(), schemaFile) || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: %v", schema, err)
			}
		}
	})
}

func TestCollectionOf(t *testing.T) {
	w := &Workspace{Collections: []Collection{
		{Type: TypeIssue, Dir: ".wrangler/issues"},
		{Type: TypeSpecification, Dir: "docs"},
		{Type: TypeIdea, Dir: "docs/ideas"},
	}}
	for _, c := range []struct{ path, want string }{
		{".wrangler/issues/ISS-000001-a.md", TypeIssue},
		{".wrangler/issues/archived/2024/ISS-000001-a.md", TypeIssue},
		{".wrangler/issues/UPPER.MD", TypeIssue},
		{".wrangler/issues/日本語.md", TypeIssue},
		{".wrangler/issues/back-1 - With blanks.md", TypeIssue},
		{".wrangler/issues/what..md", TypeIssue},
		{"docs/a.md", TypeSpecification},
		{"docs/ideas/a.md", TypeIdea}, // the deepest collection wins
		{"docs/ideas2/a.md", TypeSpecification},

		{".wrangler/issues", ""},
		{".wrangler/issues2/a.md", ""},
		{".wrangler/memos/a.md", ""},
		{"a.md", ""},
		{".wrangler/issues/README.md", ""},
		{".wrangler/issues/archived/readme.MD", ""},
		{".wrangler/issues/.md", ""},
		{".wrangler/issues/a.mdx", ""},
		{".wrangler/issues/a.md~", ""},
		{".wrangler/issues/.hidden.md", ""},
		{".wrangler/issues/.#a.md", ""}, // Emacs's lock
		{".wrangler/issues/#a.md#", ""}, // Emacs's autosave
		{".wrangler/issues/~$a.md", ""}, // Office's lock
		{".wrangler/issues/.a.md.swp", ""},
		{".wrangler/issues/a.sync-conflict-20260101-101010-ABCDEFG.md", ""},
		{".wrangler/issues/.obsidian/a.md", ""},
		{".wrangler/issues/x/.git/y/a.md", ""},
		{".wrangler/issues/bad\xff.md", ""},
	} {
		if got, _ := w.CollectionOf(c.path); got.Type != c.want {
			t.Errorf("%q is in %q, want %q", c.path, got.Type, c.want)
		}
	}
}
