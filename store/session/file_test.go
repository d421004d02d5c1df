package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/store"
)

// foreign is a session as another program wrote it.
const foreign = `{
    "owner": {"b": 1, "a": [1,2,  3], "big": 12345678901234567890},
    "status": "paused",
    "id": "2025-12-08-abc1234-f00d",
    "specFile": "specs/<x>.md",
    "currentPhase": "execute",
    "worktreePath": "/elsewhere/x", "branchName": "b",
    "phasesCompleted": ["init", "plan"], "tasksCompleted": [], "tasksPending": ["ISS-000001"],
    "startedAt": "2025-12-08T02:46:35.145Z",
    "updatedAt": "2025-12-08T02:46:35Z",
    "prNumber": null,
    "zeta": "caf\u00e9 <&>"
}`

const foreignID = "2025-12-08-abc1234-f00d"

func TestSessionsOfAnotherProgram(t *testing.T) {
	dir := store.SessionsDir + "/" + foreignID + "/"
	w := newWorkspace(t, map[string]string{
		dir + contextFile:    foreign,
		dir + checkpointFile: `{"checkpointId":"chk-1-0","own":[ 1 ],"variables":{"n":007.5e0}}`,
		dir + auditFile:      `{"phase":"init","timestamp":"2025-12-08T02:46:35.145Z","status":"complete","session_id":"x"}` + "\n" + `{"phase":"pl`,
	})
	w = openWorkspace(t, w.Root, tick)
	ctx := t.Context()
	found, c, err := w.Find(ctx, "")
	if err != nil || found.ID != foreignID || found.Status != "paused" || !slices.Equal(found.TasksPending, []string{"ISS-000001"}) || found.StartedAt.UnixMilli() != 1765161995145 {
		t.Fatalf("%+v %v", found, err)
	}
	if c != nil || len(found.Problems) != 2 || !strings.Contains(found.Problems[0], "checkpoint.json is no JSON") || found.Problems[1] != "audit.jsonl has lines that are no JSON object: 1" {
		t.Errorf("%v %q", c, found.Problems)
	}
	if _, err := w.RecordPhase(ctx, foreignID, "execute", "complete", json.RawMessage(`{ "x" : 1 }`)); err != nil {
		t.Fatal(err)
	}
	t.Run("keep every key and value that is not changed", func(t *testing.T) {
		want := `{
  "owner": {"b": 1, "a": [1,2,  3], "big": 12345678901234567890},
  "status": "paused",
  "id": "2025-12-08-abc1234-f00d",
  "specFile": "specs/<x>.md",
  "currentPhase": "execute",
  "worktreePath": "/elsewhere/x",
  "branchName": "b",
  "phasesCompleted": [
    "init",
    "plan",
    "execute"
  ],
  "tasksCompleted": [],
  "tasksPending": ["ISS-000001"],
  "startedAt": "2025-12-08T02:46:35.145Z",
  "updatedAt": "2026-03-01T12:00:00.000Z",
  "prNumber": null,
  "zeta": "caf\u00e9 <&>"
}
`
		if got := tree(t, w.Root)[dir+contextFile]; got != want {
			t.Error(got)
		}
	})
	t.Run("get a new line after a torn one", func(t *testing.T) {
		got := tree(t, w.Root)[dir+auditFile]
		if want := "{\"phase\":\"pl\n" + `{"phase":"execute","timestamp":"2026-03-01T12:00:00.000Z","status":"complete","x":1}` + "\n"; !strings.HasSuffix(got, want) {
			t.Error(got)
		}
		if entries, skipped, err := w.Audit(ctx, foreignID); len(entries) != 2 || skipped != 1 || err != nil {
			t.Error(entries, skipped, err)
		}
	})
	t.Run("get a checkpoint in place of one that cannot be read, and keep its keys otherwise", func(t *testing.T) {
		for _, last := range []string{"one", "two"} {
			if _, _, err := w.SaveCheckpoint(ctx, foreignID, Checkpoint{LastAction: last}); err != nil {
				t.Fatal(err)
			}
			if last == "one" {
				file := filepath.Join(w.Root, filepath.FromSlash(dir+checkpointFile))
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				writeFiles(t, w.Root, map[string]string{dir + checkpointFile: strings.Replace(string(data), "{", `{"own":[ 1 ],`, 1)})
			}
		}
		if got := tree(t, w.Root)[dir+checkpointFile]; !strings.HasPrefix(got, "{\n  \"own\": [ 1 ],\n  \"sessionId\"") || !strings.Contains(got, `"lastAction": "two"`) {
			t.Error(got)
		}
	})
}

