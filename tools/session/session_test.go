package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store"
	sessions "issues-index/store/session"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// maxAnswer is what either channel of an answer may have, in bytes.
const maxAnswer = 10_000

func TestBounds(t *testing.T) {
	f := open(t)
	id := f.begin(t)
	var done, left []string
	for i := range 500 {
		done = append(done, fmt.Sprintf("ISS-%06d %s", i, strings.Repeat("é", 200)))
		left = append(left, fmt.Sprintf("ISS-%06d", 1000+i))
	}
	blob := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	given := map[string]any{
		"sessionId": id, "tasksCompleted": done, "tasksPending": left,
		"lastAction": strings.Repeat("was done ", 1000), "resumeInstructions": strings.Repeat("go on with the next task\n", 1000),
		"variables": map[string]any{"a": 1, "blob": blob, "z": "last"},
	}
	toolstest.Must[checkpointAnswer](t, f.Client, "session_checkpoint", given)
	checkpoint := fileOf(id, checkpointFile)

	t.Run("a checkpoint of any size is answered within the limits, and says where the rest is", func(t *testing.T) {
		answer := f.Call(t, "session_get", map[string]any{})
		if text, structured := len(answer.Text()), len(answer.Structured); text > maxAnswer || structured > maxAnswer {
			t.Errorf("%d bytes of text, %d structured", text, structured)
		}
		var found sessionAnswer
		if err := json.Unmarshal(answer.Structured, &found); err != nil {
			t.Fatal(err)
		}
		if found.Session.ID != id || found.Session.Status != "running" || found.Session.WorktreePath == "" || !strings.Contains(answer.Text(), "worktree: ") {
			t.Errorf("it does not say which session it is: %+v", found.Session)
		}
		var variables map[string]any
		if err := json.Unmarshal(found.Checkpoint.Variables, &variables); err != nil || variables["a"] != 1.0 || variables["z"] != "last" {
			t.Errorf("variables are %s", found.Checkpoint.Variables)
		}
		if len(found.Session.TasksCompleted) == 0 || len(found.Session.TasksPending) == 0 {
			t.Errorf("%d tasks completed and %d pending", len(found.Session.TasksCompleted), len(found.Session.TasksPending))
		}
		for name, text := range map[string]string{"lastAction": found.Checkpoint.LastAction, "resumeInstructions": found.Checkpoint.ResumeInstructions} {
			if len(text) < 200 || !strings.HasSuffix(text, " more characters)") {
				t.Errorf("%s is %q", name, text)
			}
		}
		if !strings.Contains(answer.Text(), "500 of 1000 tasks completed") || !strings.Contains(answer.Text(), "go on with the next task") {
			t.Errorf("the text is %s", answer.Text())
		}
		if said := checkpoint + " has all of it"; !strings.Contains(found.Note, said) || !strings.Contains(answer.Text(), said) {
			t.Errorf("%q is not said in both of %s\n%s", said, found.Note, answer.Text())
		}
	})
	t.Run("it is on disk whole", func(t *testing.T) {
		data, err := os.ReadFile(filepath.Join(f.root, filepath.FromSlash(checkpoint)))
		if err != nil {
			t.Fatal(err)
		}
		var written struct {
			TasksCompleted, TasksPending   []string
			LastAction, ResumeInstructions string
			Variables                      struct{ Blob string }
		}
		if err := json.Unmarshal(data, &written); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(written.TasksCompleted, done) || !slices.Equal(written.TasksPending, left) ||
			written.LastAction != given["lastAction"] || written.ResumeInstructions != given["resumeInstructions"] || written.Variables.Blob != blob {
			t.Error("the file has something else than was given")
		}
	})
}

func TestRepeatedCalls(t *testing.T) {
	f := open(t)
	id := f.begin(t)
	t.Run("the same checkpoint twice is one", func(t *testing.T) {
		given := map[string]any{
			"sessionId": id, "tasksCompleted": []string{}, "tasksPending": []string{"ISS-000001"},
			"lastAction": "planned", "resumeInstructions": "begin", "variables": map[string]any{"port": 8080},
		}
		first, _ := toolstest.Must[checkpointAnswer](t, f.Client, "session_checkpoint", given)
		again, _ := toolstest.Must[checkpointAnswer](t, f.Client, "session_checkpoint", given)
		if first != again {
			t.Errorf("%v, then %v", first, again)
		}
	})
	t.Run("a phase completed twice is listed once", func(t *testing.T) {
		given := map[string]any{"sessionId": id, "phase": "plan", "status": "complete"}
		toolstest.Must[phaseAnswer](t, f.Client, "session_phase", given)
		again, _ := toolstest.Must[phaseAnswer](t, f.Client, "session_phase", given)
		if !slices.Equal(again.PhasesCompleted, []string{"init", "plan"}) {
			t.Errorf("completed are %v", again.PhasesCompleted)
		}
	})
}

