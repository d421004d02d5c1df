package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/layout"
)

func TestArchiveRule(t *testing.T) {
	const root, archive = ".wrangler/issues/a.md", ".wrangler/issues/archived/a.md"
	for _, c := range []struct {
		name, from, status string
		fields             Fields
		to                 string
	}{
		{"closing moves the file to archived/", root, "open", Fields{Status: new("closed")}, archive},
		{"cancelling moves it, too", root, "in_progress", Fields{Status: new("cancelled")}, archive},
		{"from an unknown status as well", root, "Done?", Fields{Status: new("closed")}, archive},
		{"and from a folder of its own", ".wrangler/issues/backend/a.md", "open", Fields{Status: new("closed")}, archive},
		{"a file under archived/ is not moved again", ".wrangler/issues/archived/2024/a.md", "open", Fields{Status: new("closed")}, ".wrangler/issues/archived/2024/a.md"},
		{"nor one in the archive of an older layout", ".wrangler/issues/completed/a.md", "open", Fields{Status: new("closed")}, ".wrangler/issues/completed/a.md"},
		{"from closed to cancelled it stays", archive, "closed", Fields{Status: new("cancelled")}, archive},
		{"reopening moves it back to the collection's root", archive, "closed", Fields{Status: new("open")}, root},
		{"from an older archive, too", ".wrangler/issues/complete/2024/a.md", "cancelled", Fields{Status: new("in_progress")}, root},
		{"another field of a closed file at the root moves it to archived/", root, "closed", Fields{Title: new("T")}, archive},
		{"so does the status that it has, with nothing to change", root, "closed", Fields{Status: new("closed")}, archive},
		{"an open file under archived/ is brought back", archive, "in_progress", Fields{Title: new("T")}, root},
		{"with nothing to change, too", archive, "open", Fields{}, root},
		{"one with an unknown status stays where it is", archive, "Done?", Fields{Title: new("T")}, archive},
		{"and so does one without a status", archive, "", Fields{Title: new("T")}, archive},
		{"reopening what was never archived leaves it there", ".wrangler/issues/backend/a.md", "closed", Fields{Status: new("open")}, ".wrangler/issues/backend/a.md"},
		{"another type moves the file to the other collection", root, "open", Fields{Type: new(TypeIdea)}, ".wrangler/ideas/a.md"},
		{"out of a folder of its own", ".wrangler/issues/backend/a.md", "open", Fields{Type: new(TypeIdea)}, ".wrangler/ideas/a.md"},
		{"from archive to archive", archive, "closed", Fields{Type: new(TypeSpecification)}, ".wrangler/specifications/archived/a.md"},
		{"another type and closed at once", root, "open", Fields{Type: new(TypeIdea), Status: new("closed")}, ".wrangler/ideas/archived/a.md"},
		{"another type and reopened at once", archive, "closed", Fields{Type: new(TypeIdea), Status: new("open")}, ".wrangler/ideas/a.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := clocked(t, map[string]string{c.from: "---\nid: ISS-000001\ntype: issue\nstatus: " + c.status + "\n---\nBody\n"})
			done, err := w.Update(context.Background(), c.from, func(*Document) (Fields, error) { return c.fields, nil })
			if err != nil {
				t.Fatal(err)
			}
			l := list(t, w)
			wantPaths(t, "files", paths(l), c.to)
			if done.OldPath != c.from || done.Path != c.to || done.After.Path != c.to || done.After.ID != "ISS-000001" {
				t.Errorf("%+v", done)
			}
			if is := layout.Default().Finished(done.After.Status); is != !done.After.Closed.IsZero() && c.fields.Status != nil && !layout.Default().Finished(c.status) {
				t.Errorf("status %s, closed %v", done.After.Status, done.After.Closed)
			}
		})
	}

	t.Run("closing and reopening leaves the bytes as they were, but for the time", func(t *testing.T) {
		text := "---\nid: a\nstatus: open\nupdatedAt: 2026-03-01\n---\nBody\n"
		w := clocked(t, map[string]string{root: text})
		for _, step := range []struct{ at, status string }{{root, "closed"}, {archive, "open"}} {
			if _, err := w.Update(context.Background(), step.at, func(*Document) (Fields, error) { return Fields{Status: &step.status}, nil }); err != nil {
				t.Fatal(err)
			}
		}
		if got := readFile(t, w, root); got != text {
			t.Error(got)
		}
	})

	t.Run("a file that only moves keeps its bytes and its time, and the second time it is where it belongs", func(t *testing.T) {
		text := "---\nid: a\nstatus: closed\n---\nBody\n"
		w := clocked(t, map[string]string{root: text})
		before, err := w.Stat(root)
		if err != nil {
			t.Fatal(err)
		}
		for i, from := range []string{root, archive} {
			done, err := w.Update(context.Background(), from, func(*Document) (Fields, error) { return Fields{}, nil })
			if err != nil || done.Path != archive || done.Changed != (i == 0) || len(done.Changes) > 0 {
				t.Fatalf("%+v, %v", done, err)
			}
		}
		if after, err := w.Stat(archive); err != nil || after.Mtime != before.Mtime || readFile(t, w, archive) != text {
			t.Errorf("%v, %+v", err, after)
		}
	})

	t.Run("where the archive has a file of that name, other fields can be changed and the status cannot", func(t *testing.T) {
		w := clocked(t, map[string]string{root: "---\nid: a\nstatus: closed\n---\n", archive: "kept"})
		done, err := w.Update(context.Background(), root, func(*Document) (Fields, error) { return Fields{Title: new("T")}, nil })
		if err != nil || done.Path != root || done.After.Title != "T" {
			t.Errorf("%+v, %v", done, err)
		}
		var taken *ConflictError
		if _, err := w.Update(context.Background(), root, func(*Document) (Fields, error) { return Fields{Status: new("closed")}, nil }); !errors.As(err, &taken) {
			t.Errorf("%v", err)
		}
		if readFile(t, w, archive) != "kept" {
			t.Error("the file in the archive was replaced")
		}
	})

	t.Run("in a workspace whose collections share a directory a change of type moves nothing", func(t *testing.T) {
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{"docs/a.md": openIssue})
		w := openWorkspace(t, dir, map[string]string{"WRANGLER_ISSUES_DIRECTORY": "docs", "WRANGLER_IDEAS_DIRECTORY": "docs"})
		done, err := w.Update(context.Background(), "docs/a.md", func(*Document) (Fields, error) { return Fields{Type: new(TypeIdea)}, nil })
		if err != nil || done.Path != "docs/a.md" || done.After.Type != TypeIdea {
			t.Errorf("%+v, %v", done, err)
		}
	})
}

