//go:build unix

package history

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// countGit has every git that is started from now on add a line to a file, and returns how
// many there were.
func countGit(t testing.TB) func() int {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	script := fmt.Sprintf("#!/bin/sh\necho >> '%s'\nexec '%s' \"$@\"\n", count, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() int {
		data, _ := os.ReadFile(count) // none without a git
		return strings.Count(string(data), "\n")
	}
}

// longHistory makes a document of so many commits, in which it is renamed, goes to the
// archive and back, and is merged, and with others beside it.
func longHistory(r *testRepository, commits int) (at string) {
	last := -1
	for i := range commits {
		name := fmt.Sprintf("ISS-000001-title-%d.md", i/50)
		at = ".wrangler/issues/" + name
		status := "open"
		if i%20 > 15 {
			at, status = ".wrangler/issues/archived/"+name, "closed"
		}
		files := map[string]string{at: paper("ISS-000001", status, strings.Repeat("A line of the text.\n", 100)+fmt.Sprintln("change", i))}
		for other := 2; other < 12; other++ {
			files[fmt.Sprintf(".wrangler/issues/ISS-%06d-other.md", other)] = paper("ISS-000002", "open", fmt.Sprintln(i/10))
		}
		switch {
		case last < 0:
			last = r.commit(files)
		case i%10 == 9: // of a branch that began two commits ago
			last = r.commit(files, last, last-1)
		default:
			last = r.commit(files, last)
		}
	}
	r.make()
	return at
}

func TestGitIsStartedAsOftenForManyCommitsAsForFew(t *testing.T) {
	started := map[int]int{}
	for _, commits := range []int{12, 30, 120} {
		r := newRepository(t)
		at := longHistory(r, commits)
		t.Run(fmt.Sprint(commits), func(t *testing.T) {
			count := countGit(t)
			if got := len(r.history(at, HistoryQuery{})); got != commits {
				t.Errorf("%d entries", got)
			}
			started[commits] = count()
		})
	}
	if n := started[12]; n > 5 || started[30] != n || started[120] != n {
		t.Errorf("git was started so often, by the number of commits: %v", started)
	}
}

// What is different in all documents takes as many for many documents as for few, and so does
// the reading of messages.
func TestGitIsStartedAsOftenForManyDocumentsAsForFew(t *testing.T) {
	started := map[int][2]int{}
	for _, documents := range []int{3, 60} {
		r := newRepository(t)
		files, changed := map[string]string{}, map[string]string{}
		for i := range documents {
			id := fmt.Sprintf("ISS-%06d", i+1)
			files[".wrangler/issues/"+id+"-a.md"] = paper(id, "open", "a\n")
			changed[".wrangler/issues/archived/"+id+"-b.md"] = paper(id, "closed", "b\n")
		}
		r.commits = []testCommit{{files: files, author: "Ann", message: "begin"}, {parents: []int{0}, files: changed, author: "Ann", message: "Closes ISS-1"}}
		r.make()
		t.Run(fmt.Sprint(documents), func(t *testing.T) {
			count := countGit(t)
			since, err := Since(t.Context(), r.ws, "HEAD~1")
			if err != nil || len(since.Differences) != documents {
				t.Fatalf("%+v, %v", since, err)
			}
			ofSince := count()
			if _, err := ReadMessages(t.Context(), r.ws, true); err != nil {
				t.Fatal(err)
			}
			started[documents] = [2]int{ofSince, count() - ofSince}
		})
	}
	if n := started[3]; n[0] > 6 || n[1] > 9 || started[60] != n {
		t.Errorf("git was started so often, by the number of documents: %v", started)
	}
}

func BenchmarkHistory(b *testing.B) {
	r := newRepository(b)
	at := longHistory(r, 1000)
	for name, q := range map[string]HistoryQuery{"all": {}, "one field": {Field: "status"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r.history(at, q)
			}
		})
	}
}
