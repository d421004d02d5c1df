//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"issues-index/store/storetest"
	"issues-index/tools/toolstest"
)

// A strangerRun is one run of the program: a command, or a server and calls of its tools.
type strangerRun struct {
	args    []string // one with a * stands for the files that it matches
	calls   []smallCall
	pages   []string // of the web, which listens at a loopback address
	changes bool     // documents, sessions or subscriptions
	git     bool     // git may be started
}

func (r strangerRun) String() string {
	text := "issues-index " + strings.Join(r.args, " ")
	if r.calls == nil {
		return text
	}
	var names []string
	for _, call := range r.calls {
		names = append(names, call.tool)
	}
	return text + ", calls of " + strings.Join(names, ", ")
}

const strangerSpec = ".wrangler/specifications/SPEC-000039-tool-search-deferred-loading.md"

// strangerInit has init write whatever it can in a repository.
var strangerInit = strangerRun{args: []string{"init", "--client", "claude", "--client", "vscode", "--git", "--yes"}, changes: true, git: true}

// strangerRuns are runs of every command and calls of every tool. Those that change
// nothing come first.
func strangerRuns(t *testing.T, sessionID string) []strangerRun {
	var all []strangerRun
	for _, line := range []string{
		"", "list", "ready", "blocked", "search hook", "deps SPEC-000039", "dep", "stats", "prime", "sessions", "sessions list", "sessions show " + sessionID,
		"health", "telemetry", "telemetry compare", "sql SELECT*FROM(documents)", "rebuild", "config", "config show", "config check", "token", "token list", "cluster", "cluster new c", "cluster add c u --hub", "cluster init", "cluster status", "cluster verify", "cluster rebuild", "publish --once", "hub", "version", "help list",
		"completion", "completion bash", "completion zsh", "completion fish", "completion powershell",
		cobra.ShellCompRequestCmd + " show ISS", cobra.ShellCompNoDescRequestCmd + " sessions show 2",
	} {
		all = append(all, strangerRun{args: strings.Fields(line)})
	}
	all = append(all,
		strangerRun{args: []string{"serve"}, calls: readingCalls(t, sessionID)},
		// What commits say of documents is read with git.
		strangerRun{args: []string{"show", "SPEC-000039"}, git: true},
		strangerRun{args: []string{"check"}, git: true},
		strangerRun{args: []string{"check", "--since", "HEAD"}, git: true},
		strangerRun{args: []string{"web", "--no-open"}, pages: []string{
			"", "list", "list?view=mine", "search?q=hook", "board", "graph", "d/SPEC-000039", "d/ISS-000041", "d?path=../outside", "agents", "problems", "sessions", "sessions/" + sessionID, "figures", "healthz",
		}},
		strangerRun{args: []string{"export"}},
		// Tokens are the user's own, and these two change none.
		strangerRun{args: []string{"token", "new", "A"}},
		strangerRun{args: []string{"token", "revoke", "nobody"}},
		strangerRun{args: []string{"history", "ISS-000041"}, git: true},
		strangerRun{args: []string{"diff"}, git: true},
		strangerRun{args: []string{"diff", "main..."}, git: true},
		strangerRun{args: []string{"serve"}, git: true, calls: []smallCall{{"issues_history", map[string]any{"id": "ISS-000041"}}}},
	)
	for _, line := range []string{
		"set ISS-000041 priority=low", "dep add ISS-000041 ISS-000040", "dep rm ISS-000041 ISS-000040", "edit ISS-000041", "append ISS-000041 More", "tick SPEC-000006 1", "untick SPEC-000006 1", "claim ISS-000041", "release ISS-000041", "done ISS-000040", "reopen ISS-000040", "delete ISS-000045 --yes", "undo", "export html",
	} {
		all = append(all, strangerRun{args: strings.Fields(line), changes: true})
	}
	all = append(all,
		strangerInit,
		strangerRun{args: []string{"check", "--fix", "--yes"}, changes: true, git: true},
		strangerRun{args: []string{"check", "--fix", "duplicate-id", "--references", "repo", "--yes"}, changes: true, git: true},
		// A new id is one that no branch has.
		strangerRun{args: []string{"new", "A-title"}, changes: true, git: true},
		strangerRun{args: []string{"serve"}, calls: changingCalls(sessionID), changes: true, git: true},
		// OURS is a file that git has written: a stranger decides the layout alone.
		strangerRun{args: []string{"merge-driver", strangerSpec, strangerSpec, strangerSpec, "7", strangerSpec}, changes: true, git: true},
		strangerRun{args: []string{"serve"}, calls: []smallCall{{"session_start", map[string]any{"specFile": strangerSpec}}}, changes: true, git: true},
	)
	for _, path := range bareCommands(t) {
		if !slices.ContainsFunc(all, func(r strangerRun) bool { return runs(r.args, path) }) {
			all = slices.Insert(all, 0, strangerRun{args: strings.Fields(path)})
		}
	}
	return all
}

