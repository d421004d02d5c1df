//go:build !windows

package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// The worktree of a session has what is committed. A plan that is not committed is missed there,
// and the answers that miss it say where it is.
func TestAnUncommittedPlanIsNamedWhereItIsMissed(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	root := gitRepository(ctx, t)
	s := converseIn(ctx, t, root)
	for n := range 3 {
		s.call(t, "issues_create", fmt.Sprintf(`{"title": "Step %d", "description": "Uncommitted", "project": "plan"}`, n))
	}
	started := s.call(t, "session_start", `{"specFile": ".wrangler/specifications/SPEC-000001-sort.md"}`)
	if note := fmt.Sprint(started["note"]); !strings.Contains(note, "lacks 3 documents") {
		t.Errorf("the start of the session says %v", started)
	}
	worktree := started["worktreePath"].(string)
	list, _ := s.answer(t, "issues_list", map[string]any{"project": "plan"})
	var id string
	for word := range strings.FieldsSeq(list) {
		if strings.HasPrefix(word, "ISS-") {
			id = word[:len("ISS-000001")]
		}
	}
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		failed    bool
		want      string
	}{
		"a list":               {"issues_list", map[string]any{"project": "plan"}, false, "lacks 3 documents"},
		"a search":             {"issues_search", map[string]any{"query": "Uncommitted"}, false, "lacks 3 documents"},
		"a document":           {"issues_get", map[string]any{"id": id}, true, "not committed in the main one"},
		"a change":             {"issues_update", map[string]any{"id": id, "priority": "low"}, true, "call again with workspace: '" + root},
		"an id of no document": {"issues_get", map[string]any{"id": "ISS-009999"}, true, "Issue ISS-009999 not found."},
	} {
		c.arguments["workspace"] = worktree
		text, failed := s.answer(t, c.tool, c.arguments)
		if failed != c.failed || !strings.Contains(text, c.want) {
			t.Errorf("%s in the worktree: %s, want %s", name, text, c.want)
		}
	}
}
