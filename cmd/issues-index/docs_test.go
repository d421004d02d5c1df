//go:build !windows

package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools/config"
	"issues-index/tools/toolstest"
)

// A docRow says what a command of the documentation does in a workspace of 200 documents, as the
// sentence beside it promises.
type docRow struct {
	setup string    // shell commands before it
	with  [2]string // what stands in the place of a word of it
	stdin string
	out   string // what its output matches, with (?s)
	not   string // what its output does not match
	code  int
	then  string // a shell command afterwards
	shows string // what the output of that matches
	page  string // it serves HTTP until it is told to end; this page is there meanwhile
	// elsewhere says why it is not run, and names the test that does what it says.
	elsewhere string
}

// Each command of the README and of the pages of docs does in a workspace of 200 documents what
// its sentence says. Each has a row, and each row a command.
func TestDocsCommandsDoWhatTheySay(t *testing.T) {
	world := newDocWorld(t)
	seen := map[string]bool{}
	for _, command := range documentedCommands(t) {
		if seen[command] {
			continue
		}
		seen[command] = true
		row, ok := docRows[command]
		if !ok {
			t.Errorf("no row says what must hold of: %s", command)
			continue
		}
		t.Run(command, func(t *testing.T) {
			if row.elsewhere != "" {
				checkTestsExist(t, row.elsewhere)
				return
			}
			if tried() {
				t.Parallel()
				world.run(t, command, row)
			}
		})
	}
	for command := range docRows {
		if !seen[command] {
			t.Errorf("no document has the command of this row: %s", command)
		}
	}
}

var (
	// inlineCommand is a command within a line of text.
	inlineCommand = regexp.MustCompile("`(issues-index [^`]+)`")
	// explanation is what stands behind a command, and comment what a shell leaves out.
	explanation = regexp.MustCompile(`\s{2,}\S.*$`)
	comment     = regexp.MustCompile(`\s+#\s.*$`)
)

// documentedCommands are all commands of the documentation, without what explains them.
func documentedCommands(t *testing.T) (list []string) {
	t.Helper()
	for _, text := range documentation(t) {
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(regexp.MustCompile(`\\\n\s*`).ReplaceAllString(block[2], "")) {
				line = strings.TrimSpace(line)
				switch {
				case line == "", strings.HasPrefix(line, "#"):
				case block[1] == "sh":
					list = append(list, comment.ReplaceAllString(line, ""))
				case block[1] == "text" && strings.HasPrefix(line, "issues-index "):
					list = append(list, explanation.ReplaceAllString(line, ""))
				}
			}
		}
		prose := strings.ReplaceAll(fence.ReplaceAllString(text, "\n"), "\n", " ")
		for _, found := range inlineCommand.FindAllStringSubmatch(prose, -1) {
			list = append(list, found[1])
		}
	}
	return list
}

// tried reports whether a command of the documents is run: one in four, others each time, since
// each starts the program a few times. With -long all are.
func tried() bool { return storetest.Long() || rand.IntN(4) == 0 }

// Each example that is no command is understood by what it is written for: a file of
// configuration, of views, a document, a call, criteria.
func TestDocsExamplesAreUnderstood(t *testing.T) {
	t.Parallel()
	world := newDocWorld(t)
	seen := map[string]bool{}
	for _, text := range documentation(t) {
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			first, _, _ := strings.Cut(block[2], "\n")
			if block[1] == "sh" || strings.HasPrefix(first, "issues-index ") {
				continue
			}
			key := block[1] + " " + first
			try, ok := docExamples[key]
			if seen[key] = true; !ok {
				t.Errorf("nothing tries the example %s", key)
				continue
			}
			if tried() {
				t.Run(key, func(t *testing.T) { try(t, world, block[2]) })
			}
		}
	}
	for key := range docExamples {
		if !seen[key] {
			t.Errorf("no document has the example %s", key)
		}
	}
}

// checkTestsExist fails unless a text names a test, and each that it names is one.
func checkTestsExist(t *testing.T, text string) {
	t.Helper()
	names := regexp.MustCompile(`Test[A-Z]\w+`).FindAllString(text, -1)
	if len(names) == 0 {
		t.Errorf("it is not run, and no test is named: %s", text)
	}
	for _, name := range names {
		if !allTests()[name] {
			t.Errorf("no test is called %s", name)
		}
	}
}

// A docWorld is a workspace of 200 documents, to be copied.
type docWorld struct{ root string }

