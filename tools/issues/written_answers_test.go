package issues

import (
	"path/filepath"
	"regexp"
	"testing"

	"issues-index/tools/toolstest"
)

// The golden files have no times at which a test runs, and no versions, which change with
// the times.
var (
	moments  = regexp.MustCompile(`20\d\d-\d\d-\d\dT[\d:.]+Z`)
	versions = regexp.MustCompile(`(version"?: "?)[a-z2-7]{10}`)
)

// TestWrittenAnswers records what an agent reads when it writes, errors
// included. The calls of one tool follow each other in one workspace.
func TestWrittenAnswers(t *testing.T) {
	t.Parallel()
	for tool, calls := range map[string][]string{
		"issues_create": {
			`{"title": "Sort by relevance", "description": "Best first.\n"}`,
			`{"title": "A plan", "description": "Text", "type": "specification", "status": "In Progress", "priority": "high",
				"labels": "plan, search", "assignee": "ann", "project": "Search", "wranglerContext": {"parentTaskId": "ISS-000001", "agentId": null}}`,
			`{"title": "Done before", "description": "Text", "status": "closed"}`,
			`{"title": " SORT by relevance", "description": "Again"}`,
			`{"title": "Sort by relevance", "description": "Again", "type": "idea"}`,
			`{"title": "Sort by relevance", "description": "Again", "allowDuplicateTitle": "true"}`,
			`{"title": "No text"}`,
			`{"title": " ", "description": "Text"}`,
			`{"title": "Unknown priority", "description": "Text", "priority": "P0"}`,
			`{"title": "Unknown argument", "description": "Text", "lables": ["a"]}`,
			`{"title": "Context", "description": "Text", "wranglerContext": ["a"]}`,
		},
		"issues_update": {
			`{"id": "ISS-000002", "status": "in_progress", "priority": "critical"}`,
			`{"id": "iss-2", "status": "in_progress"}`,
			`{"id": "ISS-000002"}`,
			`{"id": "ISS-000002", "title": "A new title", "description": "A new text.", "labels": ["one", "two"], "assignee": "bob", "project": "Docs"}`,
			`{"id": "ISS-000002", "title": "", "description": " ", "labels": [], "assignee": "", "project": ""}`,
			`{"id": "ISS-000002", "status": "closed", "wranglerContext": {"parentTaskId": "SPEC-000001", "depth": 2}}`,
			`{"id": "ISS-000002", "status": "open", "type": "idea"}`,
			`{"id": "ISS-000001", "status": "done"}`,
			`{"id": "ISS-000099", "status": "closed"}`,
			`{"id": "000004", "status": "closed"}`,
			`{"id": ".wrangler/issues/000004-carry-ids-over.md", "status": "closed"}`,
			`{"id": "glued", "status": "closed"}`,
			`{"id": "../../etc/passwd", "status": "closed"}`,
			`{"id": "ISS-000001", "state": "closed"}`,
			`{"status": "closed"}`,
		},
		"issues_update_batch": {
			`{"updates": [{"id": "ISS-000001", "status": "closed", "labels": ["one"]}, {"id": "ISS-000099", "status": "closed"},
				{"id": "ISS-000002", "priority": "P0"}, {"id": "ISS-000002", "priority": "low"}, {"id": "ISS-000098"},
				{"id": "000004", "status": "open"}, {"id": "ISS-000002", "title": "Not here"}, {"status": "open"}, "ISS-000002",
				{"id": "ISS-000001", "assignee": "ann"}, {"id": "ISS-000001", "assignee": "ann"}]}`,
			`{"updates": "[{\"id\": \"ISS-000001\", \"status\": \"open\"}]"}`,
			`{"updates": []}`,
			`{"updates": "ISS-000001"}`,
			`{}`,
		},
		"issues_edit": {
			`{"id": "ISS-000001", "edits": [{"op": "append_section", "section": "Done when", "text": "- [ ] Tests pass\n- [ ] Docs are written"},
				{"op": "check", "boxes": [1]}, {"op": "append", "text": "## Notes\n\nSymbolic links were the hard part."}]}`,
			`{"id": "ISS-000001", "edits": [{"op": "append", "text": "Symbolic links were the hard part."}]}`,
			`{"id": "iss-1", "op": "tick", "boxes": {"n": 2, "text": "Docs"}}`,
			`{"id": "ISS-000001", "old_string": "Walk the collections.", "new_string": "Walk all collections."}`,
			`{"id": "ISS-000001", "edits": [{"op": "replace_section", "section": "Index the documents > Steps", "text": "## Steps\n\n1. Walk.\n2. Parse.\n\n### Later\n\n3. Watch."}]}`,
			`{"id": "ISS-000001", "edits": [{"op": "check", "boxes": ["2 Write docs", 3]}]}`,
			`{"id": "ISS-000001", "edits": [{"op": "check", "boxes": [3]}]}`,
			`{"id": "ISS-000001", "edits": [{"op": "append_section", "section": "Note", "text": "Another."}]}`,
			`{"id": "ISS-000001", "edits": [{"find": "the", "text": "a"}]}`,
			`{"id": "ISS-000001", "edits": [{"find": "not there", "text": "a"}]}`,
			`{"id": "ISS-000001", "edits": [{"op": "append"}, {"op": "replace_section", "section": "Notes"}, {"section": "Notes", "text": "x"}]}`,
			`{"id": "ISS-000001", "ifVersion": "2", "edits": [{"op": "append", "text": "Late."}]}`,
			`{"id": "ISS-000099", "edits": [{"op": "append", "text": "Lost."}]}`,
			`{"id": "glued", "edits": [{"op": "append", "text": "More."}]}`,
			`{"id": "ISS-000001"}`,
		},
		"issues_delete": {
			`{"id": "ISS-000001"}`,
			`{"id": "ISS-000001", "confirm": false}`,
			`{"id": "ISS-000001", "confirm": "true"}`,
			`{"id": "ISS-000001", "confirm": true}`,
			`{"id": "000004", "confirm": true}`,
			`{"id": "glued", "confirm": true}`,
			`{"id": "ISS-000002", "force": true}`,
			`{"confirm": true}`,
		},
		"issues_labels": {
			`{"operation": "add", "issueId": "ISS-000001", "labels": ["new", "index", "new"]}`,
			`{"operation": "add", "issueId": "ISS-000001", "labels": "new"}`,
			`{"operation": "remove", "issueId": "ISS-000001", "labels": "index,sqlite"}`,
			`{"operation": "remove", "issueId": "ISS-000001", "labels": "index"}`,
			`{"operation": "list", "issueId": "ISS-000001", "labels": "new"}`,
			`{"operation": "add", "issueId": "ISS-000001"}`,
			`{"operation": "add", "labels": ["new"]}`,
			`{"operation": "add", "issueId": "ISS-000099", "labels": ["new"]}`,
			`{"operation": "add", "issueId": "glued", "labels": ["new"]}`,
		},
		"issues_projects": {
			`{"operation": "add", "issueId": "ISS-000001", "project": "Docs"}`,
			`{"operation": "add", "issueId": "ISS-000001", "project": "Docs"}`,
			`{"operation": "remove", "issueId": "ISS-000001", "project": "Search"}`,
			`{"operation": "remove", "issueId": "ISS-000001"}`,
			`{"operation": "add", "issueId": "ISS-000001"}`,
		},
		"issues_metadata": {
			`{"operation": "set", "issueId": "ISS-000001", "key": "attempts", "value": [1, {"ok": false}, null]}`,
			`{"operation": "set", "issueId": "ISS-000001", "key": "agentId", "value": "agent-8"}`,
			`{"operation": "set", "issueId": "ISS-000001", "key": "agentId", "value": null}`,
			`{"operation": "remove", "issueId": "ISS-000001", "key": "attempts"}`,
			`{"operation": "remove", "issueId": "ISS-000001", "key": "attempts"}`,
			`{"operation": "set", "issueId": "ISS-000001", "key": "agentId"}`,
			`{"operation": "set", "issueId": "ISS-000001", "value": 1}`,
			`{"operation": "set", "issueId": "000004", "key": "a", "value": 1}`,
		},
		"issues_mark_complete": {
			`{"id": "ISS-000001", "note": "All of it.\nTested."}`,
			`{"id": "ISS-000001", "note": "All of it.\nTested."}`,
			`{"id": "ISS-000001", "note": "One more thing."}`,
			`{"id": "ISS-000001"}`,
			`{"id": "glued"}`,
			`{"id": "ISS-000099"}`,
		},
	} {
		t.Run(tool, func(t *testing.T) {
			transcript := converse(t, open(t, "testdata/workspace"), tool, calls)
			toolstest.Same(t, filepath.Join("testdata", "answers", "writing", tool+".txt"), versions.ReplaceAll(moments.ReplaceAll(transcript, []byte("TIME")), []byte("${1}VERSION")))
		})
	}
}
