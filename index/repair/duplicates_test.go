package repair

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/storetest"
)

// A gitHistory is a repository of git that a test makes.
type gitHistory struct {
	testing.TB
	root    string
	commits int
}

func newHistory(tb testing.TB) *gitHistory {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("there is no git")
	}
	h := &gitHistory{TB: tb, root: tb.TempDir()}
	h.git("init", "--quiet", "--initial-branch=main")
	if err := os.MkdirAll(filepath.Join(h.root, ".wrangler/issues"), 0o755); err != nil {
		tb.Fatal(err)
	}
	return h
}

// git runs git, its clock going on by a minute with each commit.
func (h *gitHistory) git(args ...string) {
	h.Helper()
	c := exec.Command("git", append([]string{"-c", "maintenance.auto=false"}, args...)...)
	c.Dir = h.root
	at := time.Date(2026, 1, 1, 0, h.commits, 0, 0, time.UTC).Format(time.RFC3339)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	if out, err := c.CombinedOutput(); err != nil {
		h.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (h *gitHistory) commit(message string) {
	h.Helper()
	h.commits++
	h.git("add", "--all")
	h.git("commit", "--quiet", "--allow-empty", "-m", message)
}

func (h *gitHistory) write(file, text string) {
	h.Helper()
	file = filepath.Join(h.root, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		h.Fatal(err)
	}
}

// play makes the history that the comment of an archive tells, in lines like these, besides
// explanations behind #:
//
//	write DIR      the files of the archive in this folder
//	commit MESSAGE of all that has changed
//	git ARGUMENTS
//	keep PATH      an option of the repair, as the next one
//	everywhere
func (h *gitHistory) play(a *txtar.Archive) (o DuplicateOptions) {
	h.Helper()
	for line := range strings.Lines(string(a.Comment)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "":
		case "write":
			for _, f := range a.Files {
				if file, ok := strings.CutPrefix(f.Name, rest+"/"); ok {
					h.write(file, string(f.Data))
				}
			}
		case "commit":
			h.commit(rest)
		case "git":
			h.git(strings.Fields(rest)...)
		case "keep":
			o.Keep = append(o.Keep, rest)
		case "everywhere":
			o.Repository = true
		default:
			h.Fatalf("%q is no verb", verb)
		}
	}
	return o
}

// TestDuplicateIDsAreRepaired plays the histories in testdata/duplicates and holds what the
// repair would do, that it does exactly that, and that a second one does nothing.
// UPDATE_GOLDEN=1 writes what it would do.
func TestDuplicateIDsAreRepaired(t *testing.T) {
	cases, err := filepath.Glob("testdata/duplicates/*.txtar")
	if err != nil || len(cases) < 5 {
		t.Fatal(cases, err)
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		cases = storetest.FewOf(cases, 4) // each starts git some thirty times
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			h := newHistory(t)
			o := h.play(a)
			w := openWorkspace(t, h.root, "")
			r := w.duplicates(o)
			got := describe(r)
			golden := func(f txtar.File) bool { return f.Name == "repair" }
			if os.Getenv("UPDATE_GOLDEN") != "" {
				a.Files = append(slices.DeleteFunc(a.Files, golden), txtar.File{Name: "repair", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if i := slices.IndexFunc(a.Files, golden); i < 0 || got != string(a.Files[i].Data) {
				t.Errorf("got\n%s", got)
			}
			if storetest.Long() && w.duplicates(o).Fingerprint() != r.Fingerprint() {
				t.Error("a second look has another fingerprint")
			}
			w.applyExactly(r)
			if after := w.duplicates(DuplicateOptions{Repository: o.Repository}); len(after.Changes) > 0 || len(after.Undecided) != len(r.Undecided) {
				t.Errorf("a second time it would change\n%s", describe(after))
			}
			if len(r.Undecided) == 0 {
				for _, p := range w.check().Problems {
					if p.Problem.Code == DuplicateID {
						t.Errorf("%s: %s", p.Path, p.Problem.Message)
					}
				}
			}
		})
	}
}

func (w *workspace) duplicates(o DuplicateOptions) *DuplicateRepair {
	w.Helper()
	r, err := Duplicates(w.Context(), w.ix, o)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// applyExactly makes the changes of a repair and holds that they are those that it shows.
func (w *workspace) applyExactly(r *DuplicateRepair) {
	w.Helper()
	want := w.files()
	for _, c := range r.Changes {
		text := want[c.From]
		if store.HashOf([]byte(text)) != c.Was {
			w.Errorf("%s is not what the change is for", c.From)
		}
		delete(want, c.From)
		if !c.Deletes() {
			want[c.To] = text[:c.At] + c.New + text[c.At+len(c.Old):]
		}
	}
	behind, err := r.Apply(w.Context(), w.ix)
	if err != nil || behind != nil {
		w.Fatal(err, behind)
	}
	sameFiles(w, w.files(), want)
	if _, err := os.Lstat(filepath.Join(w.root, filepath.FromSlash(store.UnfinishedFixes))); err == nil {
		w.Error("the list of changes is still there")
	}
}

// describe shows a repair.
func describe(r *DuplicateRepair) string {
	var b strings.Builder
	for _, c := range r.Changes {
		switch {
		case c.Deletes():
			fmt.Fprintf(&b, "delete %s\n", c.From)
		case c.Moves():
			fmt.Fprintf(&b, "move %s → %s\n", c.From, c.To)
		default:
			fmt.Fprintf(&b, "edit %s\n", c.From)
		}
		if c.Why != "" {
			fmt.Fprintf(&b, "  # %s\n", c.Why)
		}
		if c.Deletes() {
			continue
		}
		removed, added := c.Lines()
		for _, line := range removed {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
		for _, line := range added {
			fmt.Fprintf(&b, "  + %s\n", line)
		}
	}
	for _, u := range r.Undecided {
		fmt.Fprintf(&b, "undecided %s %v: %s (tie %v)\n", u.ID, u.Paths, u.Reason, u.Tie)
	}
	for _, l := range r.Left {
		fmt.Fprintf(&b, "left %s:%d: %s: %s %v\n", l.Path, l.Line, l.Text, l.Reason, l.Candidates)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note %s\n", n)
	}
	return b.String()
}

// The documents of a real workspace that has no history share ids, too.
func TestDuplicateIDsOfARealWorkspaceAreRepaired(t *testing.T) {
	files := markdownFiles(t, filepath.FromSlash("../../testdata/corpora/wrangler"))
	w := newWorkspace(t, "", maps.Clone(files))
	r := w.duplicates(DuplicateOptions{})
	for len(r.Undecided) > 0 {
		var keep []string
		for _, u := range r.Undecided {
			if !u.Tie {
				t.Fatal(u)
			}
			keep = append(keep, u.Paths[0])
		}
		r = w.duplicates(DuplicateOptions{Keep: keep})
	}
	before := w.check()
	w.applyExactly(r)
	count := func(r *Report, code store.ProblemCode) (n int) {
		for _, p := range r.Problems {
			if p.Problem.Code == code {
				n++
			}
		}
		return n
	}
	after := w.check()
	if n := count(after, DuplicateID); n != 0 || count(before, DuplicateID) == 0 {
		t.Errorf("%d documents still share an id", n)
	}
	if was, is := count(before, frontmatter.ProblemIDFilename), count(after, frontmatter.ProblemIDFilename); is > was {
		t.Errorf("%d names disagree with an id, %d did before", is, was)
	}
}
