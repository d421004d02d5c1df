package issues

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/toolstest"
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

// TestEveryReadIgnoresWhatItDoesNotKnowAloud calls each tool that reads with each argument that
// any tool takes, in any of its names: it is taken, or ignored with a note that names it.
func TestEveryReadIgnoresWhatItDoesNotKnowAloud(t *testing.T) {
	t.Parallel()
	f := open(t, "testdata/workspace")
	base := map[string]object{
		"issues_search": {"query": "search"}, "issues_get": {"id": "ISS-000001"}, "issues_get_batch": {"ids": []string{"ISS-000001"}},
		"issues_stats": {"groupBy": "status"},
	}
	namesOf := func(tool tools.Tool, also map[string][]string) (names []string) {
		for name, definition := range schemaOf(t, tool.Input).Properties {
			names = append(names, name)
			inner := schemaOf(t, definition)
			for member := range inner.Properties {
				names = append(names, member)
			}
			for member := range schemaOf(t, inner.Items).Properties {
				names = append(names, member)
			}
		}
		names = append(names, tool.Takes...)
		for _, members := range tool.TakesIn {
			names = append(names, members...)
		}
		for _, name := range slices.Clone(names) {
			names = append(names, also[name]...)
		}
		return names
	}
	var all []string
	set := Toolset(f.ix).Tools
	for _, tool := range set {
		all = append(all, namesOf(tool, tool.Also)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	all = storetest.FewOf(all, len(all)/3)
	bare := toolstest.NeedsNothing(t, Toolset(f.ix))
	ignored := 0
	for _, tool := range set {
		if !tool.ReadOnly || tool.Name == "issues_history" { // which needs a git repository
			continue
		}
		taken := namesOf(tool, tool.Also)
		for _, place := range []string{"", "filters"} {
			for _, name := range all {
				call := maps.Clone(base[tool.Name])
				if call == nil && !slices.Contains(bare, tool.Name) {
					t.Fatalf("no call of %s is known", tool.Name)
				}
				if call == nil {
					call = object{}
				}
				if slices.Contains(taken, name) || place != "" && schemaOf(t, tool.Input).Properties[place] == nil {
					continue
				}
				call[name] = 2
				if place != "" {
					delete(call, name)
					call[place] = object{name: 2}
				}
				answer := f.Call(t, tool.Name, call)
				if note, _, _ := strings.Cut(answer.Text(), "\n"); answer.IsError || !strings.HasPrefix(note, "Note: ignored unknown argument") || !strings.Contains(note, name) {
					t.Errorf("%s %v: %s", tool.Name, call, answer.Text())
				}
				ignored++
			}
		}
	}
	if ignored < 100 {
		t.Errorf("only %d calls were made", ignored)
	}
}
