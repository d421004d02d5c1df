package session

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store"
	"issues-index/store/storetest"
)

func TestNamesAreNeverMoreThanNames(t *testing.T) {
	w := gitRepository(t)
	outside := filepath.Dir(w.Root)
	for spec, want := range storetest.Few(map[string]string{
		"a b.md":                          "a-b",
		`it's "quoted".md`:                "its-quoted",
		"$(touch owned).md":               "touch-owned",
		"`touch owned`;touch owned.md":    "touch-ownedtouch-owned",
		"-b.md":                           "b",
		"--upload-pack=touch owned.md":    "upload-packtouch-owned",
		"..md":                            "implementation",
		"...lock.md":                      "lock",
		"x.lock":                          "xlock",
		"c\nd.md":                         "c-d",
		"SPEC-000012-Login_Form v2.md":    "login-form-v2",
		"spec-x.md":                       "x",
		strings.Repeat("ab ", 40) + ".md": strings.TrimRight(strings.Repeat("ab-", 17)[:50], "-"),
		"refs@{1}~^:?*[.md":               "refs1",
	}, 6) {
		t.Run(spec, func(t *testing.T) {
			writeFiles(t, w.Root, map[string]string{"specs/" + spec: "x"})
			before := tree(t, outside)
			s, err := w.Start(t.Context(), StartOptions{SpecFile: "specs/" + spec})
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(w.Root, ".worktrees", want); s.WorktreePath != want || !s.WorktreeCreated {
				t.Errorf("worktree %s, want %s", s.WorktreePath, want)
			}
			if s.SpecFile != "specs/"+spec || len(s.Problems) > 0 {
				t.Errorf("%+v", s)
			}
			root := filepath.Base(w.Root)
			for p := range tree(t, outside) {
				rel, _ := strings.CutPrefix(p, root+"/")
				known := strings.HasPrefix(rel, ".git/") || strings.HasPrefix(rel, ".worktrees") || strings.HasPrefix(rel, ".wrangler/")
				if _, was := before[p]; !was && (!known || path.Base(p) == "owned") {
					t.Errorf("%s was made", p)
				}
			}
		})
	}
}

func TestANameWithoutLatinLettersStillNamesAWorktree(t *testing.T) {
	if got := specName("specs/計画.md"); got != "implementation" {
		t.Error(got)
	}
}

func TestWhatLeadsOutIsRefusedAndNothingIsWritten(t *testing.T) {
	w := gitRepository(t)
	ctx := t.Context()
	s := start(t, w)
	outside := realDir(t, t.TempDir())
	writeFiles(t, outside, map[string]string{"spec.md": "x", "session/context.json": "{}"})
	for link, to := range map[string]string{"link.md": "spec.md", "link": "", ".wrangler/sessions/linked": "session"} {
		if err := os.Symlink(filepath.Join(outside, to), filepath.Join(w.Root, filepath.FromSlash(link))); err != nil {
			t.Skip("symbolic links cannot be made here:", err)
		}
	}
	before, there := tree(t, w.Root), tree(t, outside)
	refused := func(t *testing.T, err error) {
		t.Helper()
		var outside *store.PathError
		if !errors.As(err, &outside) {
			t.Errorf("%v is no store.PathError", err)
		}
	}
	for _, spec := range []string{"", "..", "../x.md", "a/../../x.md", "/etc/passwd", filepath.Join(outside, "spec.md"), "link.md", "link/spec.md", "a\x00.md", "a\xff.md"} {
		_, err := w.Start(ctx, StartOptions{SpecFile: spec})
		refused(t, err)
	}
	for _, dir := range []string{"..", "/", "/nowhere", outside, "link", "a\x00", "../" + filepath.Base(w.Root)} {
		_, err := w.Start(ctx, StartOptions{SpecFile: specPath, WorkingDirectory: dir})
		refused(t, err)
	}
	for _, id := range []string{"..", ".", "../sessions/" + s.ID, "a/b", `a\b`, "/etc", ".hidden", s.ID + "/", "linked", "a\x00"} {
		_, err := w.RecordPhase(ctx, id, "plan", "started", nil)
		refused(t, err)
		_, _, err = w.SaveCheckpoint(ctx, id, Checkpoint{})
		refused(t, err)
		_, _, err = w.Complete(ctx, id, "failed", "", 0, "")
		refused(t, err)
		_, _, err = w.Find(ctx, id)
		refused(t, err)
		_, _, err = w.Audit(ctx, id)
		refused(t, err)
	}
	if !maps.Equal(tree(t, w.Root), before) || !maps.Equal(tree(t, outside), there) {
		t.Error("something was written")
	}
	t.Run("a specification that is not there is fs.ErrNotExist", func(t *testing.T) {
		for _, spec := range []string{"missing.md", ".wrangler", specPath + "/x.md"} {
			if _, err := w.Start(ctx, StartOptions{SpecFile: spec}); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", spec, err)
			}
		}
	})
	t.Run("so is no session, but ErrNotFound", func(t *testing.T) {
		for _, id := range []string{"2026-01-01-nogit-0000", strings.Repeat("x", 5000)} {
			if _, err := w.RecordPhase(ctx, id, "plan", "started", nil); !errors.Is(err, ErrNotFound) {
				t.Error(err)
			}
		}
	})
	t.Run("a working directory that is a file, or missing, is a bad value", func(t *testing.T) {
		for _, dir := range []string{specPath, "missing", filepath.Join(w.Root, "missing")} {
			_, err := w.Start(ctx, StartOptions{SpecFile: specPath, WorkingDirectory: dir})
			var value *store.ValueError
			if !errors.As(err, &value) || value.Field != "workingDirectory" {
				t.Errorf("%s: %v", dir, err)
			}
		}
	})
	t.Run("neither files nor folders of a session lead out by a link", func(t *testing.T) {
		for _, name := range []string{auditFile, contextFile, checkpointFile} {
			s := start(t, w)
			file := filepath.Join(w.Root, filepath.FromSlash(sessionFile(s.ID, name)))
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(outside, "new"), file); err != nil {
				t.Fatal(err)
			}
			_, err := w.RecordPhase(ctx, s.ID, "plan", "started", nil)
			_, _, cerr := w.SaveCheckpoint(ctx, s.ID, Checkpoint{})
			if name != checkpointFile && (err == nil || cerr == nil) {
				t.Errorf("%s: %v, %v", name, err, cerr)
			}
		}
		if !maps.Equal(tree(t, outside), there) {
			t.Error("something was written outside")
		}
	})
	t.Run("a folder of worktrees that lies outside is refused", func(t *testing.T) {
		w := gitRepository(t)
		if err := os.Symlink(outside, filepath.Join(w.Root, ".worktrees")); err != nil {
			t.Fatal(err)
		}
		_, err := w.Start(ctx, StartOptions{SpecFile: specPath})
		refused(t, err)
		if !maps.Equal(tree(t, outside), there) {
			t.Error("something was written outside")
		}
	})
}