func TestOneBadSessionHidesNoOther(t *testing.T) {
	w := specified(t)
	good := start(t, w)
	writeFiles(t, w.Root, map[string]string{
		store.SessionsDir + "/torn/context.json":     `{"id": "torn", "sta`,
		store.SessionsDir + "/list/context.json":     `[]`,
		store.SessionsDir + "/blank/context.json":    ``,
		store.SessionsDir + "/latin/context.json":    "{\"id\": \"\xe9\"}",
		store.SessionsDir + "/two/context.json":      `{} {}`,
		store.SessionsDir + "/types/context.json":    `{"id": "types", "status": 7, "tasksPending": "x", "startedAt": "soon", "prNumber": 1.5}`,
		store.SessionsDir + "/copy/context.json":     `{"id": "original", "status": "running"}`,
		store.SessionsDir + "/big/context.json":      `{"id": "big", "x": "` + strings.Repeat("x", store.MaxFileSize) + `"}`,
		store.SessionsDir + "/deep/context.json":     `{"id": "deep", "x": ` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
		store.SessionsDir + "/folder/context.json/x": "",
		store.SessionsDir + "/empty/x":               "",
		store.SessionsDir + "/a file":                "",
		store.SessionsDir + "/.hidden/x":             "",
	})
	all, err := w.All(t.Context())
	if err != nil || len(all) != 12 || all[0].ID != good.ID || len(all[0].Problems) > 0 {
		t.Fatalf("%+v %v", all, err)
	}
	for _, s := range all[1:] {
		if len(s.Problems) == 0 || !strings.HasPrefix(s.Problems[0], "context.json ") || strings.Contains(s.Problems[0], w.Root) {
			t.Errorf("%s: %q", s.ID, s.Problems)
		}
		t.Run("nor is it written to: "+s.ID, func(t *testing.T) {
			_, err := w.RecordPhase(t.Context(), s.ID, "plan", "started", nil)
			var conflict *store.ConflictError
			if !errors.As(err, &conflict) {
				t.Error(err)
			}
		})
	}
	if s, _, err := w.Find(t.Context(), "empty"); err != nil || !slices.Equal(s.Problems, []string{"context.json is missing"}) {
		t.Errorf("%+v %v", s, err)
	}
}

