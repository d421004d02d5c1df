package git

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostile has what names of files, authors and messages may be made of.
const hostile = "a\nb\x01\x1b[31m:100644 é\t\"\\"

// repositoryOf makes a repository with a configuration of its own, and opens it.
func repositoryOf(t testing.TB, config string, commit func(git func(args ...string) string, dir string)) *Repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "maintenance.auto=false", "-c", "user.name=A" + strings.ReplaceAll(hostile, "\n", "") + "B", "-c", "user.email=a@example.org"}, args...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "--quiet", "--initial-branch=main")
	commit(git, dir)
	if config != "" {
		at := filepath.Join(dir, ".git", "config")
		old, _ := os.ReadFile(at)
		if err := os.WriteFile(at, append(old, config...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := OpenRepository(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (r *Repository) logOf(t testing.TB, dirs ...string) (commits []Commit) {
	t.Helper()
	err := r.Log(t.Context(), dirs, func(c Commit) error {
		commits = append(commits, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return commits
}

func TestLogOfHostileNames(t *testing.T) {
	names := []string{"-O", "--output=x", "a\nb", "é", ":(top)x", "*[", "\x01" + strings.Repeat("0", 40), ":100644 100644 a b M"}
	r := repositoryOf(t, "", func(git func(args ...string) string, dir string) {
		for _, name := range names {
			write(t, dir, name, name)
		}
		git("add", "--all")
		git("commit", "--quiet", "-m", "\x01subject "+hostile+"\n\n"+hostile)
		write(t, dir, "-O", "changed")
		git("commit", "--quiet", "-a", "-m", "second")
	})
	for _, name := range names {
		commits := r.logOf(t, name)
		last := commits[len(commits)-1]
		if len(last.Changes) != 1 || last.Changes[0].Path != name || last.Changes[0].Old != "" || !strings.HasPrefix(last.Subject, "\x01subject") || !strings.Contains(last.Author, "\x1b[31m") {
			t.Errorf("%q: %+v", name, last)
		}
		objects, err := OpenObjects(t.Context(), r.dir)
		if err != nil {
			t.Fatal(err)
		}
		data, err := objects.Read(last.Changes[0].New, 1000)
		if string(data) != name || err != nil {
			t.Errorf("%q: %q, %v", name, data, err)
		}
		if _, err := objects.Read(last.Changes[0].New, 1); !errors.Is(err, ErrTooLarge) {
			t.Errorf("too large: %v", err)
		}
		if _, err := objects.Read(strings.Repeat("1", 40), 1000); err == nil {
			t.Error("an object that is not there was read")
		}
		if data, err := objects.Read(last.Changes[0].New, 1000); string(data) != name || err != nil {
			t.Errorf("after errors: %q, %v", data, err)
		}
		if hash, err := objects.Find(r.Head, name); strings.Contains(name, "\n") != (hash == "") || err != nil {
			t.Errorf("%q in the commit: %q, %v", name, hash, err)
		}
		if hash, err := objects.Find(r.Head, name+" missing"); hash != "" || err != nil {
			t.Errorf("a file that is not there: %q, %v", hash, err)
		}
		objects.Close()
	}
	tree, err := r.Tree(t.Context(), r.Head, []string{"."})
	if err != nil || len(tree) != len(names) {
		t.Errorf("%q, %v", tree, err)
	}
	for _, revision := range []string{"--output=x", "-O", "nothing", "HEAD\n", "HEAD:é", ""} {
		if _, err := r.Resolve(t.Context(), revision); err == nil {
			t.Errorf("%q was resolved", revision)
		}
	}
	var messages []string
	err = r.Messages(t.Context(), []string{r.Head}, 10, func(c Commit) { messages = append(messages, strings.TrimSpace(c.Subject)) })
	if err != nil || len(messages) != 2 || !strings.HasSuffix(messages[1], strings.TrimSpace(hostile)) {
		t.Errorf("%q, %v", messages, err)
	}
}

// Whatever a repository's own configuration says, the history is the same, and git runs no
// program and reads no file that is named there.
func TestTheConfigurationOfARepositoryChangesNoHistory(t *testing.T) {
	trap := filepath.Join(t.TempDir(), "trap")
	program := filepath.Join(t.TempDir(), "program")
	write(t, filepath.Dir(program), "program", "#!/bin/sh\necho ran >> '"+trap+"'\n")
	if err := os.Chmod(program, 0o777); err != nil {
		t.Fatal(err)
	}
	config := strings.ReplaceAll(`
[log]
	showSignature = true
	showRoot = false
	follow = true
	diffMerges = first-parent
	mailmap = true
	decorate = full
[gpg]
	program = PROGRAM
[gpg "ssh"]
	program = PROGRAM
[diff]
	external = PROGRAM
	renames = copies
	noprefix = true
	relative = true
	orderFile = PROGRAM
	ignoreSubmodules = all
[diff "markdown"]
	textconv = PROGRAM
	command = PROGRAM
[core]
	pager = PROGRAM
	fsmonitor = PROGRAM
	quotePath = false
	abbrev = 4
	alternateRefsCommand = PROGRAM
[format]
	pretty = oneline
	notes = *
[alias]
	log = !PROGRAM
	cat-file = !PROGRAM
[i18n]
	logOutputEncoding = UTF-16
[filter "trap"]
	smudge = PROGRAM
	clean = PROGRAM
`, "PROGRAM", program)
	r := repositoryOf(t, config, func(git func(args ...string) string, dir string) {
		write(t, dir, ".gitattributes", "*.md diff=markdown filter=trap\n")
		write(t, dir, "a.md", "é")
		git("add", "--all")
		git("commit", "--quiet", "-m", "first")
		git("mv", "a.md", "b.md")
		git("commit", "--quiet", "-m", "second é")
		git("checkout", "--quiet", "-b", "side", "HEAD~1")
		write(t, dir, "c.md", "c")
		git("add", "--all")
		git("commit", "--quiet", "-m", "side")
		git("checkout", "--quiet", "main")
		git("merge", "--quiet", "--no-edit", "side")
	})
	var got []string
	for _, c := range r.logOf(t) {
		for _, change := range c.Changes {
			got = append(got, c.Subject+" "+change.Path)
		}
	}
	slices.Sort(got)
	want := []string{"Merge branch 'side' c.md", "first a.md", "second é a.md", "second é b.md", "side c.md"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if _, err := r.Tree(t.Context(), r.Head, []string{"."}); err != nil {
		t.Error(err)
	}
	write(t, r.dir, "b.md", "é\nmore\n")
	if writers, err := r.Blame(t.Context(), "b.md"); err != nil || len(writers) != 2 || writers[1] != "" {
		t.Errorf("the lines were written by %q, %v", writers, err)
	}
	if err := r.Messages(t.Context(), []string{r.Head}, 10, func(Commit) {}); err != nil {
		t.Error(err)
	}
	if said, err := os.ReadFile(trap); err == nil {
		t.Errorf("a program of the repository ran: %s", said)
	}
}

func TestAnEndedContextEndsTheReading(t *testing.T) {
	r := repositoryOf(t, "", func(git func(args ...string) string, dir string) {
		write(t, dir, "a.md", "a")
		git("add", "--all")
		git("commit", "--quiet", "-m", "first")
	})
	ctx, cancel := context.WithCancel(t.Context())
	objects, err := OpenObjects(ctx, r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	cancel()
	if _, err := objects.Read(r.Head, 1000); err == nil {
		if _, err = objects.Read(r.Head, 1000); err == nil {
			t.Log("git was faster")
		}
	}
	if err := r.Log(ctx, nil, func(Commit) error { return nil }); err == nil {
		t.Error("a log was read")
	}
}

// A stranger's commit may have a subject of any length.
func TestALongSubjectIsCut(t *testing.T) {
	r := repositoryOf(t, "", func(git func(args ...string) string, dir string) {
		write(t, dir, "a.md", "a")
		write(t, dir, "message", strings.Repeat("x", 1<<20))
		git("add", "a.md")
		git("commit", "--quiet", "--file=message")
		write(t, dir, "a.md", "b")
		git("commit", "--quiet", "--all", "--message=second")
	})
	commits := r.logOf(t)
	if len(commits) != 2 || commits[0].Subject != "second" || len(commits[1].Changes) != 1 || len(commits[1].Subject) > 1<<17 {
		t.Errorf("%d commits, the subjects have %d bytes", len(commits), len(commits[len(commits)-1].Subject))
	}
}

func FuzzReadLog(f *testing.F) {
	hash := strings.Repeat("0a", 20)
	f.Add("\x01" + hash + "\x00" + hash + "\x001750000000\x00Ann\x00first\x00\n:100644 000000 " + hash + " " + strings.Repeat("0", 40) + " D\x00a.md\x00")
	f.Add("\x01" + hash + "\x00\x001750000000\x00Ann\x00first\x00\x01" + hash + "\x00\x001\x00\x00\x00")
	f.Add("\x01\x00\x00\x00\x00:")
	f.Fuzz(func(t *testing.T, text string) {
		err := eachCommit(bufio.NewReaderSize(strings.NewReader(text), 16), func(c Commit) error {
			if c.Hash == "" {
				t.Error("a commit without a name")
			}
			for _, change := range c.Changes {
				if change.Old == change.New {
					t.Error("a change that is none")
				}
			}
			return nil
		})
		if err == nil && text != "" && text[0] != 1 {
			t.Errorf("%q was read", text)
		}
	})
}
