package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A way runs an installed program with these arguments in a folder.
type way func(dir string, arguments ...string) *exec.Cmd

// started is the way to start a program of this machine.
func started(program string, before ...string) way {
	return func(dir string, arguments ...string) *exec.Cmd {
		c := exec.Command(program, append(before, arguments...)...)
		c.Dir = dir
		return c
	}
}

// takeTour runs the commands of the README's tour in a new git repository, and looks at what they
// did.
func takeTour(t *testing.T, version string, program way) {
	t.Helper()
	takeTourIn(t, version, t.TempDir(), program)
}

func takeTourIn(t *testing.T, version, dir string, program way) {
	t.Helper()
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func(arguments ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		c := program(dir, arguments...)
		context.AfterFunc(ctx, func() {
			if c.Process != nil {
				c.Process.Kill()
			}
		})
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("issues-index %s: %v: %s", strings.Join(arguments, " "), err, out)
		}
		return string(out)
	}
	if out := run("--version"); !strings.HasPrefix(out, "issues-index "+version+" (") {
		t.Errorf("its version is %s", out)
	}
	lines := tourLines(t)
	for _, line := range lines {
		run(line...)
	}
	list := run("list", "--all", "--json", "--jq", ".documents[] | [.id, .status, .title] | join(\" \")")
	for _, want := range []string{
		"ISS-000001 in_progress Parse dates without a year", "ISS-000002 closed Write the release notes",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("after the tour it lists %s", list)
		}
	}
	t.Logf("the tour's %d commands ran", len(lines))
}

// tourLines are the commands of the README's tour, in words, without the program's name.
func tourLines(t *testing.T) (lines [][]string) {
	t.Helper()
	_, after, found := strings.Cut(string(content(t, "README.md")), "## A tour in 60 seconds")
	_, after, begun := strings.Cut(after, "```sh\n")
	block, _, ended := strings.Cut(after, "```")
	if !found || !begun || !ended {
		t.Fatal("the README has no tour")
	}
	for line := range strings.Lines(block) {
		var words []string
		for _, word := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
			words = append(words, strings.Trim(word, "'"))
		}
		if words[0] != name {
			t.Fatalf("the tour has another program: %s", line)
		}
		if last := len(words) - 1; words[last] == "" && words[last-1] != "--body" {
			t.Fatalf("read %s", line)
		}
		lines = append(lines, words[1:])
	}
	return lines
}

// needs skips a test where a program is missing, or where it has to run as root.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if program == "root" {
			if os.Getuid() != 0 {
				t.Skip("SKIPPED: it has to run as root")
			}
		} else if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: there is no %s", program)
		}
	}
}

func runs(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	return runsIn(t, "", nil, program, arguments...)
}

func runsIn(t *testing.T, dir string, env []string, program string, arguments ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, arguments...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(arguments, " "), err, out)
	}
	return string(out)
}
