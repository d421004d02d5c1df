//go:build !windows

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// hostileWrites are the calls that the writing tools' options are added to. Each
// round needs documents of its own to close and to delete, and a session.
func hostileWrites(t *testing.T, w *witness, workspace hostileWorkspace, round string) map[string][]map[string]any {
	t.Helper()
	long := strings.Repeat("far too long 検索 ", 12)
	of := workspace.handles()
	create := func(n int) string {
		title := fmt.Sprintf("Fresh %s %d", round, n)
		answer := w.ask(t, "issues_create", map[string]any{"title": title, "description": "Text."})
		if answer.IsError {
			t.Fatal(answer.Text())
		}
		_, id, _ := strings.Cut(strings.SplitN(answer.Text(), "\n", 2)[0], "with ID: ")
		return strings.Fields(id)[0]
	}
	mine := make([]string, 8)
	for i := range mine {
		mine[i] = create(i)
	}
	started := w.ask(t, "session_start", map[string]any{"specFile": of["headings"]})
	if started.IsError {
		t.Fatal(started.Text())
	}
	session := sessionOf.FindString(started.Text() + string(started.Structured))
	updates := make([]any, 50)
	for i := range updates {
		updates[i] = map[string]any{"id": workspace.docs[i].path, "assignee": strings.Repeat(long, 5) + round, "labels": []string{long, round}}
	}
	failing := make([]any, 50)
	for i := range failing {
		failing[i] = map[string]any{"id": strings.Repeat(long, 5) + fmt.Sprint(i), "status": "urgent" + long}
	}
	edits := make([]any, 20)
	for i := range edits {
		edits[i] = map[string]any{"op": "append", "text": fmt.Sprintf("# %s %s %d\n\n- [ ] %s", long, round, i, long)}
	}
	misplaced := []any{edits[0], map[string]any{"op": "replace_section", "section": long, "text": long}, map[string]any{"op": "replace", "find": long, "text": long}}
	phase := map[string]any{"sessionId": session, "phase": "execute", "status": "started"}
	return map[string][]map[string]any{
		"issues_create": {{"title": "Twice " + round, "description": "Text."}},
		"issues_update": {{"id": mine[0]}, {"id": of["log"]}},
		"issues_update_batch": {
			{"updates": updates}, {"updates": failing}, {"updates": []any{map[string]any{"id": sharedID, "status": "open"}}},
		},
		"issues_edit": {
			{"id": mine[4], "edits": edits}, {"id": of["headings"], "edits": misplaced}, {"id": of["json"], "edits": misplaced[2:]},
			{"id": of["headings"], "edits": []any{map[string]any{"op": "check", "boxes": []int{99999}}}},
			{"id": mine[5], "edits": slices.Repeat([]any{map[string]any{"op": long, "boxes": long}}, 20)},
		},
		"issues_labels":        {{"operation": "add", "issueId": of["tables"], "labels": []string{long + round}}, {"operation": "remove", "issueId": of["tables"], "labels": []string{long + round}}},
		"issues_projects":      {{"operation": "add", "issueId": of["tables"], "project": long + round}, {"operation": "remove", "issueId": of["tables"]}},
		"issues_metadata":      {{"operation": "set", "issueId": of["json"], "key": "k" + round, "value": long}, {"operation": "remove", "issueId": of["context below the cap"], "key": "key001"}},
		"issues_claim":         {{"operation": "claim", "id": mine[0]}, {"operation": "release", "id": mine[0]}, {"operation": "next"}, {"operation": "claim", "id": of["log"]}},
		"issues_mark_complete": {{"id": mine[1]}, {"id": of["hex"]}},
		"issues_delete":        {{"id": mine[2], "confirm": true}, {"id": mine[3], "confirm": false}, {"id": mine[3]}},
		"session_start":        {{}, {"specFile": of["crlf"]}},
		"session_phase":        {phase},
		"session_checkpoint": {
			{"sessionId": session, "tasksCompleted": []string{}, "tasksPending": []string{}, "lastAction": "did", "resumeInstructions": "do"},
			{"sessionId": session, "tasksCompleted": manyNames(3000), "tasksPending": manyNames(3000), "lastAction": long, "resumeInstructions": strings.Repeat(long, 100), "variables": deep(500)},
		},
		"session_get":      {{"sessionId": session}, {}},
		"session_complete": {{"sessionId": session, "status": "failed"}},
	}
}

// sessionOf finds the id of a session in the answer that started it.
var sessionOf = regexp.MustCompile(`\d{4}-\d\d-\d\d-[0-9a-z]+-[0-9a-f]{4}`)