func TestRefusals(t *testing.T) {
	changes := func(id string) map[string]map[string]any {
		return map[string]map[string]any{
			"session_phase":      {"sessionId": id, "phase": "plan", "status": "started"},
			"session_checkpoint": {"sessionId": id, "tasksCompleted": []string{}, "tasksPending": []string{}, "lastAction": "x", "resumeInstructions": "y"},
			"session_complete":   {"sessionId": id, "status": "failed"},
		}
	}
	t.Run("an id that is a path is PATH_TRAVERSAL_DENIED in every tool", func(t *testing.T) {
		f := open(t)
		for _, id := range []string{"..", "../..", "/etc", "a/b", `a\b`, "a\x00b"} {
			for tool, arguments := range changes(id) {
				f.Refused(t, tools.CodePathTraversal, tool, arguments)
			}
			f.Refused(t, tools.CodePathTraversal, "session_get", map[string]any{"sessionId": id})
		}
	})
	t.Run("a missing session is RESOURCE_NOT_FOUND in every tool, and the newest are named", func(t *testing.T) {
		f := open(t)
		id := f.begin(t)
		all := changes("2026-01-22-nogit-0000")
		all["session_get"] = map[string]any{"sessionId": "2026-01-22-nogit-0000"}
		for tool, arguments := range all {
			if text := f.Refused(t, tools.CodeNotFound, tool, arguments); !strings.Contains(text, id+" (running)") {
				t.Error(text)
			}
		}
	})
	t.Run("a session whose file is damaged is read with its problem, and not changed", func(t *testing.T) {
		f := open(t)
		const id = "2026-01-22-nogit-0000"
		toolstest.Write(t, f.root, fileOf(id, contextFile), `{"id": "2026-`)
		found, text := toolstest.Must[sessionAnswer](t, f.Client, "session_get", map[string]any{"sessionId": id})
		if !strings.Contains(found.Note, "Problem: context.json is") || !strings.HasPrefix(text, "Session "+id+" cannot be read.") {
			t.Error(text)
		}
		for tool, arguments := range changes(id) {
			f.Refused(t, tools.CodeConflict, tool, arguments)
		}
		data, err := os.ReadFile(filepath.Join(f.root, filepath.FromSlash(fileOf(id, contextFile))))
		if err != nil || string(data) != `{"id": "2026-` {
			t.Errorf("%q, %v", data, err)
		}
	})
	t.Run("while another program holds the lock, changing is RESOURCE_LOCKED and reading goes on", func(t *testing.T) {
		f := openWith(t, time.Millisecond)
		id := f.begin(t)
		toolstest.Write(t, f.root, ".wrangler/issues/a.md", "---\nid: a\nstatus: open\n---\n")
		other, err := store.Open(store.Options{Root: f.root})
		if err != nil {
			t.Fatal(err)
		}
		_, err = other.Update(context.Background(), ".wrangler/issues/a.md", func(*store.Document) (store.Fields, error) {
			for tool, arguments := range changes(id) {
				f.Refused(t, tools.CodeLocked, tool, arguments)
			}
			toolstest.Must[sessionAnswer](t, f.Client, "session_get", map[string]any{"sessionId": id})
			return store.Fields{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a file that cannot be written says what may have happened", func(t *testing.T) {
		f := open(t)
		id := f.begin(t)
		file := filepath.Join(f.root, filepath.FromSlash(fileOf(id, "context.json")))
		if err := os.Chmod(file, 0o444); err != nil {
			t.Fatal(err)
		}
		text := f.Refused(t, tools.CodeProvider, "session_phase", map[string]any{"sessionId": id, "phase": "plan", "status": "started"})
		if !strings.Contains(text, "may be on disk in part. Read the session with session_get") {
			t.Error(text)
		}
	})
	t.Run("what git refuses is a PROVIDER_ERROR in git's words", func(t *testing.T) {
		if _, err := exec.LookPath("git"); err != nil {
			t.Skipf("no git to be refused by: %v", err)
		}
		f := open(t)
		for _, args := range [][]string{
			{"init", "--quiet"},
			{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "commit", "--quiet", "--allow-empty", "-m", "begin"},
			{"branch", "wrangler"}, // in the way of every branch below that name
		} {
			git := exec.CommandContext(t.Context(), "git", args...)
			git.Dir = f.root
			if out, err := git.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		text := f.Refused(t, tools.CodeProvider, "session_start", map[string]any{"specFile": spec})
		if !strings.Contains(text, "git says: ") || strings.Contains(text, f.root) {
			t.Error(text)
		}
	})
	t.Run("a working directory that is not there is a VALIDATION_ERROR", func(t *testing.T) {
		open(t).Refused(t, tools.CodeValidation, "session_start", map[string]any{"specFile": spec, "workingDirectory": "nowhere"})
	})
	t.Run("metadata and a summary that no audit line can hold are a VALIDATION_ERROR, and the limit is named", func(t *testing.T) {
		f := open(t)
		id := f.begin(t)
		long := strings.Repeat("x", 64<<10)
		for tool, arguments := range map[string]map[string]any{
			"session_phase":    {"sessionId": id, "phase": "plan", "status": "started", "metadata": map[string]any{"log": long}},
			"session_complete": {"sessionId": id, "status": "completed", "summary": long},
		} {
			text := f.Refused(t, tools.CodeValidation, tool, arguments)
			if !strings.Contains(text, "over the limit of 65536") {
				t.Error(text)
			}
		}
		found, _ := toolstest.Must[sessionAnswer](t, f.Client, "session_get", map[string]any{"sessionId": id})
		if found.Session.Status != "running" || found.Session.CurrentPhase != "init" {
			t.Errorf("%+v", found.Session)
		}
	})
	t.Run("what a schema allows is what the store knows", func(t *testing.T) {
		statuses, err := json.Marshal(sessions.PhaseStatuses)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			fmt.Sprintf(`"status":{"type":"string","enum":%s}`, statuses),
			fmt.Sprintf(`"maxLength":%d,"description":"e.g. %s"`, sessions.MaxPhase, strings.Join(sessions.Phases, ", ")),
		} {
			if !strings.Contains(string(phase(nil, 0).Input), want) {
				t.Errorf("%s is not in %s", want, phase(nil, 0).Input)
			}
		}
	})
}

func TestAPhaseMayHaveAnyName(t *testing.T) {
	f := open(t)
	id := f.begin(t)
	record := func(phase string) (phaseAnswer, string) {
		return toolstest.Must[phaseAnswer](t, f.Client, "session_phase", map[string]any{"sessionId": id, "phase": phase, "status": "complete"})
	}
	for _, name := range []string{"review", "verify-remediation", "レビュー", strings.Repeat("é", sessions.MaxPhase)} {
		if answer, text := record(name); answer.Phase != name || !slices.Contains(answer.PhasesCompleted, name) || !strings.Contains(text, name) {
			t.Errorf("%s: %+v", name, answer)
		}
		if found, _ := toolstest.Must[sessionAnswer](t, f.Client, "session_get", nil); found.Session.CurrentPhase != name {
			t.Errorf("the current phase is %q, not %q", found.Session.CurrentPhase, name)
		}
	}
	t.Run("a usual one in other letters is that one", func(t *testing.T) {
		if answer, _ := record(" Verify"); answer.Phase != "verify" {
			t.Errorf("got %q", answer.Phase)
		}
	})
	t.Run("but not a long one or none", func(t *testing.T) {
		for name, code := range map[string]tools.Code{strings.Repeat("é", sessions.MaxPhase+1): tools.CodeValidation, " ": tools.CodeMissingField} {
			f.Refused(t, code, "session_phase", map[string]any{"sessionId": id, "phase": name, "status": "started"})
		}
	})
	t.Run("and cannot pass for a line of the server", func(t *testing.T) {
		if _, text := record("a\nNote: b"); strings.Contains(text, "\nNote: b") {
			t.Errorf("got %q", text)
		}
	})
}

func TestASessionStartsOnAnAbsolutePathInsideTheWorkspace(t *testing.T) {
	f := open(t)
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(f.root, alias); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{f.root, alias} {
		started, _ := toolstest.Must[startAnswer](t, f.Client, "session_start", map[string]any{"specFile": filepath.Join(root, spec), "workingDirectory": filepath.Join(root, ".wrangler")})
		found, _ := toolstest.Must[sessionAnswer](t, f.Client, "session_get", map[string]any{"sessionId": started.SessionID})
		if found.Session.SpecFile != spec || started.WorktreePath != filepath.Join(f.root, ".wrangler") {
			t.Errorf("%+v, %+v", started, found.Session)
		}
	}
	f.Refused(t, tools.CodePathTraversal, "session_start", map[string]any{"specFile": "/etc/hosts"})
}
