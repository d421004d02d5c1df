//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// An option is a property of a tool's input, as far as its values follow from it.
type option struct {
	Type  string
	Enum  []string
	Items *option
}

// A callMaker makes calls with every option of a tool's schema.
type callMaker struct {
	options map[string]map[string]option // of each tool
	// worth are values for what a schema leaves open, by "tool.option" or the
	// option alone.
	worth map[string][]any
}

func newCallMaker(t *testing.T, sets []tools.Toolset, worth map[string][]any) callMaker {
	t.Helper()
	m := callMaker{options: make(map[string]map[string]option), worth: worth}
	for _, d := range toolstest.List(t, tools.OutputText, sets...) {
		var schema struct{ Properties map[string]option }
		if err := json.Unmarshal(d.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		m.options[d.Name] = schema.Properties
	}
	return m
}

// vary returns the arguments of calls of a tool: those given, and those with
// one more option at each of its values. An option without values is a failure,
// so that a new one is not forgotten here.
func (m callMaker) vary(t *testing.T, tool string, given map[string]any) []map[string]any {
	t.Helper()
	all := []map[string]any{given}
	for _, name := range slices.Sorted(maps.Keys(m.options[tool])) {
		if _, ok := given[name]; ok || name == "cursor" { // cursors are followed
			continue
		}
		values := m.values(tool, name)
		if len(values) == 0 {
			t.Errorf("no test values for %s of %s", name, tool)
		}
		for _, value := range values {
			all = append(all, with(given, name, value))
		}
	}
	return all
}

func (m callMaker) values(tool, name string) []any {
	if values, ok := m.worth[tool+"."+name]; ok {
		return values
	}
	if values, ok := m.worth[name]; ok {
		return values
	}
	switch o := m.options[tool][name]; {
	case o.Type == "array" && o.Items != nil && len(o.Items.Enum) > 0:
		values := []any{o.Items.Enum}
		for _, value := range o.Items.Enum {
			values = append(values, []string{value})
		}
		return values
	case len(o.Enum) > 0:
		var values []any
		for _, value := range o.Enum {
			values = append(values, value)
		}
		return values
	case o.Type == "boolean":
		return []any{true, false}
	}
	return nil
}

// with is a call's arguments and one more.
func with(arguments map[string]any, more ...any) map[string]any {
	all := maps.Clone(arguments)
	if all == nil {
		all = make(map[string]any)
	}
	for i := 0; i < len(more); i += 2 {
		all[fmt.Sprint(more[i])] = more[i+1]
	}
	return all
}

// hostileValues are values for the options of every tool.
func hostileValues(w hostileWorkspace) map[string][]any {
	long := strings.Repeat("far too long 検索 ", 300)
	var handles, ids []any
	for _, kind := range slices.Sorted(maps.Keys(w.handles())) {
		handles = append(handles, w.handles()[kind])
	}
	for _, d := range w.docs[:60] {
		ids = append(ids, d.id)
	}
	anyID := slices.Concat(ids[:len(hostileBodies)], []any{sharedID, "nobody", long, "../../etc/passwd", w.docs[0].path, w.handles()["shared"]})
	many := func(n int) []any { return ids[:n] }
	return map[string][]any{
		"issues_get.id":         anyID,
		"id":                    {w.docs[0].path, sharedID, "nobody", long},
		"issueId":               append(slices.Clone(handles), sharedID, "nobody", long),
		"ids":                   {many(1), many(50), handles, []any{sharedID}, []any{"nobody", long, sharedID}, slices.Repeat([]any{long}, 50)},
		"issueIds":              {many(1), many(60), []any{sharedID}, slices.Repeat([]any{long}, 30), manyNames(2000)},
		"labels":                {[]any{"l00001-01"}, []any{long}, slices.Repeat([]any{"l00001-01"}, 100)},
		"status":                {[]string{"open"}, []string{"open", "in_progress", "closed", "cancelled"}, []string{"gone"}, []string{long}},
		"priority":              {[]string{"high"}, []string{"low", "medium", "high", "critical"}, []string{"urgent"}},
		"assignee":              {"nobody", long},
		"project":               {"nothing", long},
		"parentTaskId":          {sharedID, long},
		"parent":                {sharedID, "nobody", long},
		"dependsOn":             {many(1), many(50), []any{sharedID, long}, manyNames(300)},
		"addDependsOn":          {many(1), []any{sharedID}, []any{long}},
		"removeDependsOn":       {many(1), manyNames(300)},
		"where":                 {"is:ready", "is:blocked sort title", "under:nobody", "title ~ hostile", long, strings.Repeat("(", 100), "status ="},
		"view":                  {"ready", "blocked", "mine", long},
		"limit":                 {1, 100},
		"field":                 {"status", "text", "title", long},
		"since":                 {"2026-01-05", long},
		"offset":                {0, 7, 1 << 30},
		"query":                 {"needle000003", "hostile", "the", "検索", "title:needle000001", `"after word"`, "label:l00001-01", "zzzz", long, "x OR y -z", "e"},
		"filters":               {map[string]any{"status": []string{"open"}}, map[string]any{"ids": []any{sharedID}}, map[string]any{"createdAfter": "2026-01-05"}, map[string]any{"labels": []any{long}}, map[string]any{"ids": manyNames(300)}},
		"section":               {"Heading 5000", "Notes", "Heading", "Chapter 7", "Code", "nothing", long, "very long heading"},
		"startLine":             {1, 100, 9000, 1 << 30},
		"endLine":               {1, 100, 9999},
		"maxTokens":             {1, 500, 4000, 25000, 1 << 20},
		"issues_metadata.key":   {"key", "parentTaskId", long},
		"issues_metadata.value": {"text", 7, map[string]any{"deep": slices.Repeat([]any{long}, 10)}, long},
		"note":                  {"done", long},
		"reason":                {"why", long},
		"leaseMinutes":          {1, 10_080, 1 << 30},
		"claimedBy":             {"me", long},
		"ifVersion":             {"", "aaaaaaaaaa", long},
		"summary":               {"done", long},
		"title":                 {"Fresh", long, ""},
		"description":           {"Text.", strings.Repeat(long, 100), ""},
		"wranglerContext":       {map[string]any{"agentId": "a"}, map[string]any{"blob": long}},
		"specFile":              {".wrangler/specifications/none.md", long},
		"workingDirectory":      {".", long},
		"sessionId":             {"2026-01-01-nogit-abcd", long, ""},
		"metadata":              {map[string]any{"n": 1}, map[string]any{"blob": slices.Repeat([]any{long}, 20)}},
		"variables":             {map[string]any{"n": 1}, map[string]any{"blob": long}, deep(1000)},
		"tasksCompleted":        {[]string{}, manyNames(5000), []string{long}},
		"tasksPending":          {[]string{}, manyNames(5000), []string{long}},
		"lastAction":            {"did", strings.Repeat(long, 20)},
		"resumeInstructions":    {"do", strings.Repeat(long, 20)},
		"prUrl":                 {"https://example.org/1", "https://example.org/" + strings.Repeat("x", 5000)},
		"prNumber":              {1, 1 << 30},
		"updates":               {[]any{map[string]any{"id": "nobody"}}},
	}
}

func manyNames(n int) []any {
	names := make([]any, n)
	for i := range names {
		names[i] = fmt.Sprintf("ISS-%06d of a name that is not there", i)
	}
	return names
}

// deep is an object of so many keys.
func deep(keys int) map[string]any {
	object := make(map[string]any)
	for i := range keys {
		object[fmt.Sprintf("key%04d", i)] = []any{i, map[string]any{"in": "side"}}
	}
	return object
}
