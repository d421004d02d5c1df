package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatAnEditorSavesMeanwhileIsKept: editors and git know of no lock. What they
// write between our reading of a document and the moment its new bytes take its place
// is in the result, too.
func TestWhatAnEditorSavesMeanwhileIsKept(t *testing.T) {
	// meanwhile is an update of the workspace in which something happens each time
	// that the new bytes are being made durable.
	meanwhile := func(t *testing.T, f Fields, happens func(full string, times int)) (w *Workspace, done Written, err error) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{aPath: openIssue})
		times := 0
		w, _ = openFaulty(t, root, func(_ int, op string) (bool, error) {
			if op == "sync" {
				times++
				happens(filepath.Join(root, aPath), times)
			}
			return false, nil
		})
		w.now = tick
		done, err = update(w, f)
		if stray := temporaries(tree(t, root)); len(stray) > 0 {
			t.Error(stray)
		}
		return w, done, err
	}
	edited := strings.Replace(openIssue, "The body.", "An edit.", 1)
	if edited == openIssue {
		t.Fatal("the document has no such body")
	}
	saves := map[string]func(t *testing.T, full, text string){
		"in place": func(t *testing.T, full, text string) {
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Error(err)
			}
		},
		"by rename": func(t *testing.T, full, text string) {
			if err := errors.Join(os.WriteFile(full+"~", []byte(text), 0o644), os.Rename(full+"~", full)); err != nil {
				t.Error(err)
			}
		},
	}
	for name, save := range saves {
		for change, f := range map[string]Fields{"in place": {Project: new("P")}, "with a move": {Project: new("P"), Status: new("closed")}} {
			t.Run("saved "+name+", changed "+change, func(t *testing.T) {
				w, done, err := meanwhile(t, f, func(full string, times int) {
					if times == 1 {
						save(t, full, edited+"More.\n")
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := readFile(t, w, done.Path); !strings.Contains(got, "An edit.") || !strings.HasSuffix(got, "More.\n") || !strings.Contains(got, "project: P\n") {
					t.Errorf("%q", got)
				}
				if l := list(t, w); len(l.Files) != 1 {
					t.Errorf("%+v", l.Files)
				}
			})
		}
	}
	t.Run("a file that has other times or rights, and its old bytes, is no other file", func(t *testing.T) {
		syncs := 0
		_, _, err := meanwhile(t, Fields{Project: new("P")}, func(full string, times int) {
			syncs = times
			if err := errors.Join(os.Chmod(full, 0o600), os.Chtimes(full, tick(), tick())); err != nil {
				t.Error(err)
			}
		})
		if err != nil || syncs != 1 {
			t.Errorf("%d attempts, %v", syncs, err)
		}
	})
	t.Run("a file that is deleted meanwhile is not made again", func(t *testing.T) {
		w, _, err := meanwhile(t, Fields{Project: new("P")}, func(full string, _ int) { _ = os.Remove(full) })
		if l := list(t, w); !errors.Is(err, fs.ErrNotExist) || len(l.Files) > 0 {
			t.Errorf("%v, %+v", err, l.Files)
		}
	})
	t.Run("a file that is changed all the time is left as it is", func(t *testing.T) {
		text := edited
		w, _, err := meanwhile(t, Fields{Project: new("P")}, func(full string, _ int) {
			text += "More.\n"
			saves["by rename"](t, full, text)
		})
		var conflict *ConflictError
		if !errors.As(err, &conflict) || conflict.Taken() || readFile(t, w, aPath) != text {
			t.Errorf("%v, %q", err, readFile(t, w, aPath))
		}
	})
	t.Run("a change that was chosen for other bytes is not made", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{aPath: openIssue})
		w, _ := openFaulty(t, root, func(_ int, op string) (bool, error) {
			if op == "sync" {
				saves["by rename"](t, filepath.Join(root, aPath), edited)
			}
			return false, nil
		})
		var conflict *ConflictError
		err := w.Fix(t.Context(), NewFix(aPath, aPath, []byte(openIssue), []byte(openIssue+"x")))
		if !errors.As(err, &conflict) || readFile(t, w, aPath) != edited {
			t.Errorf("%v, %q", err, readFile(t, w, aPath))
		}
	})
}
