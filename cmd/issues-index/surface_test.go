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

// The default tools are what every client pays for at its start: a tool may take so many bytes of
// their list on average, as text and with output schemas.
func TestDefaultTools(t *testing.T) {
	sets := defaultToolsets()

	t.Run("the list of them stays small", func(t *testing.T) {
		listed := len(toolstest.List(t, tools.OutputText, sets...))
		for output, average := range map[tools.Output]int{tools.OutputText: 710, tools.OutputBoth: 1045} {
			size, budget := toolstest.Footprint(t, output, sets...), average*listed
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

func TestAllToolsHaveKeysOfTheConfiguration(t *testing.T) {
	t.Parallel()
	var made []string
	for _, set := range toolsets(connectors{}, func(string) bool { return true }) {
		for _, tool := range set.Tools {
			made = append(made, tool.Name)
		}
	}
	if names := toolNames(); !slices.Equal(names, made) {
		t.Errorf("toolNames has %q, the tools are %q", names, made)
	}
}
