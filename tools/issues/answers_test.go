package issues

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"issues-index/tools/toolstest"
)

// cursors are random: the golden files have none.
var cursors = regexp.MustCompile(`(cursor '|"nextCursor": ")[^'"]+`)

// TestAnswers records what an agent reads: for each call its arguments, the
// text and the structured output, errors included.
func TestAnswers(t *testing.T) {
	f := open(t, "testdata/workspace")
	for file, calls := range map[string][]string{
		"issues_list": {
			`{}`,
			`{"format": "minimal", "limit": 2}`,
			`{"format": "full", "limit": 1}`,
			`{"status": ["in_progress", "closed"], "labels": "index,sqlite"}`,
			`{"labels": ["index", "sqlite"], "project": "Search", "parentTaskId": "SPEC-000001", "type": "issue"}`,
			`{"status": "blocked"}`,
			`{"priority": ["low"], "status": ["open"]}`,
			`{"offset": 100}`,
			`{"offset": "6", "include_body": true}`,
			`{"priority": ["urgent"]}`,
			`{"priority": ["P0"]}`,
			`{"sortBy": "priority", "updatedAfter": "2026-01-03", "format": "minimal"}`,
			`{"closedAfter": "7d"}`,
			`{"closedBefore": "some day"}`,
			`{"limit": 1000}`,
		},
		"issues_search": {
			`{"query": "search"}`,
			`{"query": "bab-ca"}`,
			`{"query": "検索", "includeDescription": true}`,
			`{"query": "sqlite", "fields": "labels", "sortBy": "created", "sortOrder": "asc"}`,
			`{"query": "document", "filters": {"status": ["open"], "createdAfter": "2026-01-01"}}`,
			`{"query": "search", "sortOrder": "asc"}`,
			`{"query": "e", "filters": {"ids": ["iss-2", "000004", "ISS-000099"]}, "sortBy": "status"}`,
			`{"query": "nothing", "fields": ["title"]}`,
			`{"query": "nothing at all has this"}`,
			`{"query": "sqlite", "filters": {"status": "open", "createdBefore": "tomorrow"}}`,
			`{}`,
		},
		"issues_get": {
			`{"id": "ISS-000001"}`,
			`{"id": "iss-2", "fields": "title,assignee,dates,labels"}`,
			`{"id": "ISS-000001", "section": "steps"}`,
			`{"id": "ISS-000001", "startLine": 3, "endLine": 3, "fields": ["status"]}`,
			`{"id": ".wrangler/issues/archived/000004-count-twice.md", "fields": ["status"]}`,
			`{"id": "glued"}`,
			`{"id": "SPEC-000001"}`,
			`{"id": "ISS-000003", "fields": ["title", "description", "status", "priority", "labels", "assignee", "project", "dates", "wranglerContext"]}`,
			`{"id": "ISS-000001", "section": "nowhere"}`,
			`{"id": "ISS-000001", "section": "e"}`,
			`{"id": "ISS-000001", "startLine": 99}`,
			`{"id": "ISS-000001", "startLine": 5, "endLine": 2}`,
			`{"id": "ISS-000099"}`,
			`{"id": "000004"}`,
			`{"id": "../../etc/passwd"}`,
		},
		"issues_get_batch": {
			`{"ids": ["ISS-000002", "ISS-000099", "../x", "ISS-000002", "000004"], "fields": ["title", "status"]}`,
			`{"ids": "[\"ISS-000002\", \"ISS-000003\"]"}`,
			`{"ids": []}`,
		},
		"issues_stats": {
			`{"groupBy": "status"}`,
			`{"groupBy": "label"}`,
			`{"groupBy": "assignee", "type": "issue", "status": ["open"]}`,
			`{"groupBy": "project", "labels": ["nobody has it"]}`,
			`{"groupBy": "colour"}`,
		},
		"issues_all_complete": {
			`{}`,
			`{"issueIds": ["ISS-000003"]}`,
			`{"issueIds": ["ISS-000003", "ISS-000099", "000004"]}`,
			`{"parentTaskId": "SPEC-000001"}`,
			`{"types": ["idea"], "labels": ["none"]}`,
		},
		"issues_labels": {
			`{"operation": "list"}`,
			`{"operation": "list", "issueId": "ISS-000001"}`,
			`{"operation": "list", "issueId": "glued"}`,
			`{"operation": "purge"}`,
		},
		"issues_projects": {
			`{"operation": "list"}`,
			`{"operation": "list", "issueId": "ISS-000001"}`,
			`{"operation": "list", "issueId": "SPEC-000001"}`,
		},
		"issues_metadata": {
			`{"operation": "get", "issueId": "ISS-000001"}`,
			`{"operation": "get", "issueId": ".wrangler/issues/000004-carry-ids-over.md"}`,
			`{"operation": "get"}`,
		},
	} {
		t.Run(file, func(t *testing.T) {
			transcript := converse(t, f, file, calls)
			toolstest.Same(t, filepath.Join("testdata", "answers", file+".txt"), cursors.ReplaceAll(transcript, []byte("${1}CURSOR")))
		})
	}
}

// converse writes down the answers to calls of one tool.
func converse(t *testing.T, f fixture, tool string, calls []string) []byte {
	t.Helper()
	var transcript bytes.Buffer
	for _, arguments := range calls {
		answer := f.Call(t, tool, json.RawMessage(arguments))
		fmt.Fprintf(&transcript, "#### %s\n%s\n", arguments, answer.Text())
		if answer.Structured != nil {
			transcript.WriteString("----\n")
			if err := json.Indent(&transcript, answer.Structured, "", " "); err != nil {
				t.Fatal(err)
			}
			transcript.WriteString("\n")
		}
		transcript.WriteString("\n")
	}
	return transcript.Bytes()
}