// readingCalls are calls of the tools that change nothing.
func readingCalls(t *testing.T, sessionID string) []smallCall {
	const id, blob = "cin_7d07b704537a33d6579b1744/issues:1", "blob_1"
	calls := []smallCall{
		{"issues_list", map[string]any{"limit": 3}},
		{"issues_search", map[string]any{"query": "hook"}},
		{"issues_get", map[string]any{"id": "ISS-000037"}},
		{"issues_get_batch", map[string]any{"ids": []string{"ISS-000037", "figma"}}},
		{"issues_stats", map[string]any{"groupBy": "status"}},
		{"session_get", map[string]any{}},
		{"session_get", map[string]any{"sessionId": sessionID}},
		{"wagtail_list_pages", map[string]any{}},
		{"wagtail_get_page_details", map[string]any{"id": "5"}},
		{"wagtail_get_page_html", map[string]any{"id": "5"}},
		{"wagtail_list_images", map[string]any{}},
		{"wagtail_get_image_details", map[string]any{"id": 1}},
		{"wagtail_list_documents", map[string]any{}},
		{"wagtail_get_document_details", map[string]any{"id": 1}},
		{"wagtail_search_content", map[string]any{"query": "hours"}},
		{"wagtail_find_in_pages", map[string]any{"text": "hours", "type": "home.StandardPage"}},
		{"wagtail_overview", map[string]any{}},
		{"schema", map[string]any{}},
		{"list_streams", map[string]any{}},
		{"query_records", map[string]any{"stream": "issues"}},
		{"aggregate", map[string]any{"stream": "issues", "metric": "count"}},
		{"search", map[string]any{"q": "hook"}},
		{"fetch", map[string]any{"id": id}},
		{"discover_event_subscription_capabilities", map[string]any{}},
		{"list_event_subscriptions", map[string]any{}},
		{"get_event_subscription", map[string]any{"subscription_id": "none"}},
		{"fetch_blob", map[string]any{"blob_id": blob}},
	}
	for _, tool := range toolstest.NeedsNothing(t, defaultToolsets()...) {
		if !slices.ContainsFunc(calls, func(c smallCall) bool { return c.tool == tool }) {
			calls = append(calls, smallCall{tool, map[string]any{}})
		}
	}
	return calls
}

