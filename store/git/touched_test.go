package git

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// The last changes of files are those that git shows of each file by itself, read at once or
// one commit after the other.
func TestLastTouchesAreThoseOfEachFile(t *testing.T) {
	var run func(args ...string) string
	var dir string
	repositoryOf(t, "", func(git func(args ...string) string, at string) {
		run, dir = git, at
		write(t, dir, "outside.md", "0")
		if err := os.MkdirAll(filepath.Join(dir, ":(docs)"), 0o777); err != nil {
			t.Fatal(err)
		}
		git("add", "--all")
		git("commit", "--quiet", "-m", "first")
	})
	random := rand.New(rand.NewPCG(3, 4))
	at := int64(1_700_000_000)
	commit := func() {
		at += 60
		t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("%d +0000", at))
		run("add", "--all")
		run("commit", "--quiet", "--allow-empty", "-m", "step")
	}
	file := func() string {
		return filepath.Join([]string{"", ":(docs)"}[random.IntN(2)], []string{"a.md", "é.md", "-O", "c.md"}[random.IntN(4)])
	}
	known, since := map[string]Touch{}, ""
	steps := 12
	if storetest.Long() {
		steps = 60
	}
	for step := range steps {
		switch random.IntN(7) {
		case 0:
			_ = os.Remove(filepath.Join(dir, file()))
			commit()
		case 1: // two branches that are merged
			run("checkout", "--quiet", "-b", "side")
			write(t, dir, "side.md", strconv.Itoa(step))
			commit()
			run("checkout", "--quiet", "main")
			write(t, dir, file(), strconv.Itoa(step))
			commit()
			run("merge", "--quiet", "--no-ff", "--no-commit", "side")
			if random.IntN(2) == 0 { // which itself changes something
				write(t, dir, file(), "merged "+strconv.Itoa(step))
			}
			commit()
			run("branch", "--quiet", "-D", "side")
		default:
			write(t, dir, file(), strconv.Itoa(random.IntN(3))) // may be as it was before
			commit()
		}
		if random.IntN(3) > 0 {
			continue
		}
		r, err := OpenRepository(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		dirs := []string{".", ":(docs)"}[random.IntN(2):]
		whole, err := r.LastTouches(t.Context(), dirs, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]Touch{}
		for entry := range strings.SplitSeq(strings.TrimSuffix(run("ls-tree", "-r", "-z", "HEAD"), "\x00"), "\x00") {
			attributes, name, _ := strings.Cut(entry, "\t")
			if dirs[0] == "." || strings.HasPrefix(name, ":(docs)/") {
				seconds, _ := strconv.ParseInt(strings.TrimSpace(run("log", "-1", "--format=%ct", "--", exactly([]string{name})[0])), 10, 64)
				want[name] = Touch{strings.Fields(attributes)[2], time.Unix(seconds, 0).UTC()}
			}
		}
		if !maps.Equal(whole, want) {
			t.Fatalf("step %d: %v\nwant %v", step, whole, want)
		}
		if dirs[0] != "." {
			continue
		}
		if known, err = r.LastTouches(t.Context(), dirs, since, known); err != nil || !maps.Equal(known, want) {
			t.Fatalf("step %d, since %q: %v, %v\nwant %v", step, since, known, err, want)
		}
		since = r.Head
	}
	if len(known) < 5 {
		t.Errorf("the last files were %v", known)
	}
}

func TestObjectNamesAreThoseOfGit(t *testing.T) {
	r := repositoryOf(t, "", func(git func(args ...string) string, dir string) {
		write(t, dir, "a.md", "text\n")
		git("add", "--all")
		git("commit", "--quiet", "-m", "first")
	})
	files, err := r.Tree(t.Context(), r.Head, []string{"."})
	if object := files["a.md"]; err != nil || ObjectName(object, []byte("text\n")) != object || ObjectName(object, []byte("other\n")) == object {
		t.Errorf("%v, %v", files, err)
	}
}

func TestHeadStampTellsWhichCommitIsCheckedOut(t *testing.T) {
	var run func(args ...string) string
	var dir string
	repositoryOf(t, "", func(git func(args ...string) string, at string) {
		run, dir = git, at
		git("commit", "--quiet", "--allow-empty", "-m", "first")
	})
	linked := filepath.Join(t.TempDir(), "linked")
	run("worktree", "add", "--quiet", "--detach", linked)
	main, beside := HeadStamp(dir), HeadStamp(linked)
	if main == "" || beside == "" || main == beside || HeadStamp(filepath.Join(dir, "below", "it")) != main {
		t.Errorf("%q, %q", main, beside)
	}
	if stamp := HeadStamp(t.TempDir()); stamp != "" {
		t.Errorf("%q without a repository", stamp)
	}
	for _, step := range [][]string{
		{"commit", "--quiet", "--allow-empty", "-m", "second"},
		{"checkout", "--quiet", "-b", "side"},
		{"reset", "--quiet", "--soft", "HEAD~1"},
		{"checkout", "--quiet", "--detach"},
		{"checkout", "--quiet", "main"},
	} {
		before := HeadStamp(dir)
		run(step...)
		if now := HeadStamp(dir); now == before || now != HeadStamp(dir) {
			t.Errorf("after git %v the stamp is the same, or changes by itself", step)
		}
	}
	if HeadStamp(linked) != beside {
		t.Error("the stamp of another worktree has changed")
	}
	run("-C", linked, "commit", "--quiet", "--allow-empty", "-m", "third")
	if HeadStamp(linked) == beside {
		t.Error("the stamp of the worktree is the same after a commit")
	}
}
