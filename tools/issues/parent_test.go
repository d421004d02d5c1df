package issues

import (
	"strings"
	"testing"
)

// A parent may come with a branch that is not merged yet, so one that is unknown is
// written, and the answer says so, on both channels.
func TestAnUnknownParentIsWrittenAndSaid(t *testing.T) {
	f := serve(t, t.TempDir())
	child := func(title, parent string) map[string]any {
		return map[string]any{"title": title, "description": "Text.", "wranglerContext": map[string]any{"parentTaskId": parent}}
	}
	f.Call(t, "issues_create", map[string]any{"title": "Parent", "description": "Of others."})
	for _, c := range []struct {
		name, tool string
		arguments  map[string]any
		want       string // "" when the parent is known
	}{
		{"a new child", "issues_create", child("One", "NOPE-1"), "no document has the parent's id 'NOPE-1'"},
		{"a new child of a number", "issues_create", child("Two", "1"), "did you mean ISS-000001?"},
		{"a new child of a document, in another spelling", "issues_create", child("Three", "iss-1"), ""},
		{"a child that gets another parent", "issues_update", map[string]any{"id": "ISS-000002", "wranglerContext": map[string]any{"parentTaskId": "NOPE-2"}}, "'NOPE-2'"},
		{"a child whose parent stays", "issues_update", map[string]any{"id": "ISS-000002", "priority": "low"}, ""},
		{"a child that gets a parent by its metadata", "issues_metadata", map[string]any{"operation": "set", "issueId": "ISS-000002", "key": "parentTaskId", "value": "NOPE-3"}, "'NOPE-3'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := f.Call(t, c.tool, c.arguments)
			if answer.IsError {
				t.Fatal(answer.Text())
			}
			for channel, text := range map[string]string{"text": answer.Text(), "structured": string(answer.Structured)} {
				if said := strings.Contains(text, "the parent's id"); said != (c.want != "") || !strings.Contains(text, c.want) {
					t.Errorf("%s: want %q in %s", channel, c.want, text)
				}
			}
		})
	}
}
