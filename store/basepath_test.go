package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Another program's variable for the base of the documents is obeyed, or refused with
// words, and never ignored.
func TestTheBaseOfTheDocuments(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"project/.wrangler", "project/docs/deep", "notes"} {
		if err := os.MkdirAll(filepath.Join(home, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	project := filepath.Join(home, "project")
	for _, c := range []struct {
		name, flag string
		env        map[string]string
		wd         string
		root       string // "" when it is refused
		issues     string
	}{
		{"no base", "", nil, "project", "project", ".wrangler/issues"},
		{"a folder of the workspace", project, map[string]string{BasePathVariable: filepath.Join(project, "docs")}, "notes", "project", "docs/.wrangler/issues"},
		{"relative to the working directory", "", map[string]string{BasePathVariable: "deep"}, "project/docs", "project", "docs/deep/.wrangler/issues"},
		{"the workspace itself", project, map[string]string{BasePathVariable: project}, "notes", "project", ".wrangler/issues"},
		{"with a folder for the issues", project, map[string]string{BasePathVariable: filepath.Join(project, "docs"), "WRANGLER_ISSUES_DIRECTORY": "deep"}, "notes", "project", "docs/deep"},
		{"with an absolute folder for the issues", project, map[string]string{BasePathVariable: filepath.Join(project, "docs"), "WRANGLER_ISSUES_DIRECTORY": filepath.Join(project, "other")}, "notes", "project", "other"},
		{"elsewhere, and no root is named", "", map[string]string{BasePathVariable: filepath.Join(home, "notes")}, "project", "notes", ".wrangler/issues"},
		{"elsewhere than the root that is named", project, map[string]string{BasePathVariable: filepath.Join(home, "notes")}, "notes", "", ""},
		{"elsewhere than the root of the environment", "", map[string]string{RootVariable: project, BasePathVariable: filepath.Join(home, "notes")}, "notes", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := Open(Options{
				Root:   c.flag,
				Getenv: func(name string) string { return c.env[name] },
				Getwd:  func() (string, error) { return filepath.Join(home, filepath.FromSlash(c.wd)), nil },
			})
			var refused *BasePathError
			if c.root == "" {
				if !errors.As(err, &refused) {
					t.Errorf("it is not refused: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if want := filepath.Join(home, c.root); w.Root != want || w.Collections[0].Dir != c.issues {
				t.Errorf("the issues are in %s of %s, want %s of %s", w.Collections[0].Dir, w.Root, c.issues, want)
			}
		})
	}
	t.Run("one that is not there is named", func(t *testing.T) {
		_, err := Open(Options{Root: project, Getenv: func(name string) string { return map[string]string{BasePathVariable: "nowhere"}[name] }})
		var missing *RootError
		if !errors.As(err, &missing) {
			t.Errorf("got %v", err)
		}
	})
}
