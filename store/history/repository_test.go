package history

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/store"
)

// A testRepository is a workspace in a repository of git, whose commits are made by fast-import.
type testRepository struct {
	testing.TB
	dir     string
	commits []testCommit // the number of one is its place
	ws      *store.Workspace
}

// A testCommit is a whole state of the files.
type testCommit struct {
	parents []int
	files   map[string]string
	author  string
	message string
}

// start is the time of the first commit. Each other one is a minute after the one before.
const start = 1_750_000_000

func newRepository(t testing.TB) *testRepository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		t.Setenv(name, value)
	}
	r := &testRepository{TB: t, dir: t.TempDir()}
	r.git("init", "--quiet", "--initial-branch=main")
	if err := os.MkdirAll(filepath.Join(r.dir, ".wrangler"), 0o777); err != nil {
		t.Fatal(err)
	}
	ws, err := store.Open(store.Options{Root: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	r.ws = ws
	return r
}

// git runs git with what it reads, and returns what it prints.
func (r *testRepository) git(args ...string) string {
	r.Helper()
	return r.feed(nil, args...)
}

func (r *testRepository) feed(input []byte, args ...string) string {
	r.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Stdin = r.dir, bytes.NewReader(input)
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, complaints.String())
	}
	return string(out)
}

// commit adds a commit that is made by make.
func (r *testRepository) commit(files map[string]string, parents ...int) int {
	r.commits = append(r.commits, testCommit{parents: parents, files: maps.Clone(files), author: "Ann", message: fmt.Sprintf("commit %d", len(r.commits))})
	return len(r.commits) - 1
}

// make makes the commits, and checks the last one out. It returns their names.
func (r *testRepository) make() (hashes []string) {
	r.Helper()
	var in bytes.Buffer
	for i, c := range r.commits {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter %s <a@example.org> %d +0000\ndata %d\n%s\n", i+1, c.author, start+60*i, len(c.message), c.message)
		if len(c.parents) == 0 && i > 0 {
			r.Fatal("a second root")
		}
		for n, parent := range c.parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(n, 1)], parent+1)
		}
		fmt.Fprint(&in, "deleteall\n")
		for _, name := range slices.Sorted(maps.Keys(c.files)) {
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", quoted(name), len(c.files[name]), c.files[name])
		}
	}
	marks := filepath.Join(r.TempDir(), "marks")
	r.feed(in.Bytes(), "fast-import", "--quiet", "--force", "--export-marks="+marks)
	r.git("reset", "--quiet", "--hard", "main")
	data, err := os.ReadFile(marks)
	if err != nil {
		r.Fatal(err)
	}
	hashes = make([]string, len(r.commits))
	for line := range strings.Lines(string(data)) {
		var mark int
		var hash string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &hash); err != nil {
			r.Fatal(err)
		}
		hashes[mark-1] = hash
	}
	return hashes
}

func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
}

// write writes a file of the worktree.
func (r *testRepository) write(name, text string) {
	r.Helper()
	at := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
		r.Fatal(err)
	}
}

// remove removes a file of the worktree.
func (r *testRepository) remove(name string) {
	r.Helper()
	if err := os.Remove(filepath.Join(r.dir, filepath.FromSlash(name))); err != nil {
		r.Fatal(err)
	}
}

// history reads the history of a document of a path, all of it.
func (r *testRepository) history(at string, q HistoryQuery) []HistoryEntry {
	r.Helper()
	doc, _, err := r.ws.Load(at)
	if err != nil {
		r.Fatal(err)
	}
	return r.entries(Of(r.ws, doc), q)
}

func (r *testRepository) entries(s Followed, q HistoryQuery) (entries []HistoryEntry) {
	r.Helper()
	h, err := Read(r.Context(), r.ws, s)
	if err != nil {
		r.Fatal(err)
	}
	defer h.Close()
	for e, err := range h.Entries(q) {
		if err != nil {
			r.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

// lines say what entries have, a line each.
func lines(entries []HistoryEntry) (all []string) {
	for _, e := range entries {
		all = append(all, lineOf(e))
	}
	return all
}

func lineOf(e HistoryEntry) string {
	parts := []string{e.Subject}
	if e.Commit == "" {
		parts[0] = "uncommitted"
	}
	if e.Event != "" {
		parts = append(parts, string(e.Event))
	}
	for _, c := range e.Changes {
		text := fmt.Sprintf("%s: %s -> %s", c.Field, c.From, c.To)
		switch c.Field {
		case Text:
			text = fmt.Sprintf("%s %q +%d -%d", c.Field, c.Part, c.Added, c.Removed)
		case Boxes:
			text = fmt.Sprintf("%s %q", c.To, c.Part)
		}
		if c.Merged {
			text += " (merged)"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