// changingCalls are calls of the tools that change something without git.
func changingCalls(sessionID string) []smallCall {
	const issue = "ISS-000037"
	return []smallCall{
		{"issues_create", map[string]any{"title": "New", "description": "Text."}},
		{"issues_update", map[string]any{"id": issue, "priority": "low"}},
		{"issues_update_batch", map[string]any{"updates": []any{map[string]any{"id": issue, "priority": "high"}}}},
		{"issues_edit", map[string]any{"id": issue, "edits": []any{map[string]any{"op": "append", "text": "A note."}}}},
		{"issues_labels", map[string]any{"operation": "add", "issueId": issue, "labels": []string{"new"}}},
		{"issues_projects", map[string]any{"operation": "add", "issueId": issue, "project": "P"}},
		{"issues_metadata", map[string]any{"operation": "set", "issueId": issue, "key": "k", "value": 1}},
		{"issues_claim", map[string]any{"operation": "next"}},
		{"issues_mark_complete", map[string]any{"id": "ISS-000039", "note": "Done."}},
		{"issues_delete", map[string]any{"id": "ISS-000051", "confirm": true}},
		{"session_phase", map[string]any{"sessionId": sessionID, "phase": "plan", "status": "started"}},
		{"session_checkpoint", map[string]any{"sessionId": sessionID, "tasksCompleted": []string{"a"}, "tasksPending": []string{"b"}, "lastAction": "did", "resumeInstructions": "do"}},
		{"session_complete", map[string]any{"sessionId": sessionID, "status": "completed", "summary": "done"}},
		{"create_event_subscription", map[string]any{"callback_url": "https://example.org/hook"}},
		{"update_event_subscription", map[string]any{"subscription_id": "none", "enabled": false}},
		{"send_test_event", map[string]any{"subscription_id": "none"}},
		{"delete_event_subscription", map[string]any{"subscription_id": "none"}},
	}
}

// A new command or tool is in the tests of strangers' repositories, or this fails.
func TestStrangerRunsHaveEveryCommandAndTool(t *testing.T) {
	_, root := tree()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	missing := map[string]bool{"issues-index " + cobra.ShellCompRequestCmd: true, "issues-index " + cobra.ShellCompNoDescRequestCmd: true}
	for _, cmd := range allCommands(root) {
		missing[cmd.CommandPath()] = cmd.Runnable()
	}
	w := newStrangerWorld(t)
	var listed struct{ Tools []toolstest.Definition }
	serveLines(t, append(w.env, "PDPP_CACHE_ROOT="+filepath.Join(w.repo, ".pdpp")), initialize, listTools).result(t, 2, &listed)
	for _, set := range toolsets(connectors{}, func(string) bool { return true }) {
		if !slices.ContainsFunc(listed.Tools, func(d toolstest.Definition) bool { return d.Name == set.Tools[0].Name }) {
			t.Errorf("the toolset %s is not served", set.Name)
		}
	}
	readOnly := make(map[string]bool)
	for _, d := range listed.Tools {
		missing[d.Name], readOnly[d.Name] = true, *d.Annotations["readOnlyHint"]
	}
	for _, run := range strangerRuns(t, w.sessionID) {
		cmd, _, err := root.Find(run.args)
		if err != nil || cmd == root && len(run.args) > 0 {
			missing["issues-index "+run.args[0]] = false
		} else {
			missing[cmd.CommandPath()] = false
		}
		for _, call := range run.calls {
			missing[call.tool] = false
			if run.changes == readOnly[call.tool] {
				t.Errorf("%s is called where it does not belong: it is read-only: %v", call.tool, readOnly[call.tool])
			}
		}
	}
	for name, is := range missing {
		if is {
			t.Errorf("strangerRuns has no run of %s", name)
		}
	}
}

// errHangs says that a run did not end within strangerHangs, which is a hundred times as
// long as any run takes, and longer than the program waits for a lock.
var errHangs = errors.New("the program hangs")

const strangerHangs = 2 * time.Minute

// run carries a run out in a folder of the world and returns all that it said. tracer
// is a command that runs the program, nil for none.
func (w *strangerWorld) run(t *testing.T, dir string, tracer []string, r strangerRun) (said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), strangerHangs)
	defer cancel()
	args := slices.Concat(tracer, []string{"issues-index"})
	for _, arg := range r.args {
		matches, err := filepath.Glob(filepath.Join(dir, arg))
		if err != nil {
			return "", err
		}
		if !strings.Contains(arg, "*") || strings.ContainsAny(arg, "()") || len(matches) == 0 {
			matches = []string{arg}
		}
		args = append(args, matches...)
	}
	process := exec.CommandContext(ctx, args[0], args[1:]...)
	process.Dir, process.Env = dir, w.environment()
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what hangs is ended with all that it started
	process.Cancel = func() error { return syscall.Kill(-process.Process.Pid, syscall.SIGKILL) }
	switch {
	case r.calls != nil:
		said = callAll(process, r.calls)
	case r.pages != nil:
		said = readPages(ctx, process, r.pages)
	default:
		out, _ := process.CombinedOutput() // many are to fail
		said = string(out)
	}
	if ctx.Err() != nil {
		err = errHangs
	}
	return said, err
}

