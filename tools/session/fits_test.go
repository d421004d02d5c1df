package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// serveTight serves a workspace under settings of its own.
func serveTight(t *testing.T, f fixture, output tools.Output, settings *answer.Settings) fixture {
	t.Helper()
	f.Client = toolstest.NewClient(t, tools.Config{
		Output: output, Toolsets: []tools.Toolset{Toolset(f.ws)}, Settings: func() *answer.Settings { return settings },
	})
	return f
}

// TestEveryAnswerFits: whatever a session has grown to, whoever wrote it, every
// answer keeps to its budget.
func TestEveryAnswerFits(t *testing.T) {
	f := open(t)
	var tasks []string
	for i := range 800 {
		tasks = append(tasks, fmt.Sprintf("ISS-%06d %s", i, strings.Repeat("作業", i%50)))
	}
	variables := map[string]any{"blob": strings.Repeat("0123456789abcdef", 1<<16)}
	for i := range 200 {
		variables[fmt.Sprint("key", i, strings.Repeat("k", i))] = strings.Repeat("v", i)
	}
	metadata := map[string]any{"log": strings.Repeat("0123456789abcdef", 4000)} // an audit line holds 64 KiB
	const foreign = "2026-01-22-nogit-0000"                                     // that another program left
	file, err := json.Marshal(map[string]any{
		"id": foreign, "specFile": strings.Repeat("s", 5000), "status": "running", "currentPhase": strings.Repeat("p", 5000),
		"worktreePath": strings.Repeat("w", 5000), "branchName": strings.Repeat("b", 5000), "phasesCompleted": tasks,
		"tasksCompleted": tasks, "tasksPending": tasks, "prUrl": strings.Repeat("u", 5000), "startedAt": "2026-01-22T10:00:00.000Z",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range storetest.FewOf(tools.Outputs(), 1) {
		for _, tokens := range []int{4000, 300} {
			t.Run(fmt.Sprintf("output %s, %d tokens", output, tokens), func(t *testing.T) {
				settings := answer.Defaults()
				settings.Threshold = tokens
				toolstest.Write(t, f.root, fileOf(foreign, contextFile), string(file))
				id := f.begin(t)
				f := serveTight(t, f, output, settings)
				budget := settings.Budget("session_get", 0)
				call := func(tool string, arguments map[string]any) {
					t.Helper()
					reply := f.Call(t, tool, arguments)
					if reply.IsError {
						t.Errorf("%s: %s", tool, reply.Text())
					}
					for _, channel := range []string{reply.Text(), string(reply.Structured)} {
						if !budget.Holds(channel) {
							t.Errorf("%s: %d bytes: %.300s", tool, len(channel), channel)
						}
					}
				}
				for _, id := range []string{foreign, id} {
					call("session_get", map[string]any{"sessionId": id})
					call("session_phase", map[string]any{"sessionId": id, "phase": "plan", "status": "complete", "metadata": metadata})
					call("session_checkpoint", map[string]any{
						"sessionId": id, "tasksCompleted": tasks, "tasksPending": tasks, "variables": variables,
						"lastAction": strings.Repeat("was done ", 1000), "resumeInstructions": strings.Repeat("go on\n", 1000),
					})
					call("session_get", map[string]any{"sessionId": id})
					call("session_get", map[string]any{})
					call("session_complete", map[string]any{"sessionId": id, "status": "failed", "prUrl": strings.Repeat("u", 5000), "summary": strings.Repeat("s", 50000)})
				}
				call("session_start", map[string]any{"specFile": spec})
			})
		}
	}
}

func TestWhatFitsIsWhole(t *testing.T) {
	f := open(t)
	var tasks []string
	for i := range 60 {
		tasks = append(tasks, fmt.Sprintf("ISS-%06d", i))
	}
	given := map[string]any{
		"sessionId": f.begin(t), "tasksCompleted": tasks, "tasksPending": []string{}, "lastAction": strings.Repeat("x", 2500), "resumeInstructions": "go on",
	}
	toolstest.Must[checkpointAnswer](t, f.Client, "session_checkpoint", given)
	found, _ := toolstest.Must[sessionAnswer](t, f.Client, "session_get", map[string]any{})
	if len(found.Session.TasksCompleted) != 60 || found.Checkpoint.LastAction != given["lastAction"] || strings.Contains(found.Note, " shows ") {
		t.Errorf("%+v", found)
	}
}
