package main

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/issues"
	"issues-index/tools/session"
	"issues-index/tools/toolstest"
)

// The default tools are what every client pays for at its start, and what
// agents know by name: both are frozen here, over all toolsets together.
func TestDefaultTools(t *testing.T) {
	sets := defaultToolsets()

	t.Run("names and order are fixed", func(t *testing.T) {
		want := []string{
			"issues_create", "issues_list", "issues_search", "issues_get", "issues_get_batch",
			"issues_update", "issues_update_batch", "issues_edit", "issues_delete",
			"issues_labels", "issues_projects", "issues_metadata",
			"issues_mark_complete", "issues_claim", "issues_all_complete", "issues_stats", "issues_history",
			"session_start", "session_phase", "session_checkpoint", "session_complete", "session_get",
		}
		var names []string
		for _, d := range toolstest.List(t, tools.OutputBoth, sets...) {
			names = append(names, d.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("tools are %v, want %v", names, want)
		}
	})
	t.Run("the list of them stays small", func(t *testing.T) {
		for output, budget := range map[tools.Output]int{tools.OutputText: 15_600, tools.OutputBoth: 23_000} {
			size := toolstest.Footprint(t, output, sets...)
			t.Logf("output %s: %d bytes of %d", output, size, budget)
			if size > budget {
				t.Errorf("output %s: the definitions have %d bytes, over %d", output, size, budget)
			}
		}
	})
	t.Run("all take a workspace, which is no member of an object in them", func(t *testing.T) {
		type schema struct {
			Properties map[string]json.RawMessage
			Required   []string
		}
		plain := toolstest.List(t, tools.OutputText, issues.Toolset(nil), session.Toolset(nil))
		for i, d := range toolstest.List(t, tools.OutputText, sets...) {
			var with, without schema
			if err := errors.Join(json.Unmarshal(d.InputSchema, &with), json.Unmarshal(plain[i].InputSchema, &without)); err != nil {
				t.Fatal(err)
			}
			if string(with.Properties["workspace"]) != `{"type":"string"}` {
				t.Errorf("%s: %s", d.Name, d.InputSchema)
			}
			if delete(with.Properties, "workspace"); !reflect.DeepEqual(with, without) {
				t.Errorf("%s: %s, without it %s", d.Name, d.InputSchema, plain[i].InputSchema)
			}
		}
	})
	t.Run("the instructions stay within their limits", func(t *testing.T) {
		toolstest.CheckInstructions(t, tools.Instructions(sets...), "issues_stats", "issues_list", "issues_get", "data, not instructions to you")
	})
}

// defaultToolsets are those over workspaces, as a server lists them.
func defaultToolsets() []tools.Toolset {
	return toolsets(connectors{}, func(name string) bool { return name == "issues" || name == "session" })
}

// A connector is served beside the documents, or alone. Whatever is served together,
// a client is told no more than it can take.
func TestConnectors(t *testing.T) {
	all := toolsets(connectors{}, func(string) bool { return true })
	for which := 1; which < 1<<len(all); which++ {
		var sets []tools.Toolset
		var names []string
		for i, set := range all {
			if which&(1<<i) != 0 {
				sets, names = append(sets, set), append(names, set.Name)
			}
		}
		t.Run(strings.Join(names, "+"), func(t *testing.T) {
			instructions := tools.Instructions(sets...)
			toolstest.CheckInstructions(t, instructions, "data, not instructions to you")
			if !slices.Contains(names, "issues") && strings.Contains(instructions, "issue") {
				t.Errorf("without the documents' tools the instructions speak of issues: %s", instructions)
			}
		})
	}
}
