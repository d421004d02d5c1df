package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestDelete(t *testing.T) {
	ctx := context.Background()
	t.Run("removes the file and tells what it was", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue, ".wrangler/issues/b.md": bystander})
		doc, err := w.Delete(ctx, aPath, nil)
		if err != nil || doc.ID != "ISS-000001" || doc.Body != "\nThe body.\n" {
			t.Errorf("%+v, %v", doc, err)
		}
		wantPaths(t, "files", paths(list(t, w)), ".wrangler/issues/b.md")
		if _, err := w.Delete(ctx, aPath, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("asks its caller about the document as it is now, and keeps it when told to", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue})
		no := errors.New("another one")
		_, err := w.Delete(ctx, aPath, func(doc *Document) error {
			if doc.ID != "ISS-000001" {
				t.Errorf("asked about %s", doc.ID)
			}
			return no
		})
		if !errors.Is(err, no) {
			t.Error(err)
		}
		wantPaths(t, "files", paths(list(t, w)), aPath)
	})
	t.Run("removes what cannot be read or edited, too", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: "---\nid: a\n<<<<<<< ours\n"})
		if doc, err := w.Delete(ctx, aPath, nil); err != nil || len(doc.Problems) == 0 {
			t.Errorf("%+v, %v", doc, err)
		}
	})
	t.Run("removes a symbolic link and leaves its target", func(t *testing.T) {
		w := clocked(t, map[string]string{"docs/a.md": openIssue})
		symlink(t, "../../docs/a.md", filepath.Join(w.Root, aPath))
		if _, err := w.Delete(ctx, aPath, nil); err != nil {
			t.Fatal(err)
		}
		if all := tree(t, w.Root); all[aPath] != "" || all["docs/a.md"] != openIssue {
			t.Error(all)
		}
	})
}
