package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"issues-index/store/cachedir"
)

func TestRemoveStaleTempFiles(t *testing.T) {
	ctx := context.Background()
	t.Run("removes our temporary files wherever mutations make them, and nothing else", func(t *testing.T) {
		kept := map[string]string{
			aPath: openIssue, "docs/b.md": bystander,
			".wrangler/issues/.vim.swp": "", ".wrangler/issues/.issues-index-note.md": "", ".wrangler/issues/x.tmp": "",
			"elsewhere/" + cachedir.TemporaryName(): "not a folder of documents",
		}
		w := clocked(t, kept)
		symlink(t, "../../docs/b.md", filepath.Join(w.Root, ".wrangler/issues/b.md"))
		want := tree(t, w.Root)
		for _, dir := range []string{".wrangler/issues", ".wrangler/issues/archived", ".wrangler/ideas", "docs", CacheDir, SessionsDir + "/of-one"} {
			writeFiles(t, w.Root, map[string]string{dir + "/" + cachedir.TemporaryName(): "half"})
		}
		n, err := w.RemoveStaleTempFiles(ctx, list(t, w))
		if err != nil || n != 6 {
			t.Error(n, err)
		}
		now := tree(t, w.Root)
		for p := range want {
			if _, ok := now[p]; !ok {
				t.Errorf("%s is gone", p)
			}
		}
		if stray := temporaries(now); len(stray) != 2 { // the note and the one elsewhere
			t.Error(stray)
		}
	})
	t.Run("takes no lock, and makes no file, when there is nothing to remove", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue})
		if n, err := w.RemoveStaleTempFiles(ctx, list(t, w)); n != 0 || err != nil {
			t.Error(n, err)
		}
		if _, err := os.Stat(filepath.Join(w.Root, CacheDir)); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("never removes a file of a writer who still lives", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{aPath: openIssue})
		writing, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error)
		w, d := openFaulty(t, root, never)
		d.strike = func(_ int, op string) (bool, error) {
			if op == "attributes" {
				d.mu.Lock()
				d.strike = func(_ int, op string) (bool, error) {
					if op == "rename" {
						close(writing)
						<-goOn
					}
					return false, nil
				}
				d.mu.Unlock()
			}
			return false, nil
		}
		go func() {
			_, err := update(w, Fields{Project: new("P")})
			done <- err
		}()
		<-writing
		starting := openWorkspace(t, root, nil)
		if n, err := starting.RemoveStaleTempFiles(soon(t), list(t, starting)); n != 0 || !errors.Is(err, ErrLocked) {
			t.Error(n, err)
		}
		if stray := temporaries(tree(t, root)); len(stray) != 1 {
			t.Error(stray)
		}
		close(goOn)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Run("says what it could not remove", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{".wrangler/issues/" + cachedir.TemporaryName(): ""})
		w, _ := openFaulty(t, root, func(_ int, op string) (bool, error) {
			if op == "remove" {
				return false, os.ErrPermission
			}
			return false, nil
		})
		if n, err := w.RemoveStaleTempFiles(ctx, list(t, w)); n != 0 || !errors.Is(err, os.ErrPermission) {
			t.Error(n, err)
		}
	})
}
