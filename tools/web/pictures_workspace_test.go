//go:build !windows

package web

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// pictured serves the workspace of the pictures with a program, and returns its address.
func pictured(t *testing.T, program string) string {
	root := filepath.Join(t.TempDir(), "harbour")
	text, err := os.ReadFile("testdata/pictures.txt")
	check(t, err)
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSpace(line), "|"); len(f) == 9 {
			writePictured(t, root, f)
		}
	}
	write := func(name, text string) { check(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644)) }
	write(".wrangler/issues/ISS-000030-again.md",
		"---\nid: ISS-000030\ntitle: Translate the documentation\nstatus: open\npriority: low\n---\n")
	write(".wrangler/views.yaml", "release:\n  where: label = release\n")
	run := func(input string, name string, arguments ...string) {
		cmd := exec.CommandContext(t.Context(), name, arguments...)
		cmd.Dir, cmd.Env, cmd.Stdin = root, picturedEnv(root), strings.NewReader(input)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, arguments, err, out)
		}
	}
	run("", "git", "init", "-q")
	run("", "git", "add", ".")
	run("", "git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-qm", "Plan version 2")
	run("", program, "claim", "1", "--as", "claude-code/6vfmpf")
	run("", program, "claim", "21", "--as", "codex/k2xq7a")
	run(picturedCalls, "env", "ISSUES_INDEX_HOLDER=claude-code/6vfmpf", program, "serve", "--workspace", root)
	run("", program, "set", "11", "priority=critical")
	run("", program, "set", "11", "priority=high")
	cmd := exec.CommandContext(t.Context(), program, "web", "--addr", ":0", "--no-open", "--http-edit")
	cmd.Dir, cmd.Env = root, picturedEnv(root)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	check(t, err)
	return strings.TrimSpace(address)
}

func picturedEnv(root string) []string {
	return append(os.Environ(), "HOME="+filepath.Dir(root), "USER=ann", "TZ=UTC", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
}

// picturedCalls are what an agent asks, so that the record of calls has some.
const picturedCalls = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"claude-code","version":"2"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"issues_list","arguments":{}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"issues_get","arguments":{"id":"ISS-000001"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"issues_search","arguments":{"query":"manifest"}}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"issues_get","arguments":{"id":"ISS-000030"}}}
`

// picturedBoxes are the boxes of a document, as many as it has.
var picturedBoxes = []string{
	"The cases are named in a test", "`harbour deploy` does it", "The old way says what to do", "The docs say it",
	"Measured on ten hosts", "Two people have looked at it", "In the changelog",
}

// writePictured writes a document of the table.
func writePictured(t *testing.T, root string, f []string) {
	field := func(n int) string { return strings.TrimPrefix(strings.TrimSpace(f[n]), "-") }
	number, err := strconv.Atoi(f[0])
	check(t, err)
	hours, err := strconv.Atoi(f[8])
	check(t, err)
	changed := time.Now().Add(-time.Duration(hours) * time.Hour).UTC().Format(time.RFC3339)
	var waits []string
	for n := range strings.SplitSeq(field(6), ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
			waits = append(waits, fmt.Sprintf("ISS-%06d", n))
		}
	}
	var ticked, all int
	_, err = fmt.Sscanf(f[7], "%d/%d", &ticked, &all)
	check(t, err)
	var text strings.Builder
	fmt.Fprintf(&text, "---\nid: ISS-%06d\ntitle: %s\ntype: issue\nstatus: %s\npriority: %s\n", number, f[1], f[2], f[3])
	fmt.Fprintf(&text, "labels: [%s]\nassignee: %s\ndependsOn: [%s]\n", field(4), field(5), strings.Join(waits, ", "))
	fmt.Fprintf(&text, "createdAt: %s\nupdatedAt: %[1]s\n---\n## Why\n\n%s. ", changed, f[1])
	text.WriteString("Operators asked for it after the last release, and `harbour deploy` does not do it yet.\n\n")
	for n, box := range picturedBoxes[:all] {
		fmt.Fprintf(&text, "- [%s] %s\n", map[bool]string{true: "x", false: " "}[n < ticked], box)
	}
	folder := filepath.Join(root, ".wrangler", "issues")
	if f[2] == "closed" || f[2] == "cancelled" {
		folder = filepath.Join(folder, "archived")
	}
	name := filepath.Join(folder, fmt.Sprintf("ISS-%06d-x.md", number))
	check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	check(t, os.WriteFile(name, []byte(text.String()), 0o644))
}