func TestValuesThatASessionCannotHave(t *testing.T) {
	w := specified(t)
	ctx := t.Context()
	s := start(t, w)
	before := tree(t, w.Root)
	errs := map[string]error{}
	_, errs["phase"] = w.RecordPhase(ctx, s.ID, strings.Repeat("p", MaxPhase+1), "started", nil)
	_, errs["status"] = w.RecordPhase(ctx, s.ID, "plan", "done", nil)
	_, errs["metadata"] = w.RecordPhase(ctx, s.ID, "plan", "started", []byte(`["a"]`))
	_, _, errs["variables"] = w.SaveCheckpoint(ctx, s.ID, Checkpoint{Variables: []byte(`{"a":`)})
	_, _, errs["prNumber"] = w.Complete(ctx, s.ID, "failed", "", -1, "")
	for field, err := range errs {
		var value *store.ValueError
		if !errors.As(err, &value) || value.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, _, err := w.Complete(ctx, s.ID, "running", "", 0, ""); err == nil {
		t.Error("a session was ended as running")
	}
	if !maps.Equal(tree(t, w.Root), before) {
		t.Error("something was written")
	}
}

// A link need not lead out of the workspace to do harm.
func TestSessionFilesAreNotWrittenThroughLinks(t *testing.T) {
	for _, name := range []string{contextFile, checkpointFile, auditFile} {
		t.Run(name, func(t *testing.T) {
			w := specified(t)
			s := start(t, w)
			if _, _, err := w.SaveCheckpoint(t.Context(), s.ID, Checkpoint{LastAction: "a", ResumeInstructions: "b"}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(w.Root, filepath.FromSlash(sessionFile(s.ID, name)))
			target := filepath.Join(w.Root, "mine.json")
			if err := os.Rename(file, target); err != nil {
				t.Fatal(err)
			}
			symlink(t, "../../../mine.json", file)
			before := tree(t, w.Root)["mine.json"]
			_, phase := w.RecordPhase(t.Context(), s.ID, "plan", "started", nil)
			_, _, checkpoint := w.SaveCheckpoint(t.Context(), s.ID, Checkpoint{LastAction: "c", ResumeInstructions: "d"})
			var conflict *store.ConflictError
			if !errors.As(errors.Join(phase, checkpoint), &conflict) {
				t.Errorf("a phase says %v, a checkpoint %v", phase, checkpoint)
			}
			if after := tree(t, w.Root)["mine.json"]; after != before {
				t.Errorf("it was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

func TestLinksInACircleAreRefused(t *testing.T) {
	w := newWorkspace(t, nil)
	symlink(t, "two", filepath.Join(w.Root, "one"))
	symlink(t, "one", filepath.Join(w.Root, "two"))
	_, specification := w.Start(t.Context(), StartOptions{SpecFile: "one"})
	_, directory := w.workingDirectory("one")
	for name, err := range map[string]error{"a specification": specification, "a working directory": directory} {
		if err == nil || strings.Contains(err.Error(), "EvalSymlinks") || !strings.Contains(err.Error(), "circle") && !strings.Contains(err.Error(), "levels of symbolic links") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
