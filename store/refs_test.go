package store

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// gitRepository is a folder in which a test runs git.
type gitRepository struct {
	testing.TB
	dir string
}

// newRepository makes a repository on the branch main, without a commit.
func newRepository(t testing.TB, options ...string) gitRepository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here:", err)
	}
	r := gitRepository{t, realDir(t, t.TempDir())}
	r.git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	return r
}

func (r gitRepository) git(args ...string) string { return r.input("", args...) }

func (r gitRepository) input(stdin string, args ...string) string {
	r.Helper()
	c := exec.CommandContext(r.Context(), "git", append([]string{"-C", r.dir, "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always", "-c", "maintenance.auto=false"}, args...)...)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	c.Stdin = strings.NewReader(stdin)
	out, err := c.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files, empty ones are removed, and commits everything.
func (r gitRepository) commit(files map[string]string) {
	r.Helper()
	for p, text := range files {
		full := filepath.Join(r.dir, filepath.FromSlash(p))
		if text == "" {
			if err := os.Remove(full); err != nil {
				r.Fatal(err)
			}
			continue
		}
		writeFiles(r, r.dir, map[string]string{p: text})
	}
	r.git("add", "-A", ".")
	r.git("commit", "-q", "--allow-empty", "-m", "x")
}

// branches adds branches to the repository, each with a document of its own beside those of
// the others.
func (r gitRepository) branches(count, first int) {
	r.Helper()
	var stream strings.Builder
	for i := range count {
		fmt.Fprintf(&stream, "commit refs/heads/topic/b%04d\ncommitter x <x@example.org> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\nM 100644 inline .wrangler/issues/ISS-%06d-x.md\ndata 1\nx\n", i, first+i)
	}
	r.input(stream.String(), "fast-import", "--quiet", "--force")
}

// countGit has git counted, by the first of its arguments that is a command.
func countGit(t *testing.T) (runs func() []string) {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not here:", err)
	}
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> '%s'\nexec '%s' \"$@\"\n", log, program)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() (commands []string) {
		data, _ := os.ReadFile(log)
		_ = os.Remove(log)
		for line := range strings.Lines(string(data)) {
			for _, command := range []string{"for-each-ref", "cat-file", "log"} {
				if strings.Contains(line, " "+command+" ") {
					commands = append(commands, command)
				}
			}
		}
		return commands
	}
}

// patient gives the looks of a workspace all the time they want.
func patient(w *Workspace) *Workspace {
	w.ids.refs.time = time.Minute
	return w
}

