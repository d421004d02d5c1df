//go:build !windows

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// Below its budget the guard changes nothing: an answer that fits is the same
// byte for byte, cost included, with the guard on and off.
func TestSmallAnswersDoNotKnowTheGuard(t *testing.T) {
	for _, name := range []string{"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} {
		t.Setenv(name, "2026-01-02T00:00:00Z") // so that commits of the same have one name
	}
	off := answer.Defaults()
	off.Off = true
	outputs := tools.Outputs()
	if !storetest.Long() {
		outputs = outputs[:1] // both channels
	}
	for _, output := range outputs {
		t.Run(string(output), func(t *testing.T) {
			// Only what reads git is in a repository: looking at refs takes a time that differs.
			plain, committed := [2]string{sampleCopy(t), sampleCopy(t)}, [2]string{sampleCopy(t), sampleCopy(t)}
			for _, root := range committed {
				commitAll(t.Context(), t, root, "begin")
			}
			guarded := toolsetsOf(t, plain[0], index.ModeVerify)
			served := func(guarded, free []tools.Toolset) [2]*toolstest.Client {
				return [2]*toolstest.Client{
					toolstest.NewClient(t, tools.Config{Output: output, Toolsets: guarded}),
					toolstest.NewClient(t, tools.Config{Output: output, Toolsets: free, Settings: func() *answer.Settings { return off }}),
				}
			}
			withoutGit := served(guarded, toolsetsOf(t, plain[1], index.ModeVerify))
			withGit := served(toolsetsOf(t, committed[0], index.ModeVerify), toolsetsOf(t, committed[1], index.ModeVerify))
			compared := make(map[string]int)
			var sessions [2]string
			for _, c := range smallCalls(newCallMaker(t, guarded, smallValues()), t) {
				roots, clients := plain, withoutGit
				if c.tool == "issues_history" {
					roots, clients = committed, withGit
				}
				var answers [2]toolstest.Answer
				for i, client := range clients {
					arguments := c.arguments
					if _, ok := arguments["sessionId"]; ok {
						arguments = with(arguments, "sessionId", sessions[i])
					}
					answers[i] = client.Call(t, c.tool, arguments)
					if c.tool == "session_start" && !answers[i].IsError {
						sessions[i] = sessionOf.FindString(answers[i].Text() + string(answers[i].Structured))
					}
				}
				budget := answer.Defaults().Budget(c.tool, 0)
				if !budget.Holds(answers[1].Text()) || !budget.Holds(string(answers[1].Structured)) {
					continue
				}
				compared[c.tool]++
				on, without := sent(answers[0], roots[0]), sent(answers[1], roots[1])
				if on != without {
					t.Errorf("%s %v: with the guard\n%s\nwithout\n%s", c.tool, c.arguments, on, without)
				}
			}
			t.Logf("output %s: compared %v", output, compared)
			for _, d := range toolstest.List(t, output, guarded...) {
				if compared[d.Name] == 0 {
					t.Errorf("no small answer of %s", d.Name)
				}
			}
		})
	}
}

// made are the parts of an answer that are made anew each time: cursors, times,
// and the ids of sessions and checkpoints.
var made = regexp.MustCompile(`'[0-9a-z]{12}'|"nextCursor":"[0-9a-z]{12}"|20\d\d-\d\d-\d\dT[0-9:.]+Z|20\d\d-\d\d-\d\d-[0-9a-z]+-[0-9a-f]{4}|chk-\d+-[0-9a-f]{8}|"durationSeconds":[0-9.]+|after \S+s|version"?: ?"?[a-z2-7]{10}|agent/[a-z2-7]{6}|fence"?: ?\d+`)

// sent is what a client gets, but for the parts that are made anew. The cost
// depends on how long these are: it counts where there are none.
func sent(a toolstest.Answer, root string) string {
	parts := strings.Join([]string{a.Text(), string(a.Structured)}, "\n")
	same := made.ReplaceAllString(strings.ReplaceAll(parts, root, "…"), "…")
	if m := a.Meta; same == parts && m.EstimatedTokens != nil {
		same += fmt.Sprintf("\n%d %v %d", *m.EstimatedTokens, *m.BudgetUsed, *m.BudgetRemaining)
	}
	return same
}

type smallCall struct {
	tool      string
	arguments map[string]any
}