func TestCheckpoints(t *testing.T) {
	w := specified(t)
	ctx := t.Context()
	s := start(t, w)
	given := Checkpoint{
		TasksCompleted: []string{"ISS-000001", `"<é>"`}, TasksPending: []string{"ISS-000002"},
		LastAction: "wrote\nit", ResumeInstructions: "go on",
		Variables: json.RawMessage(`{"b": 1.50, "a": [ 12345678901234567890 ]}`),
	}
	after, saved, err := w.SaveCheckpoint(ctx, s.ID, given)
	if err != nil || !slices.Equal(after.TasksPending, given.TasksPending) || !strings.HasPrefix(saved.CheckpointID, "chk-") || saved.CurrentPhase != "init" {
		t.Fatalf("%+v %+v %v", after, saved, err)
	}
	_, found, err := w.Find(ctx, s.ID)
	if err != nil || !found.same(given.in("init")) || found.CheckpointID != saved.CheckpointID || !found.CreatedAt.Equal(saved.CreatedAt) || string(found.Variables) != string(given.Variables) {
		t.Errorf("%+v %v", found, err)
	}
	t.Run("the same call again leaves one state", func(t *testing.T) {
		before := tree(t, w.Root)
		_, again, err := w.SaveCheckpoint(ctx, s.ID, given)
		if err != nil || again.CheckpointID != saved.CheckpointID || !again.CreatedAt.Equal(saved.CreatedAt) {
			t.Errorf("%+v %v", again, err)
		}
		for p, text := range tree(t, w.Root) {
			if before[p] != text {
				t.Errorf("%s changed", p)
			}
		}
	})
	t.Run("and finishes what a crash left half done", func(t *testing.T) {
		before := tree(t, w.Root)
		audit, context := sessionFile(s.ID, auditFile), sessionFile(s.ID, contextFile)
		init, _, _ := strings.Cut(before[audit], "\n")
		writeFiles(t, w.Root, map[string]string{
			audit:   init + "\n",
			context: strings.Replace(before[context], "ISS-000002", "ISS-000009", 1),
		})
		after, again, err := w.SaveCheckpoint(ctx, s.ID, given)
		if err != nil || again.CheckpointID != saved.CheckpointID || !slices.Equal(after.TasksPending, given.TasksPending) || tree(t, w.Root)[audit] != before[audit] {
			t.Errorf("%+v %+v %v", after, again, err)
		}
	})
	t.Run("in another phase it is another state", func(t *testing.T) {
		if _, err := w.RecordPhase(ctx, s.ID, "verify", "started", nil); err != nil {
			t.Fatal(err)
		}
		_, again, err := w.SaveCheckpoint(ctx, s.ID, given)
		if err != nil || again.CheckpointID == saved.CheckpointID || again.CurrentPhase != "verify" {
			t.Errorf("%+v %v", again, err)
		}
		if audit := tree(t, w.Root)[sessionFile(s.ID, auditFile)]; !strings.Contains(audit, again.CheckpointID) {
			t.Errorf("a checkpoint of the same millisecond is not in the audit:\n%s", audit)
		}
	})
	t.Run("1 MB of variables is stored whole", func(t *testing.T) {
		given.Variables = json.RawMessage(`{"text": "` + strings.Repeat("é ", 1<<19) + `"}`)
		if _, _, err := w.SaveCheckpoint(ctx, s.ID, given); err != nil {
			t.Fatal(err)
		}
		_, found, err := w.Find(ctx, s.ID)
		if err != nil || string(found.Variables) != string(given.Variables) {
			t.Errorf("%d bytes, %v", len(found.Variables), err)
		}
	})
	t.Run("more than a file may have is refused", func(t *testing.T) {
		before := tree(t, w.Root)
		given.Variables = json.RawMessage(`{"text": "` + strings.Repeat("x", store.MaxFileSize) + `"}`)
		_, _, err := w.SaveCheckpoint(ctx, s.ID, given)
		var value *store.ValueError
		if !errors.As(err, &value) {
			t.Error(err)
		}
		for p, text := range tree(t, w.Root) {
			if before[p] != text {
				t.Errorf("%s changed", p)
			}
		}
	})
}

// in is the checkpoint as it is saved in a phase.
func (c Checkpoint) in(phase string) Checkpoint {
	c.CurrentPhase = phase
	return c
}

func TestCompletingTwiceIsCompletingOnce(t *testing.T) {
	w := specified(t)
	ctx := t.Context()
	s := start(t, w)
	first, took, err := w.Complete(ctx, s.ID, "failed", "", 0, "It broke.")
	if err != nil || first.Status != "failed" || first.CurrentPhase != "complete" {
		t.Fatalf("%+v %v", first, err)
	}
	before := tree(t, w.Root)
	again, tookAgain, err := w.Complete(ctx, s.ID, "failed", "", 0, "It broke.")
	if err != nil || tookAgain != took || !again.CompletedAt.Equal(first.CompletedAt) || tree(t, w.Root)[sessionFile(s.ID, auditFile)] != before[sessionFile(s.ID, auditFile)] {
		t.Errorf("%+v %v", again, err)
	}
	entries, _, err := w.Audit(ctx, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if last := entries[len(entries)-1]; last.Phase != "complete" || last.Status != "failed" || !strings.Contains(string(last.Rest), `"summary":"It broke."`) {
		t.Errorf("%s", last.Rest)
	}
}
