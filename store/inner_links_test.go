package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A link need not lead out of the workspace to do harm: what it leads to inside would be
// written to as if it were the file in whose place it stands.

func TestDocumentIsNotALinkIntoGit(t *testing.T) {
	for name, target := range map[string]string{
		"its configuration": "../../.git/config", "by its absolute path": "/.git/config", "in other letters": "../../.GIT/config", "of a submodule": "../../lib/.git/config",
	} {
		t.Run(name, func(t *testing.T) {
			const config = "[core]\n\tbare = false\n"
			w := clocked(t, map[string]string{aPath: openIssue, ".git/config": config, ".GIT/config": config, "lib/.git/config": config})
			if filepath.IsAbs(target) {
				target = w.Root + target
			}
			const p = ".wrangler/issues/ISS-000666.md"
			symlink(t, target, filepath.Join(w.Root, filepath.FromSlash(p)))
			before := tree(t, w.Root)
			var path *PathError
			if _, _, err := w.Load(p); !errors.As(err, &path) || path.Reason != reasonGit {
				t.Errorf("reading says %v", err)
			}
			change := func(*Document) (Fields, error) { return Fields{Title: new("Overwritten")}, nil }
			if _, err := w.Update(t.Context(), p, change); !errors.As(err, &path) {
				t.Errorf("an update says %v", err)
			}
			after := tree(t, w.Root)
			for p := range before {
				if after[p] != before[p] {
					t.Errorf("%s was changed", p)
				}
			}
		})
	}
}

func TestGivenNumbersAreNotWrittenThroughALink(t *testing.T) {
	w := clocked(t, map[string]string{aPath: openIssue})
	if _, err := w.Create(t.Context(), NewDocument{Title: "One"}, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	ids, mine := filepath.Join(w.Root, CacheDir, idsFile), filepath.Join(w.Root, "mine")
	if err := os.Rename(ids, mine); err != nil {
		t.Fatal(err)
	}
	symlink(t, "../../mine", ids)
	before := tree(t, w.Root)["mine"]
	if _, err := w.Create(t.Context(), NewDocument{Title: "Two"}, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if after := tree(t, w.Root)["mine"]; after != before {
		t.Errorf("it was %q and is %q", before, after)
	}
}

func TestCollectionIsNotInGit(t *testing.T) {
	for _, dir := range []string{".git", ".git/hooks", "lib/.git/hooks", ".GIT/hooks", "linked"} {
		root := realDir(t, t.TempDir())
		writeFiles(t, root, map[string]string{
			".git/HEAD": "", "lib/.git/hooks/x": "", ".wrangler/config/workspace-schema.json": `{"mcpConfiguration": {"issuesDirectory": "` + dir + `"}}`,
		})
		symlink(t, ".git", filepath.Join(root, "linked"))
		_, err := Open(Options{Root: root, Getenv: func(string) string { return "" }})
		var path *PathError
		if !errors.As(err, &path) || path.Reason != reasonGit {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