func TestAMoveNeverOverwrites(t *testing.T) {
	const archive = ".wrangler/issues/archived/a.md"
	for name, files := range map[string]map[string]string{
		"a document": {archive: "kept"},
		"a folder":   {archive + "/x": "kept"},
	} {
		t.Run(name+" that is there", func(t *testing.T) {
			w := clocked(t, map[string]string{aPath: openIssue})
			writeFiles(t, w.Root, files)
			was := tree(t, w.Root)
			var taken *ConflictError
			if _, err := update(w, Fields{Status: new("closed")}); !errors.As(err, &taken) || taken.Path != archive {
				t.Error(err)
			}
			if now := tree(t, w.Root); !maps.Equal(now, was) {
				t.Errorf("%v\nwas %v", now, was)
			}
		})
	}
	t.Run("a document that appears at the last moment", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{aPath: openIssue})
		w, _ := openFaulty(t, root, func(_ int, op string) (bool, error) {
			if op == "move" {
				writeFiles(t, root, map[string]string{archive: "kept"})
			}
			return false, nil
		})
		var taken *ConflictError
		if _, err := update(w, Fields{Status: new("closed")}); !errors.As(err, &taken) {
			t.Error(err)
		}
		if readFile(t, w, archive) != "kept" || readFile(t, w, aPath) != openIssue {
			t.Error(tree(t, root))
		}
	})
	t.Run("where the file system can only make links", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{"a": "a", "b": "kept"})
		d := rootDisk{w.root, w}
		if err := d.moveByLink("a", "b"); !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
		if err := d.moveByLink("gone", "c"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if err := d.moveByLink("a", "c"); err != nil {
			t.Error(err)
		}
		if all := tree(t, w.Root); !maps.Equal(all, map[string]string{".": "/", "b": "kept", "c": "a"}) {
			t.Error(all)
		}
	})
	t.Run("where it cannot even do that", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{"a/x": "a", "b/x": "kept"}) // no hard links to folders
		d := rootDisk{w.root, w}
		if err := d.moveByLink("a", "b"); !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
		if err := d.moveByLink("a", "c"); err != nil {
			t.Error(err)
		}
		if all := tree(t, w.Root); all["b/x"] != "kept" || all["c/x"] != "a" || all["a"] != "" {
			t.Error(all)
		}
	})
}

