//go:build !windows

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gitrepo "issues-index/store/git"
	"issues-index/store/storetest"
)

const (
	flowID   = "ISS-000001"
	flowFile = ".wrangler/issues/" + flowID + ".md"
)

// changeNamed finds a change of the matrix.
func changeNamed(t *testing.T, name string) sideChange {
	t.Helper()
	for _, change := range sideChanges {
		if change.name == name {
			return change
		}
	}
	t.Fatalf("there is no change %q", name)
	return sideChange{}
}

// diverged is a clone on a branch ours, which beside theirs has changed one document; git
// alone cannot merge it.
func diverged(t *testing.T) (c *clone, ours, theirs side) {
	t.Helper()
	c = newClone(t)
	ours = side{changeNamed(t, "priority: high"), changeNamed(t, "label c"), changeNamed(t, "an addition")}
	theirs = side{changeNamed(t, inProgress), changeNamed(t, "label d"), changeNamed(t, "another addition")}
	pair := []matrixPair{{flowID, ours, theirs}}
	c.write(flowFile, fmt.Sprintf(mergedDocument, flowID))
	c.commit("base")
	c.apply(pair, "theirs", "2026-01-02", func(matrixPair) side { return theirs })
	c.apply(pair, "ours", "2026-01-03", func(matrixPair) side { return ours })
	return c, ours, theirs
}

// wantBoth holds that the document has the changes of both sides, and no conflict.
func wantBoth(t *testing.T, c *clone, ours, theirs side) {
	t.Helper()
	text := c.read(flowFile)
	if lost := append(ours.lacking(text), theirs.lacking(text)...); lost != nil || strings.Contains(text, "<<<<<<<") || !strings.Contains(text, "updatedAt: '2026-01-03") {
		t.Errorf("lost is %s:\n%s", lost, text)
	}
}

// Whatever way git merges, both sides stay.
func TestMergesOfEveryKind(t *testing.T) {
	for name, run := range storetest.Few(map[string]func(c *clone){
		"merge":       func(c *clone) { c.git("merge", "theirs") },
		"rebase":      func(c *clone) { c.git("rebase", "theirs") },
		"cherry-pick": func(c *clone) { c.git("cherry-pick", "theirs") },
		"revert": func(c *clone) {
			c.git("revert", "--no-edit", "HEAD")
			c.git("merge", "theirs")
			c.git("revert", "--no-edit", "HEAD~1")
		},
		"stash": func(c *clone) {
			text := c.read(flowFile)
			c.git("reset", "-q", "--hard", "main")
			c.write(flowFile, text)
			c.git("stash")
			c.git("merge", "--ff-only", "theirs")
			c.git("stash", "pop")
		},
		"checkout --merge": func(c *clone) {
			text := c.read(flowFile)
			c.git("reset", "-q", "--hard", "main")
			c.write(flowFile, text)
			c.git("checkout", "-q", "--merge", "theirs")
		},
		"from a folder in the repository": func(c *clone) {
			inside := &clone{c.t, filepath.Join(c.root, ".wrangler", "issues")}
			inside.git("merge", "theirs")
		},
		"in a linked worktree": func(c *clone) {
			linked := &clone{c.t, filepath.Join(c.t.TempDir(), "linked")}
			c.git("worktree", "add", "-q", "--detach", linked.root, "ours")
			linked.git("merge", "theirs")
			c.root = linked.root
		},
	}, 4) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ours, theirs := diverged(t)
			run(c)
			wantBoth(t, c, ours, theirs)
		})
	}
}

// Git merges more than two branches without drivers, and refuses where that conflicts.
func TestOctopusRefuses(t *testing.T) {
	c, ours, _ := diverged(t)
	c.git("branch", "third", "main")
	c.git("checkout", "-q", "third")
	c.write("third.md", "third\n")
	c.commit("third")
	c.git("checkout", "-q", "ours")
	before := c.read(flowFile)
	if said, ok := c.try("merge", "theirs", "third"); ok {
		t.Fatalf("it worked: %s", said)
	}
	c.git("reset", "-q", "--hard")
	if got := c.read(flowFile); got != before || ours.lacking(got) != nil {
		t.Errorf("the document has become\n%s", got)
	}
}

