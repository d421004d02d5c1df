//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// malformedWorkspace has documents that every call of the tables tells apart.
func malformedWorkspace(t *testing.T) (root string, sets []tools.Toolset) {
	t.Helper()
	root = t.TempDir()
	put := func(path, front, body string) {
		toolstest.Write(t, root, ".wrangler/"+path, "---\n"+front+"---\n"+body)
	}
	put("issues/ISS-000041-hook.md", "id: ISS-000041\ntitle: Install the hook\nstatus: open\npriority: high\nlabels: [cli]\nassignee: ann\nproject: tools\ncreatedAt: 2026-03-01\n",
		"The hook is not installed.\n\n# Steps\n\nRun it.\n\n# Result\n\nNothing.\n")
	put("issues/ISS-000042-docs.md", "id: ISS-000042\ntitle: Write the docs of the hook\nstatus: closed\nlabels: [docs]\ncreatedAt: 2026-02-01\nwranglerContext: {parentTaskId: ISS-000041}\n", "Docs.\n")
	put("issues/ISS-000043-auth.md", "id: ISS-000043\ntitle: Renew tokens\nstatus: in_progress\nlabels: [auth]\ncreatedAt: 2026-01-01\n", "A hook for tokens.\n")
	put("issues/ISS-000058-one.md", "id: ISS-000058\ntitle: One\nstatus: cancelled\n", "")
	put("issues/ISS-000058-two.md", "id: ISS-000058\ntitle: Two\nstatus: cancelled\n", "")
	put("specifications/000004-hooks.md", "id: SPEC-000004\ntitle: Hooks\nstatus: open\n", "How hooks work.\n")
	put("ideas/IDEA-000001.md", "id: IDEA-000001\ntitle: Ideas\nstatus: open\n", "")
	for i := range 18 {
		put(fmt.Sprintf("issues/ISS-%06d.md", 100+i), fmt.Sprintf("id: ISS-%06d\ntitle: Issue %d\nstatus: cancelled\n", 100+i, i), "")
	}
	return root, toolsetsOf(t, root, index.ModeVerify)
}

// anyCursor matches a cursor, which differs in each answer.
var anyCursor = regexp.MustCompile(`'[0-9a-z]{12}'|"nextCursor":"[0-9a-z]{12}"`)

func answerOf(t *testing.T, c *toolstest.Client, tool, arguments string) toolstest.Answer {
	t.Helper()
	return c.Call(t, tool, json.RawMessage(arguments))
}

func (m malformedCall) check(t *testing.T, c *toolstest.Client) {
	t.Helper()
	answer := answerOf(t, c, m.tool, m.args)
	text := anyCursor.ReplaceAllString(answer.Text(), "CURSOR")
	if m.as != "" {
		if want := anyCursor.ReplaceAllString(answerOf(t, c, m.tool, m.as).Text(), "CURSOR"); text != want {
			t.Errorf("%s %s\nanswers    %s\nwhile %s\nanswers    %s", m.tool, m.args, text, m.as, want)
		}
		if answer.IsError {
			t.Errorf("%s %s: %s", m.tool, m.args, text)
		}
		return
	}
	code := ""
	if answer.IsError {
		code = answer.Meta.Error.Code
	}
	if code != m.code {
		t.Errorf("%s %s: code %q, want %q: %s", m.tool, m.args, code, m.code, text)
	}
	for _, word := range m.says {
		if !strings.Contains(text, word) {
			t.Errorf("%s %s: does not say %q: %s", m.tool, m.args, word, text)
		}
	}
}

// A call that is not quite right gets rows that fit its question, rows below a note of what was
// ignored, or an error that says the next call: never rows that answer another question unsaid.
func TestMalformedReadsAreTakenOrRefused(t *testing.T) {
	_, sets := malformedWorkspace(t)
	c := toolstest.NewClient(t, tools.Config{Toolsets: sets})
	for _, name := range slices.Sorted(maps.Keys(malformedReads)) {
		t.Run(name, func(t *testing.T) {
			for _, call := range malformedReads[name] {
				call.check(t, c)
			}
		})
	}
}

func TestMalformedWritesChangeNothing(t *testing.T) {
	root, sets := malformedWorkspace(t)
	c := toolstest.NewClient(t, tools.Config{Toolsets: sets})
	before := documentBytes(t, root)
	for _, name := range slices.Sorted(maps.Keys(refusedWrites)) {
		t.Run(name, func(t *testing.T) {
			for _, call := range refusedWrites[name] {
				call.check(t, c)
				if after := documentBytes(t, root); after != before {
					t.Fatalf("%s %s changed a file", call.tool, call.args)
				}
			}
		})
	}
}

func TestWritesWithOtherNamesOfIDsAreDone(t *testing.T) {
	_, sets := malformedWorkspace(t)
	c := toolstest.NewClient(t, tools.Config{Toolsets: sets})
	for _, call := range takenWrites {
		call.check(t, c)
	}
}

// valueFor are values that make a difference where they are obeyed.
var valueFor = map[string]any{
	"status": "closed", "priority": "high", "labels": []string{"docs"}, "assignee": "ann", "project": "tools", "parentTaskId": "ISS-000041",
	"types": []string{"idea"}, "type": "idea", "limit": 2, "offset": 1, "format": "minimal", "cursor": "aaaaaaaaaaaa", "query": "docs",
	"fields": []string{"title"}, "filters": map[string]any{"status": "closed"}, "sortBy": "created", "sortOrder": "asc", "includeDescription": true,
	"ids": []string{"ISS-000041"}, "issueIds": []string{"ISS-000042"}, "id": "ISS-000042", "issueId": "ISS-000043", "createdAfter": "2026-02-15", "createdBefore": "2026-02-15",
	"section": "Steps", "startLine": 2, "endLine": 2, "maxTokens": 300, "groupBy": "type", "sessionId": "2026-01-01-nogit-0000",
}

// No tool that reads ignores an argument that any tool knows, unless its answer says so.
func TestNoReadIgnoresAnArgumentInSilence(t *testing.T) {
	_, sets := malformedWorkspace(t)
	c := toolstest.NewClient(t, tools.Config{Toolsets: sets})
	plain := map[string]map[string]any{
		"issues_search": {"query": "hook"}, "issues_get": {"id": "ISS-000041"}, "issues_get_batch": {"ids": []string{"ISS-000041", "ISS-000042"}},
		"issues_stats": {"groupBy": "status"},
	}
	known := make(map[string]bool)
	var reading []string
	for _, d := range c.List(t) {
		for _, path := range argumentsOf(t, d.InputSchema, "") {
			name := path[strings.LastIndex(path, ".")+1:]
			known[name] = true
		}
		if *d.Annotations["readOnlyHint"] {
			reading = append(reading, d.Name)
		}
	}
	for _, tool := range reading {
		without := c.Call(t, tool, plain[tool])
		for _, name := range slices.Sorted(maps.Keys(known)) {
			value, ok := valueFor[name]
			if !ok {
				value = "some value"
			}
			arguments := map[string]any{name: value}
			for own, other := range plain[tool] {
				if own != name {
					arguments[own] = other
				}
			}
			answer := c.Call(t, tool, arguments)
			if answer.IsError {
				continue
			}
			if strings.Contains(answer.Text(), "ignored unknown argument "+name) {
				continue
			}
			same := anyCursor.ReplaceAllString(answer.Text(), "") == anyCursor.ReplaceAllString(without.Text(), "")
			if same && name != "maxTokens" { // a smaller budget that the answer fits, too
				t.Errorf("%s answers the same with %s: %v", tool, name, value)
			}
		}
	}
}