// settle makes the times in a repository old, as they are when nobody has worked there for
// some seconds.
func (r gitRepository) settle() {
	r.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(filepath.Join(r.dir, ".git"), func(p string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chtimes(p, old, old)
		}
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
}

func TestIdsInRefsAreNotGivenOutAgain(t *testing.T) {
	const text = "---\ntitle: x\n---\n"
	next := func(t *testing.T, dir, want string) {
		t.Helper()
		w := patient(openWorkspace(t, dir, nil))
		if got := nextID(t, w, TypeIssue, floor(0)); got != want {
			t.Errorf("the next id is %s, want %s", got, want)
		}
	}
	for _, options := range [][]string{nil, {"--object-format=sha256"}} {
		t.Run(fmt.Sprintf("of other branches %v", options), func(t *testing.T) {
			r := newRepository(t, options...)
			r.commit(map[string]string{".wrangler/issues/ISS-000001-x.md": text})
			r.git("checkout", "-q", "-b", "other")
			r.commit(map[string]string{".wrangler/issues/archived/old/ISS-000040-x.md": text, ".wrangler/issues/.hidden/ISS-000090-x.md": text, "docs/ISS-000080-x.md": text})
			r.git("checkout", "-q", "main")
			next(t, r.dir, "ISS-000041")
		})
	}
	t.Run("of tags, remotes and packed refs", func(t *testing.T) {
		r := newRepository(t)
		r.commit(map[string]string{".wrangler/issues/ISS-000001-x.md": text})
		r.git("checkout", "-q", "-b", "other")
		r.commit(map[string]string{".wrangler/issues/ISS-000050-x.md": text})
		r.git("tag", "-a", "v1", "-m", "v1")
		r.git("checkout", "-q", "main")
		r.git("branch", "-q", "-D", "other")
		r.git("pack-refs", "--all")
		next(t, r.dir, "ISS-000051")
	})
	t.Run("in a workspace below the top of the repository", func(t *testing.T) {
		r := newRepository(t)
		r.commit(map[string]string{"sub/.wrangler/issues/ISS-000001-x.md": text})
		r.git("checkout", "-q", "-b", "other")
		r.commit(map[string]string{"sub/.wrangler/issues/ISS-000030-x.md": text, ".wrangler/issues/ISS-000070-x.md": text})
		r.git("checkout", "-q", "main")
		next(t, filepath.Join(r.dir, "sub"), "ISS-000031")
	})
	t.Run("in a submodule", func(t *testing.T) {
		inner, outer := newRepository(t), newRepository(t)
		inner.commit(map[string]string{".wrangler/issues/ISS-000001-x.md": text})
		inner.git("checkout", "-q", "-b", "other")
		inner.commit(map[string]string{".wrangler/issues/ISS-000020-x.md": text})
		inner.git("checkout", "-q", "main")
		outer.git("submodule", "--quiet", "add", inner.dir, "part")
		next(t, filepath.Join(outer.dir, "part"), "ISS-000021")
	})
	t.Run("where HEAD is unborn", func(t *testing.T) {
		r := newRepository(t)
		next(t, r.dir, "ISS-000001")
	})
	t.Run("that come while the process lives", func(t *testing.T) {
		r := newRepository(t)
		r.commit(map[string]string{".wrangler/issues/ISS-000001-x.md": text})
		w := patient(openWorkspace(t, r.dir, nil))
		nextID(t, w, TypeIssue, floor(0))
		for i, pack := range []bool{false, true, false} {
			first := 100 * (i + 1)
			r.branches(2, first)
			if pack {
				r.git("pack-refs", "--all")
			}
			want := fmt.Sprintf("ISS-%06d", first+2)
			if got := nextID(t, w, TypeIssue, floor(0)); got != want {
				t.Errorf("the next id is %s, want %s", got, want)
			}
		}
	})
}

// While no ref changes, git is not run. Of new refs only the trees are read that are new.
func TestRefsAreReadOnce(t *testing.T) {
	r := newRepository(t)
	r.commit(map[string]string{".wrangler/issues/ISS-000001-x.md": "x"})
	r.branches(100, 1000)
	r.git("pack-refs", "--all")
	r.settle()
	runs := countGit(t)
	expect := func(w *Workspace, id string, want ...string) {
		t.Helper()
		got := nextID(t, w, TypeIssue, floor(0))
		if commands := runs(); got != id || fmt.Sprint(commands) != fmt.Sprint(want) {
			t.Errorf("the next id is %s after %v, want %s after %v", got, commands, id, want)
		}
	}
	w := patient(openWorkspace(t, r.dir, nil))
	expect(w, "ISS-001100", "for-each-ref", "cat-file")
	expect(w, "ISS-001101")
	expect(patient(openWorkspace(t, r.dir, nil)), "ISS-001102") // another process
	r.branches(1, 2000)
	runs()
	expect(patient(openWorkspace(t, r.dir, nil)), "ISS-002001", "for-each-ref", "cat-file")
	r.git("branch", "again", "topic/b0003")
	runs()
	expect(w, "ISS-002002", "for-each-ref", "cat-file") // w has not seen the new one
	r.git("branch", "and-again", "topic/b0003")
	runs()
	expect(w, "ISS-002003", "for-each-ref")
}

// Another program can have written what is known of refs.
func TestNumbersOfRefsThatCountForNothing(t *testing.T) {
	r := newRepository(t)
	r.commit(map[string]string{".wrangler/issues/ISS-000001-x.md": "x"})
	nextID(t, patient(openWorkspace(t, r.dir, nil)), TypeIssue, floor(1))
	at := filepath.Join(r.dir, CacheDir, refsFile)
	known, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	for i, number := range []string{"9223372036854775807", "1000000", "-7"} {
		planted := strings.Replace(string(known), `"issue":1`, `"issue":`+number, 1)
		if planted == string(known) {
			t.Fatalf("%s", known)
		}
		if err := os.WriteFile(at, []byte(planted), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, want := nextID(t, patient(openWorkspace(t, r.dir, nil)), TypeIssue, floor(1)), fmt.Sprintf("ISS-%06d", 3+i); got != want {
			t.Errorf("after %s the next id is %s, want %s", number, got, want)
		}
	}
}

// What takes too long is said, and is made good when there is time.
func TestRefsThatTakeTooLongAreNamed(t *testing.T) {
	r := newRepository(t)
	r.commit(map[string]string{".wrangler/issues/ISS-000001-x.md": "x"})
	r.branches(3, 10)
	w := openWorkspace(t, r.dir, nil)
	w.ids.refs.time = 0
	done, err := w.Create(t.Context(), NewDocument{Title: "New"}, floor(1))
	if err != nil || done.After.ID != "ISS-000002" || !strings.HasPrefix(done.Note, "there was no time to look at the refs") {
		t.Errorf("%s, %q, %v", done.After.ID, done.Note, err)
	}
	done, err = patient(w).Create(t.Context(), NewDocument{Title: "Newer"}, floor(1))
	if err != nil || done.After.ID != "ISS-000013" || done.Note != "" {
		t.Errorf("%s, %q, %v", done.After.ID, done.Note, err)
	}
}

// BenchmarkCreateBesideRefs is what a new document costs where 500 branches have documents.
func BenchmarkCreateBesideRefs(b *testing.B) {
	r := newRepository(b)
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf(".wrangler/issues/ISS-%06d-x.md", i+1)] = "x"
	}
	r.commit(files)
	r.branches(500, 1000)
	for _, state := range []string{"nothing changed", "a new process", "changed just now", "never read"} {
		b.Run(state, func(b *testing.B) {
			r.TB = b
			r.settle()
			w := openWorkspace(b, r.dir, nil)
			number := func() {
				if _, err := w.Create(b.Context(), NewDocument{Title: "New"}, floor(2000)); err != nil {
					b.Fatal(err)
				}
			}
			number()
			for b.Loop() {
				switch state {
				case "a new process":
					w.ids.refs.Layout, w.ids.refs.Stamp = "", ""
				case "changed just now":
					w.ids.refs.Stamp = "x"
				case "never read":
					w.ids = newIDAllocator()
					patient(w)
					if err := os.Remove(filepath.Join(r.dir, CacheDir, refsFile)); err != nil {
						b.Fatal(err)
					}
				}
				number()
			}
		})
	}
}
