package merge

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// gitMerge is what git makes of three texts, and the number of conflicts.
func gitMerge(t rapid.TB, dir, base, ours, theirs string) (merged string, conflicts int) {
	t.Helper()
	for name, text := range map[string]string{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	merge := exec.Command("git", "merge-file", "-p", "--diff3", "-L", "ours", "-L", "base", "-L", "theirs", "ours", "base", "theirs")
	merge.Dir = dir
	out, err := merge.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 127) {
		t.Fatalf("git merge-file: %v", err)
	}
	return string(out), merge.ProcessState.ExitCode()
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: the line merge is not compared with its own")
	}
}

// editedLines draws a text that was edited from lines: some are replaced, removed or added.
func editedLines(t *rapid.T, side string, lines []string, fresh func(n int) string) string {
	var out strings.Builder
	for i := 0; i <= len(lines); i++ {
		if rapid.IntRange(0, 9).Draw(t, side+" adds") == 0 {
			out.WriteString(fresh(i) + "\n")
		}
		if i == len(lines) {
			break
		}
		switch rapid.IntRange(0, 9).Draw(t, side+" changes") {
		case 0:
		case 1:
			out.WriteString(fresh(i) + " changed\n")
		default:
			out.WriteString(lines[i] + "\n")
		}
	}
	return out.String()
}

func TestLinesAreMergedAsGitMergesThem(t *testing.T) {
	needGit(t)
	dir := t.TempDir()
	clean := 0
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for i := range rapid.IntRange(0, 30).Draw(t, "lines") {
			lines = append(lines, fmt.Sprintf("line %d", i))
		}
		// Both sides sometimes make the same change.
		fresh := func(side string) func(n int) string {
			return func(n int) string {
				return fmt.Sprintf("%s %d", rapid.SampledFrom([]string{side, side, "both"}).Draw(t, "new"), n)
			}
		}
		base := strings.Join(lines, "\n")
		if base != "" && rapid.Bool().Draw(t, "final newline") {
			base += "\n"
		}
		ours, theirs := editedLines(t, "ours", lines, fresh("ours")), editedLines(t, "theirs", lines, fresh("theirs"))
		want, conflicts := gitMerge(t, dir, base, ours, theirs)
		got := render(byLines(base, ours, theirs), nil, Labels{}.complete(), "\n")
		if string(got.Data) != want || got.Conflicts != conflicts {
			t.Fatalf("base:\n%s\nours:\n%s\ntheirs:\n%s\nmerged, %d conflicts:\n%s\ngit, %d conflicts:\n%s", base, ours, theirs, got.Conflicts, got.Data, conflicts, want)
		}
		if conflicts == 0 {
			clean++
		}
	})
	if clean == 0 { // of 100, of which 15 are on the average
		t.Error("no merge was clean: the test shows half of what it says")
	}
}

// Texts in which lines occur many times can be compared in more than one way. Then git's
// way and ours may differ in what touches, seldom, but never in what a clean merge is.
func TestRepeatedLinesAreMergedAsGitMergesThem(t *testing.T) {
	needGit(t)
	dir := t.TempDir()
	rounds := 60
	if *long {
		rounds = 1500
	}
	clean, differ := 0, 0
	for seed := range int64(rounds) {
		r := rand.New(rand.NewSource(seed))
		line := func() string { return string("abcdef  "[r.Intn(8)]) + "\n" }
		var lines []string
		for range 5 + r.Intn(25) {
			lines = append(lines, line())
		}
		side := func() string {
			var out strings.Builder
			for _, l := range append(slices.Clone(lines), "") {
				if r.Intn(15) == 0 {
					out.WriteString(line())
				}
				switch r.Intn(15) {
				case 0:
				case 1:
					out.WriteString(line())
				default:
					out.WriteString(l)
				}
			}
			return out.String()
		}
		base, ours, theirs := strings.Join(lines, ""), side(), side()
		want, conflicts := gitMerge(t, dir, base, ours, theirs)
		got := render(byLines(base, ours, theirs), nil, Labels{}.complete(), "\n")
		switch {
		case (conflicts == 0) != (got.Conflicts == 0):
			differ++
		case conflicts == 0:
			clean++
			if string(got.Data) != want {
				t.Errorf("base:\n%s\nours:\n%s\ntheirs:\n%s\nmerged:\n%s\ngit:\n%s", base, ours, theirs, got.Data, want)
			}
		}
	}
	if clean < rounds/4 || differ > rounds/20 {
		t.Errorf("of %d merges, %d were clean in both ways, and %d in one", rounds, clean, differ)
	}
}