// newDocWorld makes a repository with 200 documents: 180 issues, of which a fifth is closed, 15
// specifications and 5 ideas. Its branch work differs from main in one document.
func newDocWorld(t *testing.T) docWorld {
	t.Helper()
	w := docWorld{filepath.Join(t.TempDir(), "project")}
	write := func(name, text string) { toolstest.Write(t, w.root, name, text) }
	for n := 1; n <= 180; n++ {
		status, folder := "open", ""
		switch {
		case n%5 == 0:
			status, folder = "closed", "archived/"
		case n%7 == 0:
			status = "in_progress"
		}
		areas := []string{"api", "parser", "search", "bug"}
		levels := []string{"low", "medium", "high", "critical"}
		more := fmt.Sprintf("estimate: %d\n", n%8)
		if n%10 == 1 && n > 11 {
			more += fmt.Sprintf("dependsOn: [ISS-%06d]\n", n-9)
		}
		if n == 41 {
			more = "estimate: 5\ndependsOn: [ISS-000012]\nparent: SPEC-000007\n"
		}
		text := "Files with dates, read by git hooks.\n\n## Tasks\n\n- [ ] Parse\n- [x] Test\n- [ ] Cache the words in a row\n" +
			"\n## Acceptance Criteria\n\n1. Works\n\n- [ ] Fast\n- [ ] It is written down\n- [ ] Tests cover\n\n## Notes\n"
		write(fmt.Sprintf(".wrangler/issues/%sISS-%06d-part-%d.md", folder, n, n), fmt.Sprintf(
			"---\nid: ISS-%06[1]d\ntitle: Work on part %[1]d\ntype: issue\nstatus: %s\npriority: %s\nlabels: [%s]\n"+
				"createdAt: '2026-01-%02d'\nupdatedAt: '2026-02-%02d'\n%s---\n%s",
			n, status, levels[n%4], areas[n%4], 1+n%28, 1+n%28, more, text))
	}
	numbers := []int{7}
	for n := 201; n < 220; n++ {
		numbers = append(numbers, n)
	}
	for _, n := range numbers { // one has the number of an issue
		name := fmt.Sprintf(".wrangler/specifications/SPEC-%06d-plan.md", n)
		text := fmt.Sprintf("---\nid: SPEC-%06d\ntitle: Plan %[1]d\ntype: specification\nstatus: open\n---\n"+
			"See ISS-000012.\n", n)
		if n > 214 {
			name, text = strings.ReplaceAll(strings.ReplaceAll(name, "specifications", "ideas"), "SPEC", "IDEA"),
				strings.ReplaceAll(strings.ReplaceAll(text, "specification", "idea"), "SPEC", "IDEA")
		}
		write(name, text)
	}
	write(".wrangler/views.yaml", documentedBlock(t, "big:\n"))
	write("notes.md", "From a file.\n")
	home := filepath.Dir(w.root)
	write("../gitconfig", "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n")
	write("../config.yaml", "workspaces:\n  web: "+w.root+"\n")
	if out, err := w.shell(home, w.root, `set -e
		git init -q; git add -A; git commit -qm First; git tag v1.2; git update-ref refs/remotes/origin/main HEAD
		issues-index set 41 status=in_progress; git commit -qam 'Begin ISS-000041'
		git switch -qc work; issues-index set 42 labels+=later; git commit -qam 'Sort ISS-000042'
		issues-index list -a
		mkdir ../original; cp -a . ../original/project`).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return w
}

// original is the folder that copies are made of. No command runs in it, so its
// index stands still.
func (w docWorld) original() string {
	return filepath.Join(filepath.Dir(w.root), "original", "project")
}

