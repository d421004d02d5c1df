package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/frontmatter"
)

// hostilePaths are strings that no document has for a path, though files are there.
var hostilePaths = []string{
	"", ".", "..", "/", "//", "../secret.md", "../../etc/passwd", ".wrangler/../../secret.md",
	".wrangler/issues/../../../secret.md", ".wrangler/issues/../ideas/a.md", "/etc/passwd",
	".wrangler/issues/a.md\x00", "\x00", ".wrangler/issues/\xff.md",
	`..\secret.md`, `.wrangler\issues\..\..\secret.md`, `C:\secret.md`, `\\host\share\a.md`,
	"CON", "NUL", "COM1", "/dev/stdin", "/proc/self/environ", "dev/null",
	"secret.md", ".wrangler/memos/m.md", ".wrangler/issues", ".wrangler/issues/README.md", ".wrangler/issues/.hidden.md",
	"~/secret.md", "file:///etc/passwd", "%2e%2e/secret.md",
}

func TestLoadRefusesPaths(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		".wrangler/issues/a.md":       "a",
		".wrangler/issues/README.md":  "",
		".wrangler/issues/.hidden.md": "",
		".wrangler/ideas/a.md":        "",
		".wrangler/memos/m.md":        "",
		"secret.md":                   "",
	})
	for _, p := range hostilePaths {
		doc, _, err := w.Load(p)
		var refused *PathError
		if !errors.As(err, &refused) || doc != nil {
			t.Errorf("%q: %v, %v", p, doc, err)
		}
	}
}

func TestReadStaysInside(t *testing.T) {
	w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": "a"})
	outside := t.TempDir()
	writeFiles(t, outside, map[string]string{"secret.md": "secret", "dir/secret.md": "secret"})
	issues := filepath.Join(w.Root, ".wrangler/issues")
	rel, err := filepath.Rel(issues, outside)
	if err != nil {
		t.Fatal(err)
	}
	symlink(t, filepath.Join(outside, "secret.md"), filepath.Join(issues, "absolute.md"))
	symlink(t, filepath.Join(rel, "secret.md"), filepath.Join(issues, "relative.md"))
	symlink(t, outside, filepath.Join(issues, "dir"))
	symlink(t, "absolute.md", filepath.Join(issues, "chain.md"))
	for _, name := range []string{"absolute.md", "relative.md", "dir/secret.md", "dir/dir/secret.md", "chain.md"} {
		p := ".wrangler/issues/" + name
		var refused *PathError
		if _, _, err := w.Read(p); !errors.As(err, &refused) {
			t.Errorf("Read %s: %v", p, err)
		}
		if _, err := w.Stat(p); !errors.As(err, &refused) {
			t.Errorf("Stat %s: %v", p, err)
		}
		if _, _, err := w.Load(p); !errors.As(err, &refused) {
			t.Errorf("Load %s: %v", p, err)
		}
	}
	for _, p := range []string{"../a.md", "/etc/passwd", "a\x00.md", ""} {
		var refused *PathError
		if _, _, err := w.Read(p); !errors.As(err, &refused) {
			t.Errorf("Read %q: %v", p, err)
		}
		if _, err := w.Stat(p); !errors.As(err, &refused) {
			t.Errorf("Stat %q: %v", p, err)
		}
	}
}

func TestReadOfWhatIsNotThere(t *testing.T) {
	w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": "a", ".wrangler/issues/dir.md/x": ""})
	symlink(t, "gone.md", filepath.Join(w.Root, ".wrangler/issues/dangling.md"))
	symlink(t, "dir.md", filepath.Join(w.Root, ".wrangler/issues/todir.md"))
	for _, name := range []string{"gone.md", "no/such/dir.md", "a.md/below.md", "dir.md", "dangling.md", "todir.md"} {
		p := ".wrangler/issues/" + name
		if _, _, err := w.Read(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read %s: %v", name, err)
		}
		if _, err := w.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat %s: %v", name, err)
		}
		if _, _, err := w.Load(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Load %s: %v", name, err)
		}
	}
}

func TestLoad(t *testing.T) {
	w := newWorkspace(t, map[string]string{".wrangler/issues/archived/ISS-000007-a.md": "---\nid: ISS-000007\nstatus: closed\n---\nThe body.\n"})
	t.Run("reads and parses a document", func(t *testing.T) {
		doc, st, err := w.Load("./.wrangler//issues/archived/ISS-000007-a.md")
		if err != nil {
			t.Fatal(err)
		}
		if doc.Path != ".wrangler/issues/archived/ISS-000007-a.md" || doc.ID != "ISS-000007" || doc.Body != "The body.\n" || st.Size == 0 || len(doc.Problems) > 0 {
			t.Errorf("%+v", doc)
		}
	})
	t.Run("gives a document over the size limit its name, its size and a problem", func(t *testing.T) {
		p := filepath.Join(w.Root, ".wrangler/issues/big.md")
		writeFiles(t, w.Root, map[string]string{".wrangler/issues/big.md": "# Big\n"})
		if err := os.Truncate(p, MaxFileSize+1); err != nil {
			t.Fatal(err)
		}
		doc, st, err := w.Load(".wrangler/issues/big.md")
		if err != nil || st.Size != MaxFileSize+1 {
			t.Fatal(st, err)
		}
		if doc.ID != "big" || doc.Title != "big" || doc.Body != "" || doc.Updated.IsZero() {
			t.Errorf("%+v", doc)
		}
		wantProblems(t, doc, frontmatter.ProblemFileSize)
		if err := os.Truncate(p, MaxFileSize); err != nil {
			t.Fatal(err)
		}
		if data, _, err := w.Read(".wrangler/issues/big.md"); err != nil || len(data) != MaxFileSize {
			t.Errorf("a file at the limit: %d bytes, %v", len(data), err)
		}
	})
	t.Run("gives a document that cannot be read a problem without paths", func(t *testing.T) {
		file := File{Path: ".wrangler/issues/a.md", Collection: &w.Collections[0]}
		doc := w.Parse(file, nil, &fs.PathError{Op: "open", Path: "/home/someone/secret", Err: fs.ErrPermission})
		wantProblems(t, doc, frontmatter.ProblemUnreadable)
		if strings.Contains(doc.Problems[0].Message, "/home") {
			t.Error(doc.Problems[0].Message)
		}
	})
}