// readPages reads pages of the web, ends it, and returns them and what it said.
func readPages(ctx context.Context, process *exec.Cmd, pages []string) string {
	out, err := process.StdoutPipe()
	if err != nil {
		return err.Error()
	}
	var said strings.Builder
	process.Stderr = &said
	if err := process.Start(); err != nil {
		return err.Error()
	}
	printed := bufio.NewReader(out)
	url, err := printed.ReadString('\n')
	url = strings.TrimSpace(url)
	var read strings.Builder
	for _, page := range pages {
		if err != nil {
			break // it did not start
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+page, http.NoBody)
		if err != nil {
			return err.Error()
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			fmt.Fprintf(&read, "%s died: %v\n", page, err)
			break
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		fmt.Fprintf(&read, "%s: %s\n%s\n", page, answer.Status, text)
	}
	_ = syscall.Kill(-process.Process.Pid, syscall.SIGINT)
	_, _ = io.Copy(&read, printed)
	_ = process.Wait()
	return url + "\n" + read.String() + said.String()
}

// refusedToStart begins what callAll returns of a server that does not answer.
const refusedToStart = "initialize: "

// callAll makes calls of a server, and returns its answers and its log.
func callAll(process *exec.Cmd, calls []smallCall) string {
	a, err := newAgent("t", process)
	if err != nil {
		return err.Error()
	}
	var answers strings.Builder
	for _, call := range calls {
		answer, err := a.call(call.tool, call.arguments)
		switch {
		case err != nil:
			fmt.Fprintf(&answers, "%s died: %v\n", call.tool, err)
			return answers.String() + a.end()
		case len(answer.Content) == 0:
			fmt.Fprintf(&answers, "%s is unknown\n", call.tool)
		case answer.IsError:
			fmt.Fprintf(&answers, "%s refused: %s\n", call.tool, answer.text())
		default:
			fmt.Fprintf(&answers, "%s answered: %s\n%s\n", call.tool, answer.text(), answer.Structured)
		}
	}
	return answers.String() + a.end()
}

// strace is the command that traces what it is followed by into a file.
func strace(file, calls string) []string {
	return []string{"strace", "-f", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "-e", "trace=" + calls, "-o", file}
}

// traces runs the tests that trace every run of the program. CI always does.
var traces = flag.Bool("strace", false, "run the tests of strangers' repositories under strace (a minute); -long does, too")

// needStraceOfAll is needStrace of a test that traces all runs, where that is wanted.
func needStraceOfAll(t *testing.T) {
	t.Helper()
	if !*traces && !storetest.Long() {
		t.Skip("this takes long: -strace")
	}
	needStrace(t)
}

// needStrace skips the test where strace is missing or may not trace.
func needStrace(t *testing.T) {
	t.Helper()
	probe := append(strace(os.DevNull, wholeTrace), "true")
	if said, err := exec.CommandContext(t.Context(), probe[0], probe[1:]...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: strace is missing or may not trace, so that strangers' repositories are NOT tested: %v: %s", err, said)
	}
}

// traced carries a run out under strace.
func (w *strangerWorld) traced(t *testing.T, dir, calls string, r strangerRun) (said string, trace *systemTrace, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	said, err = w.run(t, dir, strace(file, calls), r)
	if err != nil {
		return said, nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if trace, err = readTrace(f); err != nil {
		t.Fatalf("%v: %v", r, err)
	}
	return said, trace, nil
}
