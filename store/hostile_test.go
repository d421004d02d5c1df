package store

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoStringLeadsAMutationOutOfTheWorkspace(t *testing.T) {
	ctx := context.Background()
	t.Run("as a path", func(t *testing.T) {
		w := clocked(t, map[string]string{
			aPath: openIssue, ".wrangler/issues/README.md": "", ".wrangler/issues/.hidden.md": "",
			".wrangler/ideas/a.md": "", ".wrangler/memos/m.md": "", "secret.md": "",
		})
		was := tree(t, w.Root)
		for _, p := range hostilePaths {
			var refused *PathError
			_, err := w.Update(ctx, p, func(*Document) (Fields, error) {
				t.Errorf("%q was read", p)
				return Fields{}, nil
			})
			if !errors.As(err, &refused) {
				t.Errorf("update %q: %v", p, err)
			}
			if _, err := w.Delete(ctx, p, nil); !errors.As(err, &refused) {
				t.Errorf("delete %q: %v", p, err)
			}
		}
		if now := tree(t, w.Root); !maps.Equal(now, was) {
			t.Errorf("%v\nwas %v", now, was)
		}
	})
	t.Run("as a title", func(t *testing.T) {
		for _, title := range append([]string{"a/b", `a\b`, "x" + strings.Repeat("/..", 100), ".", "..", "nul", strings.Repeat("長", 1000), "\u202e\ufeff"}, hostilePaths...) {
			w := clocked(t, nil)
			done, err := w.Create(ctx, NewDocument{Title: title, Description: "x"}, CreateOptions{})
			var refused *ValueError
			if errors.As(err, &refused) && strings.TrimSpace(title) == "" {
				continue
			}
			if err != nil || filepath.ToSlash(filepath.Dir(done.Path)) != ".wrangler/issues" || len(filepath.Base(done.Path)) > 70 || len(done.After.Problems) > 0 {
				t.Errorf("%q: %+v, %v", title, done, err)
			}
		}
	})
	t.Run("through links that lead out", func(t *testing.T) {
		outside := t.TempDir()
		writeFiles(t, outside, map[string]string{"a.md": openIssue})
		was := tree(t, outside)
		w := clocked(t, map[string]string{".wrangler/issues/x.md": ""})
		symlink(t, filepath.Join(outside, "a.md"), filepath.Join(w.Root, aPath))
		symlink(t, outside, filepath.Join(w.Root, ".wrangler/issues/dir"))
		symlink(t, outside, filepath.Join(w.Root, ".wrangler/ideas"))
		for _, p := range []string{aPath, ".wrangler/issues/dir/a.md", ".wrangler/ideas/a.md"} {
			var refused *PathError
			if _, err := w.Update(ctx, p, project("P")); !errors.As(err, &refused) {
				t.Errorf("update %s: %v", p, err)
			}
			if _, err := w.Delete(ctx, p, nil); !errors.As(err, &refused) {
				t.Errorf("delete %s: %v", p, err)
			}
		}
		if _, err := w.Create(ctx, NewDocument{Type: TypeIdea, Title: "T"}, floor(0)); err == nil || strings.Contains(err.Error(), outside) {
			t.Errorf("create: %v", err)
		}
		if now := tree(t, outside); !maps.Equal(now, was) {
			t.Error(now)
		}
	})
}
