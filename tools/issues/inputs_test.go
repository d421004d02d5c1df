package issues

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// Every argument that a tool lists or takes, which docs/tools.md has from there, is read: some
// value of a wrong type is refused by the argument's name.
func TestEveryInputIsRead(t *testing.T) {
	t.Parallel()
	f := serve(t, t.TempDir())
	needed := map[string]object{
		"issues_labels": {"operation": "list"}, "issues_projects": {"operation": "list"}, "issues_metadata": {"operation": "set"},
		claimName: {"operation": "next"},
	}
	item := map[string]object{"issues_update_batch": {"id": "ISS-000001"}, "issues_edit": {"op": "append"}}
	for _, tool := range Toolset(f.ix).Tools {
		read := func(path, name string, arguments func(value any) any) {
			t.Helper()
			refused := false
			for _, value := range []any{object{"a": object{"b": 1}}, -1.5, strings.Repeat("?", 30), "status >="} {
				call := maps.Clone(needed[tool.Name])
				if call == nil {
					call = object{}
				}
				call[path] = arguments(value)
				answer := f.Call(t, tool.Name, call)
				if strings.Contains(answer.Text(), "nknown argument") && strings.Contains(answer.Text(), name+"'") {
					t.Errorf("%s %v: %s", tool.Name, call, answer.Text())
				}
				refused = refused || answer.IsError && strings.Contains(answer.Text(), name)
			}
			if !refused {
				t.Errorf("%s reads no %s of %s", tool.Name, name, path)
			}
		}
		shown := schemaOf(t, tool.Input).Properties
		for _, name := range tool.Takes {
			shown[name] = nil
		}
		for name, definition := range shown {
			read(name, name, func(value any) any { return value })
			inner := schemaOf(t, definition)
			members := inner.Properties
			if inner.Type == "array" {
				members = schemaOf(t, inner.Items).Properties
			}
			for _, member := range tool.TakesIn[name] {
				members[member] = nil
			}
			for member := range members {
				read(name, member, func(value any) any {
					one := object{}
					if inner.Type != "array" {
						return object{member: value}
					}
					maps.Copy(one, item[tool.Name])
					one[member] = value
					return []object{one}
				})
			}
		}
	}
}

// A readSchema is what a test wants of a JSON schema.
type readSchema struct {
	Type       any
	Properties map[string]json.RawMessage
	Items      json.RawMessage
}

func schemaOf(t *testing.T, schema json.RawMessage) readSchema {
	t.Helper()
	var s readSchema
	if schema != nil {
		if err := json.Unmarshal(schema, &s); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", schema, err))
		}
	}
	return s
}