// Two branches that were merged into each other crosswise have two bases, which git merges by
// the driver first.
func TestCrossedMerges(t *testing.T) {
	c, ours, theirs := diverged(t)
	c.git("branch", "ours-before")
	c.git("merge", "theirs")
	c.git("checkout", "-q", "theirs")
	c.git("merge", "ours-before")
	first, second := changeNamed(t, "First words of"), changeNamed(t, "- [x] two")
	c.write(flowFile, side{first}.of(c.read(flowFile), flowID, "2026-01-02"))
	c.commit("further theirs")
	c.git("checkout", "-q", "ours")
	c.write(flowFile, side{second}.of(c.read(flowFile), flowID, "2026-01-02"))
	c.commit("further ours")
	c.git("merge", "theirs")
	wantBoth(t, c, append(ours, first), append(theirs, second))
}

// A clone on which the program is missing, or fails, loses nothing: git merges by itself.
func TestMergeWithoutTheProgram(t *testing.T) {
	for name, program := range storetest.Few(map[string]string{
		"it is missing":           "issues-index-that-is-not-there",
		"it is an older one":      "issues-index no-such-command",
		"it is killed":            "sh -c 'kill -9 $$'",
		"it is misused":           "issues-index merge-driver one two three 4 5 %O %A %B",
		"its files are not there": "issues-index merge-driver nowhere/O nowhere/A nowhere/B",
	}, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ours, theirs := diverged(t)
			for _, v := range gitrepo.DriverSettings() {
				if strings.HasSuffix(v.Key, ".driver") {
					_, rest, _ := strings.Cut(v.Value, "||")
					c.git("config", v.Key, program+" ||"+rest)
				}
			}
			if said, ok := c.try("merge", "theirs"); ok {
				t.Fatalf("git alone merges it: %s", said)
			}
			text := c.read(flowFile)
			lost := append(ours.lacking(conflictMarkers.ReplaceAllString(text, "$1")), theirs.lacking(conflictMarkers.ReplaceAllString(text, "$3"))...)
			if lost != nil || !conflictMarkers.MatchString(text) {
				t.Errorf("lost is %s:\n%s", lost, text)
			}
		})
	}
}

// The words of a status are those of the workspace that the document is in.
func TestMergeKnowsTheWorkspace(t *testing.T) {
	const layout = "statuses:\n  - {name: open, category: open}\n  - {name: in_progress, category: active}\n  - {name: shipped, category: done}\n"
	for _, folder := range []string{"", "projects/web/"} {
		t.Run("in "+folder, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			file := folder + flowFile
			c.write(folder+".wrangler/config/issues-index.yaml", layout)
			c.write(".gitattributes", gitrepo.DriverAttribute(folder+".wrangler/issues")+"\n")
			document := fmt.Sprintf(mergedDocument, flowID)
			c.write(file, document)
			c.commit("base")
			c.git("checkout", "-q", "-b", "theirs")
			c.write(file, strings.Replace(document, "status: open", "status: shipped", 1))
			c.commit("theirs")
			c.git("checkout", "-q", "-b", "ours", "main")
			c.write(file, strings.Replace(document, "status: open", "status: in_progress", 1))
			c.commit("ours")
			said := c.git("merge", "theirs")
			if got := c.read(file); !strings.Contains(got, "\nstatus: shipped\n") || !strings.Contains(said, "it stays shipped") {
				t.Errorf("git says %s:\n%s", said, got)
			}

			c.git("reset", "-q", "--hard", "ORIG_HEAD")
			c.write(folder+".wrangler/config/issues-index.yaml", "statuses: nonsense\n")
			said, ok := c.try("merge", "theirs")
			if got := c.read(file); ok || !strings.Contains(got, "<<<<<<<") || !strings.Contains(said, "line by line: the configuration of its workspace cannot be used") {
				t.Errorf("git says %s:\n%s", said, got)
			}
		})
	}
}

