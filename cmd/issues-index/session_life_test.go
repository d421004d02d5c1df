//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A session outlives the server that wrote it: an agent that dies in mid-work
// is followed by another, which finds where it stood.
func TestASessionOutlivesItsServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	root := gitRepository(ctx, t)

	first := converse(ctx, t, root)
	started := first.call(t, "session_start", `{"specFile": ".wrangler/specifications/SPEC-000001-sort.md"}`)
	id := started["sessionId"].(string)
	worktree := started["worktreePath"].(string)
	if info, err := os.Stat(filepath.Join(worktree, "README.md")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the worktree has no checkout: %v", err)
	}
	if got := git(ctx, t, worktree, "branch", "--show-current"); got != started["branchName"] || started["worktreeCreated"] != true {
		t.Errorf("the worktree is on branch %q, the answer is %v", got, started)
	}

	phase := func(s *server, name, status string) {
		s.call(t, "session_phase", fmt.Sprintf(`{"sessionId": %q, "phase": %q, "status": %q, "metadata": {"total_tasks": 3}}`, id, name, status))
	}
	phase(first, "plan", "started")
	phase(first, "plan", "complete")
	phase(first, "execute", "started")
	var checkpoint map[string]any
	for i, tasks := range []string{
		`"tasksCompleted": [], "tasksPending": ["ISS-1", "ISS-2", "ISS-3"]`,
		`"tasksCompleted": ["ISS-1"], "tasksPending": ["ISS-2", "ISS-3"]`,
		`"tasksCompleted": ["ISS-1", "ISS-2"], "tasksPending": ["ISS-3"]`,
	} {
		checkpoint = first.call(t, "session_checkpoint", fmt.Sprintf(
			`{"sessionId": %q, %s, "lastAction": "finished %d", "resumeInstructions": "go on with task %d", "variables": {"port": 8080, "big": 12345678901234567890}}`,
			id, tasks, i, i+1))
	}
	first.kill(t)

	second := converse(ctx, t, root)
	found := second.call(t, "session_get", `{}`)
	session, point := found["session"].(map[string]any), found["checkpoint"].(map[string]any)
	if found["found"] != true || session["id"] != id || session["status"] != "running" || session["currentPhase"] != "execute" {
		t.Errorf("found %v", session)
	}
	if got := fmt.Sprint(session["phasesCompleted"], session["tasksCompleted"], session["tasksPending"]); got != "[init plan] [ISS-1 ISS-2] [ISS-3]" {
		t.Errorf("found %s", got)
	}
	if point["checkpointId"] != checkpoint["checkpointId"] || point["lastAction"] != "finished 2" || point["resumeInstructions"] != "go on with task 3" {
		t.Errorf("resumes from %v, saved was %v", point, checkpoint)
	}
	if got := fmt.Sprint(point["variables"]); got != "map[big:12345678901234567890 port:8080]" {
		t.Errorf("variables are %s", got)
	}
	phase(second, "execute", "complete")
	ended := second.call(t, "session_complete", fmt.Sprintf(
		`{"sessionId": %q, "status": "completed", "prUrl": "https://example.org/pull/7", "prNumber": 7, "summary": "sorted"}`, id))
	if ended["status"] != "completed" || fmt.Sprint(ended["prNumber"]) != "7" {
		t.Errorf("ended as %v", ended)
	}
	if none := second.call(t, "session_get", `{}`); none["found"] != false {
		t.Errorf("an ended session is to be resumed: %v", none)
	}
	second.end(t)

	t.Run("the audit log reads back line by line", func(t *testing.T) {
		data, err := os.ReadFile(started["auditPath"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasSuffix(data, []byte("\n")) {
			t.Error("the last line is torn")
		}
		var phases []string
		for line := range strings.Lines(string(data)) {
			var entry struct{ Phase, Status, Timestamp string }
			if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Timestamp == "" {
				t.Errorf("line %q: %v", line, err)
			}
			phases = append(phases, entry.Phase)
		}
		want := []string{"init", "plan", "plan", "execute", "checkpoint", "checkpoint", "checkpoint", "execute", "complete"}
		if !slices.Equal(phases, want) {
			t.Errorf("phases %v, want %v", phases, want)
		}
	})
}

// gitRepository makes a repository with one commit and a specification in it.
func gitRepository(ctx context.Context, t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for file, content := range map[string]string{
		"README.md": "# A project\n",
		".wrangler/specifications/SPEC-000001-sort.md": "---\nid: SPEC-000001\ntitle: Sort\n---\n",
	} {
		file = filepath.Join(root, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	commitAll(ctx, t, root, "begin")
	return root
}

// commitAll commits some files of a folder, by default all, and makes it a repository.
func commitAll(ctx context.Context, t *testing.T, root, message string, files ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("no git to make a repository with: %v", err)
	}
	if len(files) == 0 {
		files = []string{"."}
	}
	git(ctx, t, root, "init", "--quiet")
	git(ctx, t, root, append([]string{"add", "--"}, files...)...)
	git(ctx, t, root, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "commit", "--quiet", "-m", message)
}

func git(ctx context.Context, t *testing.T, dir string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// A server is a running issues-index serve and the conversation with it.
type server struct {
	process *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Scanner
	logged  strings.Builder
}

func converse(ctx context.Context, t *testing.T, workspace string) *server {
	t.Helper()
	return converseIn(ctx, t, workspace, "--workspace", workspace)
}

// converseIn starts a server in a folder.
func converseIn(ctx context.Context, t *testing.T, dir string, flags ...string) *server {
	t.Helper()
	s := startIn(ctx, t, dir, flags...)
	s.ask(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	return s
}

// startIn starts a server in a folder that nobody has spoken to yet.
func startIn(ctx context.Context, t *testing.T, dir string, flags ...string) *server {
	t.Helper()
	s := &server{process: exec.CommandContext(ctx, "issues-index", append([]string{"serve"}, flags...)...)}
	s.process.Dir = dir
	s.process.Stderr = &s.logged
	var err error
	if s.in, err = s.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.answers = bufio.NewScanner(out)
	s.answers.Buffer(nil, 1<<20)
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends one request and returns its result.
func (s *server) ask(t *testing.T, method, params string) json.RawMessage {
	t.Helper()
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params); err != nil {
		t.Fatal(err)
	}
	if !s.answers.Scan() {
		t.Fatalf("%s %s: no answer: %v\n%s", method, params, s.answers.Err(), &s.logged)
	}
	var envelope struct{ Result json.RawMessage }
	if err := json.Unmarshal(s.answers.Bytes(), &envelope); err != nil || envelope.Result == nil {
		t.Fatalf("%s %s: %s", method, params, s.answers.Text())
	}
	return envelope.Result
}

// call calls a tool, which must succeed, and returns its structured output.
func (s *server) call(t *testing.T, tool, arguments string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(s.ask(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))))
	decoder.UseNumber()
	var result struct {
		StructuredContent map[string]any
		IsError           bool
		Content           []struct{ Text string }
	}
	if err := decoder.Decode(&result); err != nil || result.IsError {
		t.Fatalf("%s %s: %v %v", tool, arguments, err, result.Content)
	}
	return result.StructuredContent
}

// answer calls a tool and returns the text of its answer.
func (s *server) answer(t *testing.T, tool string, arguments map[string]any) (text string, isError bool) {
	t.Helper()
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(s.ask(t, "tools/call", string(params)), &result); err != nil || len(result.Content) != 1 {
		t.Fatalf("%s %s: %v %v", tool, params, err, result)
	}
	return result.Content[0].Text, result.IsError
}

// kill ends the server without a chance to tidy up.
func (s *server) kill(t *testing.T) {
	t.Helper()
	if err := s.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.process.Wait(); err == nil {
		t.Error("the server was killed and exited 0")
	}
}

// end closes the server's input and waits for it.
func (s *server) end(t *testing.T) {
	t.Helper()
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.process.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &s.logged)
	}
}
