package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// masks replace what is another in every run, so that answers can be compared
// with golden files.
var masks = []struct {
	found *regexp.Regexp
	mask  string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d-nogit-[0-9a-f]{4}`), "SESSION"},
	{regexp.MustCompile(`chk-\d+-[0-9a-f]{8}`), "CHECKPOINT"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`), "TIME"},
	{regexp.MustCompile(`(the workspace is in no git|git is not)[^;]*(; git says: [^;]*)?;`), "NO GIT;"},
	{regexp.MustCompile(`after [\dhms]+:`), "after DURATION:"},
	{regexp.MustCompile(`("durationSeconds": )[\d.e-]+`), "${1}0"},
}

// TestAnswers records what an agent reads in the life of a session: for each
// call its arguments, the text and the structured output, errors included.
func TestAnswers(t *testing.T) {
	f := open(t)
	var id string
	transcripts := make(map[string]*bytes.Buffer) // by tool
	for _, c := range []struct{ tool, arguments string }{
		{"session_get", `{}`},
		{"session_get", `{"sessionId": "2026-01-22-abc1234-0a1b"}`},
		{"session_start", `{"specFile": "` + spec + `"}`},
		{"session_start", `{"specFile": "specs/sort-by-relevance.md"}`},
		{"session_start", `{"specFile": "nothing.md"}`},
		{"session_start", `{"specFile": "../outside.md"}`},
		{"session_start", `{"specFile": "` + spec + `", "workingDirectory": "../.."}`},
		{"session_start", `{"specFile": "` + spec + `", "branch": "main"}`},
		{"session_start", `{}`},
		{"session_get", `{}`},
		{"session_phase", `{"sessionId": "SESSION", "phase": "plan", "status": "started"}`},
		{"session_phase", `{"sessionId": "SESSION", "phase": "plan", "status": "complete", "metadata": {"total_tasks": 3}}`},
		{"session_phase", `{"sessionId": "SESSION", "phase": "Execute", "status": "failed"}`},
		{"session_phase", `{"sessionId": "SESSION", "phase": "review", "status": "started"}`},
		{"session_phase", `{"sessionId": "SESSION", "phase": "plan", "status": "done"}`},
		{"session_phase", `{"sessionId": "SESSION", "phase": "plan", "status": "started", "metadata": [1]}`},
		{"session_phase", `{"sessionId": "2026-01-22-abc1234-0a1b", "phase": "plan", "status": "started"}`},
		{"session_phase", `{"sessionId": "../../etc", "phase": "plan", "status": "started"}`},
		{"session_phase", `{"sessionId": "SESSION", "phase": "plan", "status": "started", "note": "x"}`},
		{"session_phase", `{"sessionId": "SESSION"}`},
		{"session_checkpoint", `{"sessionId": "SESSION", "tasksCompleted": [], "tasksPending": "ISS-000001", "lastAction": "planned", "resumeInstructions": "begin"}`},
		{"session_checkpoint", `{"sessionId": "SESSION", "tasksCompleted": ["ISS-000001"], "tasksPending": ["ISS-000002", "ISS-000003"], "lastAction": "wrote the ranking", "resumeInstructions": "Run the tests.\nThen ISS-000002.", "variables": {"port": 8080, "seed": 12345678901234567890}}`},
		{"session_checkpoint", `{"sessionId": "SESSION", "tasksCompleted": [], "lastAction": "x", "resumeInstructions": "y"}`},
		{"session_checkpoint", `{"sessionId": "SESSION", "tasksCompleted": [], "tasksPending": [], "lastAction": "x", "resumeInstructions": "y", "variables": "none"}`},
		{"session_get", `{}`},
		{"session_get", `{"sessionId": "SESSION", "verbose": true}`},
		{"session_complete", `{"sessionId": "SESSION", "status": "paused"}`},
		{"session_complete", `{"sessionId": "SESSION", "status": "completed", "prNumber": 0}`},
		{"session_complete", `{"sessionId": "SESSION", "status": "completed", "prUrl": "https://example.org/pull/7", "prNumber": "7", "summary": "Ranked."}`},
		{"session_get", `{"sessionId": "SESSION"}`},
		{"session_get", `{}`},
	} {
		answer := f.Call(t, c.tool, json.RawMessage(strings.ReplaceAll(c.arguments, "SESSION", id)))
		if c.tool == "session_start" && !answer.IsError {
			var started startAnswer
			if err := json.Unmarshal(answer.Structured, &started); err != nil {
				t.Fatal(err)
			}
			id = started.SessionID
		}
		transcript := transcripts[c.tool]
		if transcript == nil {
			transcript = &bytes.Buffer{}
			transcripts[c.tool] = transcript
		}
		fmt.Fprintf(transcript, "#### %s\n%s\n", c.arguments, answer.Text())
		if answer.Structured != nil {
			transcript.WriteString("----\n")
			if err := json.Indent(transcript, answer.Structured, "", " "); err != nil {
				t.Fatal(err)
			}
			transcript.WriteString("\n")
		}
		transcript.WriteString("\n")
	}
	for file, transcript := range transcripts {
		t.Run(file, func(t *testing.T) {
			got := bytes.ReplaceAll(transcript.Bytes(), []byte(f.root), []byte("ROOT"))
			for _, m := range masks {
				got = m.found.ReplaceAll(got, []byte(m.mask))
			}
			toolstest.Same(t, filepath.Join("testdata", "answers", file+".txt"), got)
		})
	}
}