func TestAMoveStaysInsideTheWorkspace(t *testing.T) {
	for name, link := range map[string]string{
		"an archive that leads out":     ".wrangler/issues/archived",
		"a collection that leads out":   ".wrangler/ideas",
		"an archive that leads nowhere": ".wrangler/issues/archived",
	} {
		t.Run(name, func(t *testing.T) {
			w := clocked(t, map[string]string{aPath: openIssue})
			outside := t.TempDir()
			target := outside
			if strings.Contains(name, "nowhere") {
				target = filepath.Join(outside, "nowhere")
			}
			symlink(t, target, filepath.Join(w.Root, filepath.FromSlash(link)))
			f := Fields{Status: new("closed")}
			if link == ".wrangler/ideas" {
				f = Fields{Type: new(TypeIdea)}
			}
			if _, err := update(w, f); err == nil || strings.Contains(err.Error(), outside) {
				t.Error(err)
			}
			if all := tree(t, outside); len(all) > 1 || readFile(t, w, aPath) != openIssue {
				t.Error(all)
			}
			if stray := temporaries(tree(t, w.Root)); len(stray) > 0 {
				t.Error(stray)
			}
		})
	}
	t.Run("an archive that is a link inside the workspace is refused, with what to do", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue, "attic/x": ""})
		symlink(t, filepath.Join(w.Root, "attic"), filepath.Join(w.Root, ".wrangler/issues/archived"))
		_, err := update(w, Fields{Status: new("closed")})
		if err == nil || !strings.Contains(err.Error(), "put the folder in its place") {
			t.Error(err)
		}
		if all := tree(t, filepath.Join(w.Root, "attic")); len(all) != 2 || readFile(t, w, aPath) != openIssue {
			t.Error(all)
		}
	})
	t.Run("a collection that is a link inside the workspace is followed", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue, "attic/x": ""})
		symlink(t, filepath.Join(w.Root, "attic"), filepath.Join(w.Root, ".wrangler/ideas"))
		done, err := update(w, Fields{Type: new(TypeIdea), Status: new("closed")})
		if err != nil || done.Path != ".wrangler/ideas/archived/a.md" {
			t.Fatal(done, err)
		}
		if _, err := os.Lstat(filepath.Join(w.Root, "attic/archived/a.md")); err != nil {
			t.Error(err)
		}
	})
}

func TestALinkMovesAndStillLeadsToItsFile(t *testing.T) {
	for name, absolute := range map[string]bool{"a relative link": false, "an absolute link": true} {
		t.Run(name, func(t *testing.T) {
			w := clocked(t, map[string]string{"docs/a.md": openIssue})
			target := "../../docs/a.md"
			if absolute {
				target = filepath.Join(w.Root, "docs/a.md")
			}
			symlink(t, target, filepath.Join(w.Root, aPath))
			closed, err := update(w, Fields{Status: new("closed")})
			if err != nil {
				t.Fatal(err)
			}
			if !absolute {
				target = "../../../docs/a.md"
			}
			all := tree(t, w.Root)
			if all[closed.Path] != "-> "+target || all[aPath] != "" || !strings.Contains(all["docs/a.md"], "status: closed") {
				t.Error(all)
			}
		})
	}
}