// smallCalls are calls of all tools with all options.
func smallCalls(maker callMaker, t *testing.T) []smallCall {
	t.Helper()
	const spec, issue = "SPEC-000039", "ISS-000037"
	given := map[string][]map[string]any{
		"issues_list":         {{}, {"format": "minimal"}, {"format": "full", "limit": 1}},
		"issues_search":       {{"query": "hook"}, {"query": "hook", "includeDescription": true}},
		"issues_get":          {{"id": issue}, {"id": spec}, {"id": "figma"}},
		"issues_get_batch":    {{"ids": []string{issue, "figma", "nobody"}}},
		"issues_stats":        {{"groupBy": "status"}, {"groupBy": "label"}},
		"issues_labels":       {{"operation": "list"}, {"operation": "add", "issueId": issue, "labels": "new"}},
		"issues_projects":     {{"operation": "list"}, {"operation": "add", "issueId": issue, "project": "P"}},
		"issues_metadata":     {{"operation": "get", "issueId": issue}, {"operation": "set", "issueId": issue, "key": "k", "value": 1}},
		"issues_history":      {{"id": issue}},
		"issues_claim":        {{"operation": "next"}},
		"issues_create":       {{"title": "New", "description": "Text."}},
		"issues_update":       {{"id": issue}},
		"issues_update_batch": {{"updates": []any{map[string]any{"id": issue, "priority": "low"}, map[string]any{"id": "nobody"}}}},
		"issues_edit": {
			{"id": issue, "edits": []any{map[string]any{"op": "append", "text": "- [ ] Ask"}}},
			{"id": issue, "edits": []any{map[string]any{"op": "check", "boxes": []int{1}}}},
			{"id": issue, "edits": []any{map[string]any{"op": "append_section", "section": "nothing", "text": "Note."}}},
		},
		"session_start":      {{"specFile": ".wrangler/specifications/SPEC-000004-add-idea-artifact-type-support.md"}},
		"session_phase":      {{"sessionId": "", "phase": "plan", "status": "started"}},
		"session_checkpoint": {{"sessionId": "", "tasksCompleted": []string{"a"}, "tasksPending": []string{"b"}, "lastAction": "did", "resumeInstructions": "do"}},
		"session_get":        {{"sessionId": ""}, {}},
	}
	for _, tool := range toolstest.NeedsNothing(t, defaultToolsets()...) {
		if given[tool] == nil {
			given[tool] = []map[string]any{{}}
		}
	}
	var calls []smallCall
	for _, tool := range slices.Sorted(maps.Keys(given)) {
		if tool == "session_start" { // before those that go on with it
			calls = slices.Insert(calls, 0, smallCall{tool, given[tool][0]})
			continue
		}
		for _, arguments := range given[tool] {
			for _, varied := range maker.vary(t, tool, arguments) {
				calls = append(calls, smallCall{tool, varied})
			}
		}
	}
	return append(calls,
		smallCall{"issues_mark_complete", map[string]any{"id": "ISS-000040", "note": "Done."}},
		smallCall{"issues_delete", map[string]any{"id": "ISS-000041"}},
		smallCall{"issues_delete", map[string]any{"id": "ISS-000041", "confirm": true}},
		smallCall{"session_complete", map[string]any{"sessionId": "", "status": "completed", "summary": "done"}})
}

// smallValues are values for what the schemas leave open.
func smallValues() map[string][]any {
	return map[string][]any{
		"id": {"ISS-000058", "nobody"}, "issueId": {"ISS-000039", "nobody"}, "issueIds": {[]string{"ISS-000039", "nobody"}},
		"ids": {[]string{"ISS-000039"}}, "labels": {[]string{"hooks"}, []string{}}, "assignee": {"ann"}, "project": {"P"},
		"parentTaskId": {"ISS-1"}, "parent": {"nobody"}, "dependsOn": {[]string{"ISS-000058"}}, "addDependsOn": {"nobody"}, "removeDependsOn": {"nobody"},
		"where": {"is:ready", "status ="}, "view": {"recent", "none"}, "claimedBy": {"nobody"}, "leaseMinutes": {30}, "reason": {"Why."}, "offset": {2}, "query": {"nothing at all"}, "issues_claim.filters": {map[string]any{"labels": []string{"hooks"}}}, "filters": {map[string]any{"status": []string{"open"}}},
		"section": {"Overview", "nothing"}, "startLine": {1, 10, 9999}, "endLine": {5}, "maxTokens": {4000, 25000},
		"key": {"k", ""}, "value": {1, "text"}, "note": {"Done."}, "ifVersion": {""}, "title": {"Another"}, "description": {"Other text."},
		"wranglerContext": {map[string]any{"agentId": "a"}}, "metadata": {map[string]any{"n": 1}}, "variables": {map[string]any{"n": 1}},
		"sessionId": {""}, "issues_list.limit": {1, 3, 100}, "issues_search.limit": {1, 100}, "issues_history.limit": {1}, "field": {"status", "nothing"}, "since": {"2026-01-05", "never"}, "updates": {}, "edits": {},
	}
}

// sampleCopy is a copy of the sample workspace, its files of one age.
func sampleCopy(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(repositoryRoot, "testdata", "sample"))); err != nil {
		t.Fatal(err)
	}
	then := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}