// shell prepares shell commands of a user with this home.
func (w docWorld) shell(home, dir, commands string) *exec.Cmd {
	c := exec.Command("sh", "-c", commands)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+home, "PWD="+dir, "EDITOR=true", "VISUAL=true", "BROWSER=true", "CODEX_HOME=",
		config.UserFileVariable+"="+filepath.Join(home, "config.yaml"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(filepath.Dir(w.root), "gitconfig"),
		"XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
	return c
}

// copied copies the workspace into a home of its own.
func (w docWorld) copied(t *testing.T) (home, dir string) {
	home = t.TempDir()
	dir = filepath.Join(home, "project")
	own := filepath.Join(filepath.Dir(w.root), "config.yaml")
	if out, err := exec.Command("cp", "-a", w.original(), own, home).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return home, dir
}

// run runs a command: one that changes nothing in the workspace itself, others in a copy.
func (w docWorld) run(t *testing.T, command string, row docRow) {
	home, dir := filepath.Dir(w.root), w.root
	if row.setup != "" || row.then != "" {
		home, dir = w.copied(t)
	}
	if row.setup != "" {
		if out, err := w.shell(home, dir, row.setup).CombinedOutput(); err != nil {
			t.Fatalf("setup: %v: %s", err, out)
		}
	}
	var out string
	if row.page != "" {
		out = w.serve(t, home, dir, command, row.page)
	} else {
		c := w.shell(home, dir, strings.Replace(command, row.with[0], row.with[1], 1))
		c.Stdin = strings.NewReader(row.stdin)
		data, err := c.CombinedOutput()
		out = string(data)
		if code := c.ProcessState.ExitCode(); code != row.code {
			t.Errorf("%v, want exit code %d:\n%s", err, row.code, out)
		}
	}
	if !regexp.MustCompile("(?s)" + row.out).MatchString(out) {
		t.Errorf("does not show %s:\n%s", row.out, out)
	}
	if row.not != "" && regexp.MustCompile("(?s)"+row.not).MatchString(out) {
		t.Errorf("shows %s:\n%s", row.not, out)
	}
	if row.then == "" {
		return
	}
	data, err := w.shell(home, dir, row.then).CombinedOutput()
	if err != nil || !regexp.MustCompile("(?s)"+row.shows).Match(data) {
		t.Errorf("afterwards %s: %v, does not show %s:\n%s", row.then, err, row.shows, data)
	}
}

// anyPort has servers listen at a port that is free.
var anyPort = strings.NewReplacer(" :8080", " 127.0.0.1:0",
	"issues-index web ", "exec issues-index web --addr 127.0.0.1:0 ",
	"issues-index serve", "exec issues-index serve")

// serve runs a server, and returns its page and what it said before.
func (w docWorld) serve(t *testing.T, home, dir, command, page string) (said string) {
	c := w.shell(home, dir, anyPort.Replace(command+" "))
	in, err := c.StdinPipe() // open, as a client has it
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = write, write
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		said += lines.Text() + "\n"
		if at := address.FindString(lines.Text()); at != "" {
			answer, err := http.Get(at + strings.TrimPrefix(page, "/"))
			if err != nil {
				t.Error(err)
				break
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			said += fmt.Sprintf("%d %v\n%s", answer.StatusCode, err, body)
			break
		}
	}
	_ = in.Close()
	_ = c.Process.Signal(syscall.SIGTERM)
	for lines.Scan() {
		said += lines.Text() + "\n"
	}
	if err := c.Wait(); err != nil {
		t.Errorf("it ends with %v:\n%s", err, said)
	}
	return said
}

// documentedBlock is the block of text of the documentation that begins so.
func documentedBlock(t *testing.T, begins string) string {
	t.Helper()
	for _, block := range fences(t, "text") {
		if strings.HasPrefix(block, begins) {
			return block
		}
	}
	t.Fatalf("no block begins with %q", begins)
	return ""
}

// allTests are the names of the tests of the whole tree.
var allTests = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	_ = filepath.WalkDir(repositoryRoot, func(p string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, "_test.go") {
			text, _ := os.ReadFile(p)
			for _, found := range testFunction.FindAllStringSubmatch(string(text), -1) {
				names[found[1]] = true
			}
		}
		return err
	})
	return names
})

// testFunction is a test, or what tests by chance.
var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// codeWithBlanks is code within a line of text that may be a command without the program's name.
var codeWithBlanks = regexp.MustCompile("`([a-z-]+ [^`\n]+)`")

// incomplete is the error of a command or a flag that is named without what it takes.
var incomplete = regexp.MustCompile("flag needs an argument|not 0 arguments")

// Commands that the text has without the name of the program are understood, too.
func TestDocsShortCommandsAreUnderstood(t *testing.T) {
	names := commands(t)
	found := 0
	for page, text := range documentation(t) {
		for _, code := range codeWithBlanks.FindAllStringSubmatch(fence.ReplaceAllString(text, "\n"), -1) {
			words, err := shellWords(code[1])
			if err != nil || names[words[0]] == nil || strings.Contains(code[1], "...") || strings.Contains(code[1], "'s ") {
				continue // a form, or prose
			}
			found++
			err = parses(words)
			if err != nil && !incomplete.MatchString(err.Error()) {
				t.Errorf("%s: %s: %v", page, code[1], err)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d commands were found", found)
	}
}