func TestMergeOfWhatBothAdded(t *testing.T) {
	c := newClone(t)
	c.commit("base")
	document := fmt.Sprintf(mergedDocument, flowID)
	c.git("checkout", "-q", "-b", "theirs")
	c.write(flowFile, side{changeNamed(t, "label d")}.of(document, flowID, "2026-01-02"))
	c.commit("theirs")
	c.git("checkout", "-q", "-b", "ours", "main")
	c.write(flowFile, side{changeNamed(t, "label c")}.of(document, flowID, "2026-01-03"))
	c.commit("ours")
	c.git("merge", "theirs")
	wantBoth(t, c, side{changeNamed(t, "label c")}, side{changeNamed(t, "label d")})
}

// A text over the size of a document is merged by git alone.
func TestMergeOfAnEnormousDocument(t *testing.T) {
	dir := t.TempDir()
	filler := strings.Repeat(strings.Repeat("x", 1023)+"\n", 17<<10)
	files := make([]string, 3)
	for i, text := range []string{"a\n" + filler + "b\n", "A\n" + filler + "b\n", "a\n" + filler + "B\n"} {
		files[i] = filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := runDriver(t, files...)
	text, err := os.ReadFile(files[1])
	if err != nil || got.code != 0 || string(text) != "A\n"+filler+"B\n" || !strings.Contains(got.errOut, "line by line: it is over 16777216 bytes long") {
		t.Errorf("exit code %d, %v, %s", got.code, err, got.errOut)
	}
}

// runDriver runs the command as git does.
func runDriver(t *testing.T, args ...string) printed {
	t.Helper()
	return runAnywhere(t, func(string) string { return "" }, append([]string{"merge-driver"}, args...)...)
}

// Whatever is wrong with the arguments, the exit code is not the one of conflicts.
func TestMergeDriverArguments(t *testing.T) {
	dir := t.TempDir()
	files := func() []string {
		var list []string
		for _, name := range []string{"base", "ours", "theirs"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte("---\ntitle: "+name+"\n---\n"), 0o640); err != nil {
				t.Fatal(err)
			}
			list = append(list, path)
		}
		return list
	}
	for name, args := range map[string][]string{
		"none": {}, "two": {"a", "b"}, "too many": {"a", "b", "c", "7", "p", "x"}, "a flag": {"--json"},
		"missing files": {"a", "b", "c"}, "folders": {dir, dir, dir}, "a missing one": append(files()[:2], filepath.Join(dir, "no")),
	} {
		t.Run(name, func(t *testing.T) {
			if got := runDriver(t, args...); got.code != exitUsage || got.errOut == "" {
				t.Errorf("exit code %d, %q", got.code, got.errOut)
			}
		})
	}
	for name, more := range map[string][]string{
		"a size that is no number": {"wide"}, "a negative one": {"-3"}, "a path that is not there": {"7", "no/such/ISS-1.md"},
		"a path like a flag": {"7", "--help"}, "a path outside": {"7", "../../../../ISS-1.md"},
	} {
		t.Run(name, func(t *testing.T) {
			list := files()
			got := runDriver(t, append(list, more...)...)
			text, err := os.ReadFile(list[1])
			if want := "---\n<<<<<<< ours\ntitle: ours\n||||||| base\ntitle: base\n=======\ntitle: theirs\n>>>>>>> theirs\n---\n"; err != nil || got.code != exitFailed || string(text) != want {
				t.Errorf("exit code %d, %v, %q", got.code, err, text)
			}
			info, err := os.Stat(list[1])
			if err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 3 {
				t.Errorf("there are %q", left)
			}
		})
	}
	t.Run("the size of markers", func(t *testing.T) {
		list := files()
		runDriver(t, append(list, "12")...)
		if text, err := os.ReadFile(list[1]); err != nil || !strings.Contains(string(text), "\n<<<<<<<<<<<< ours\n") {
			t.Errorf("%v, %s", err, text)
		}
	})
}
