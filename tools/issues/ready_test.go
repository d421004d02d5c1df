package issues

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// linked is a workspace in which documents wait for others.
func linked(t *testing.T) fixture {
	t.Helper()
	root := t.TempDir()
	for n, lines := range []string{
		"priority: high", // ISS-000001
		"dependsOn: [ISS-000001, ISS-000099]\nestimate: 5",
		"blockedBy: ISS-000004\nparent: ISS-000005",
		"status: closed",
		"type: issue\nestimate: 3",
		"parent: ISS-000005\nstatus: closed",
		"dependsOn: [[ISS-000001]]",
	} {
		id := fmt.Sprintf("ISS-%06d", n+1)
		toolstest.Write(t, root, ".wrangler/issues/"+id+".md", fmt.Sprintf("---\nid: %s\ntitle: Work %d\n%s\ncreatedAt: 2026-02-10\nupdatedAt: 2026-02-%02d\n---\nText.\n", id, n+1, lines, 20-n))
	}
	toolstest.Write(t, root, ".wrangler/views.yaml", "big:\n  where: estimate >= 4\n  sort: estimate desc\n")
	return serve(t, root)
}

// TestAnswersAboutReadyWork records what an agent reads of ready and blocked work. The calls
// follow each other in one workspace.
func TestAnswersAboutReadyWork(t *testing.T) {
	t.Parallel()
	f := linked(t)
	var transcript []byte
	for _, c := range [][2]string{
		{"issues_list", `{"ready": true}`},
		{"issues_list", `{"ready": true, "limit": 1}`},
		{"issues_list", `{"blocked": true}`},
		{"issues_list", `{"ready": true, "blocked": true}`},
		{"issues_search", `{"query": "work", "filters": {"ready": true, "blocked": true}}`},
		{"issues_list", `{"where": "is:blocked estimate > 3"}`},
		{"issues_list", `{"where": "estimat > 3"}`},
		{"issues_list", `{"where": "priority >="}`},
		{"issues_list", `{"where": "under:ISS-9"}`},
		{"issues_list", `{"where": "assignee = @me"}`},
		{"issues_list", `{"view": "big"}`},
		{"issues_list", `{"view": "redy"}`},
		{"issues_list", `{"under": "ISS-000005"}`},
		{"issues_search", `{"query": "work", "filters": {"where": "is:ready sort id desc"}}`},
		{"issues_get", `{"id": "ISS-000001"}`},
		{"issues_get", `{"id": "ISS-000002"}`},
		{"issues_get", `{"id": "ISS-000005"}`},
		{"issues_update", `{"id": "ISS-000001", "addDependsOn": ["ISS-000007"]}`},
		{"issues_update", `{"id": "ISS-000001", "parent": "ISS-000098"}`},
		{"issues_create", `{"title": "New", "description": "Text.", "dependsOn": ["ISS-000098"]}`},
	} {
		result := f.Call(t, c[0], json.RawMessage(c[1]))
		transcript = fmt.Appendf(transcript, "#### %s %s\n%s\n\n", c[0], c[1], strings.TrimSpace(result.Text()))
	}
	toolstest.Same(t, "testdata/answers/ready.txt", cursors.ReplaceAll(transcript, []byte("${1}CURSOR")))
}

func TestLinksAreWritten(t *testing.T) {
	t.Parallel()
	f := linked(t)
	c, _ := toolstest.Must[createAnswer](t, f.Client, "issues_create", map[string]any{"title": "New", "description": "Text.", "dependsOn": []string{"iss-1"}, "parent": "5"})
	if text := f.read(t, c.Path); !strings.Contains(text, "dependsOn:\n  - ISS-000001\n") || !strings.Contains(text, "parentTaskId: ISS-000005\n") {
		t.Error(text)
	}
	f.Call(t, "issues_update", map[string]any{"id": c.ID, "addDependsOn": "ISS-000002", "removeDependsOn": []string{"1"}, "parent": ""})
	if text := f.read(t, c.Path); !strings.Contains(text, "dependsOn:\n  - ISS-000002\n") || strings.Contains(text, "ISS-000005") || strings.Contains(text, "ISS-000001") {
		t.Error(text)
	}
	t.Run("and what another file says is named", func(t *testing.T) {
		blocking, _ := toolstest.Must[createAnswer](t, f.Client, "issues_create", map[string]any{"title": "Blocks", "description": "Text."})
		text := strings.Replace(f.read(t, blocking.Path), "title:", "blocks: ["+c.ID+"]\ntitle:", 1)
		toolstest.Write(t, f.root, blocking.Path, text)
		got := f.Call(t, "issues_update", map[string]any{"id": c.ID, "removeDependsOn": []string{blocking.ID, "ISS-000002"}}).Text()
		if want := c.ID + " still waits for " + blocking.ID + ": " + blocking.Path + " names it under blocks"; !strings.Contains(got, want) || strings.Contains(got, "for ISS-000002") {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// What mentions a document is a short field beside its text, whatever mentions it.
func TestMentionedBy(t *testing.T) {
	t.Parallel()
	f := linked(t)
	for i := range 200 {
		file := fmt.Sprintf(".wrangler/issues/ISS-%06d-x.md", 1000+i)
		toolstest.Write(t, f.root, file, fmt.Sprintf("---\nid: ISS-%06d\ntitle: %s\nupdatedAt: 2026-05-01T00:00:00.%03dZ\n---\nISS-2\n", 1000+i, strings.Repeat("long ", 50), i))
	}
	got := f.Call(t, "issues_get", map[string]any{"id": "ISS-2"}).Text()
	if want := "mentioned by: ISS-001199 open, ISS-001198 open, ISS-001197 open, ISS-001196 open, ISS-001195 open, and 195 more\n"; !strings.Contains(got, want) {
		t.Errorf("%s lacks %s", got, want)
	}
	if got := f.Call(t, "issues_list", map[string]any{"where": "mentions:2", "limit": 1}).Text(); !strings.Contains(got, "of 200") {
		t.Error(got)
	}
}
