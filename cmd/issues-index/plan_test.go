//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/o200k"
	"issues-index/tools/toolstest"
)

// A planned is one issue of the plan, by its place in it from 1.
type planned struct {
	title, priority string
	parent          int // 0 for none
	after           []int
}

// searchPlan is a plan of 30 issues: four parts with a parent each, and what waits for what
// within them and across them.
var searchPlan = []planned{
	{"Index the pages", "high", 0, nil},
	{"Search the index", "high", 0, nil},
	{"Show what was found", "medium", 0, nil},
	{"Release the search", "medium", 0, []int{1, 2, 3}},
	{"Write down which pages are indexed", "critical", 1, nil},
	{"Read pages from the disk", "high", 1, []int{5}},
	{"Take the text out of HTML", "high", 1, []int{5}},
	{"Split text into words", "high", 1, []int{7}},
	{"Store words with their places", "high", 1, []int{8}},
	{"Leave out pages that have not changed", "medium", 1, []int{6, 9}},
	{"Measure the size of the index", "low", 1, []int{9}},
	{"Write down the query language", "critical", 2, nil},
	{"Parse queries", "high", 2, []int{12}},
	{"Find pages with all words", "high", 2, []int{9, 13}},
	{"Find phrases", "medium", 2, []int{14}},
	{"Rank pages", "high", 2, []int{14}},
	{"Suggest words for misspelt ones", "low", 2, []int{9}},
	{"Measure the time of a query", "low", 2, []int{16}},
	{"Draw the page of results", "medium", 3, nil},
	{"Mark the words in the text", "medium", 3, []int{14, 19}},
	{"Page through results", "medium", 3, []int{16, 19}},
	{"Search as one types", "low", 3, []int{19, 18}},
	{"Make results readable aloud", "medium", 3, []int{19}},
	{"Tell when nothing was found", "medium", 3, []int{17, 19}},
	{"Describe the search for users", "medium", 4, []int{12}},
	{"Describe the index for operators", "low", 4, []int{10, 11}},
	{"Test with the pages of a real site", "high", 4, []int{15, 16, 20, 21}},
	{"Mend what the test found", "high", 4, []int{27}},
	{"Choose a version number", "low", 4, []int{28}},
	{"Announce the release", "low", 4, []int{25, 26, 29}},
}

// A planLog is what the agents asked and were told, one call after the other.
type planLog struct {
	text    strings.Builder
	tools   []string // in the order of their first calls
	spent   map[string]planSpent
	workers map[string]string // who claimed an issue, by its id
	closed  []string          // ids, as they were done
}

// A planSpent is the calls of one tool, and the tokens of their arguments and answers.
type planSpent struct{ calls, asked, told int }

// What differs from one run to the next, and what stands for it in the log.
var unsteady = []struct {
	text *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`), "2026-02-15T10:00:00.000Z"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d`), "2026-02-15"},
	{regexp.MustCompile(`(agent-[abc])/[0-9a-z]+`), "$1/d5fkdx"},
	{regexp.MustCompile(`(fence: )\d+`), "${1}1771149600000"},
	{regexp.MustCompile(`(version: )[0-9a-z]+`), "${1}iuslscln36"},
}

// A worker is an agent that knows the tools, but not the plan.
type worker struct {
	*agent
	t    *testing.T
	name string
	log  *planLog

	id    string // of the issue that it works on, "" for none
	text  string // of that issue, "" before it has read it
	noted bool   // it has checked the boxes
	idle  bool   // it was told that nothing is ready, and nothing was done since
}

// call calls a tool, and notes what was asked and told. into may be nil.
func (w *worker) call(tool string, arguments map[string]any, into any) {
	w.t.Helper()
	told := w.must(w.t, tool, arguments, into)
	asked, err := json.Marshal(arguments)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, u := range unsteady {
		told = u.text.ReplaceAllString(told, u.with)
	}
	fmt.Fprintf(&w.log.text, "%s calls %s %s\n%s\n\n", w.name, tool, asked, strings.TrimSpace(told))
	if operation, ok := arguments["operation"].(string); ok {
		tool += " " + operation
	}
	if !slices.Contains(w.log.tools, tool) {
		w.log.tools = append(w.log.tools, tool)
	}
	s := w.log.spent[tool]
	w.log.spent[tool] = planSpent{s.calls + 1, s.asked + o200k.Count(string(asked)), s.told + o200k.Count(told)}
}

// turn makes the worker's next call, and reports whether it finished an issue.
func (w *worker) turn() (finished bool) {
	w.t.Helper()
	switch {
	case w.id == "":
		var claimed struct{ ID string }
		w.call("issues_claim", map[string]any{"operation": "next"}, &claimed)
		if w.idle = claimed.ID == ""; w.idle {
			return false
		}
		if other := w.log.workers[claimed.ID]; other != "" {
			w.t.Errorf("%s claimed %s, which %s had", w.name, claimed.ID, other)
		}
		w.log.workers[claimed.ID], w.id = w.name, claimed.ID
	case w.text == "":
		var got struct{ Issue struct{ Description string } }
		w.call("issues_get", map[string]any{"id": w.id}, &got)
		w.text = got.Issue.Description
	case strings.Contains(w.text, "- [ ]") && !w.noted:
		var boxes []int
		for range strings.Count(w.text, "- [ ]") {
			boxes = append(boxes, len(boxes)+1)
		}
		w.call("issues_edit", map[string]any{"id": w.id, "edits": []any{
			map[string]any{"op": "check", "boxes": boxes},
			map[string]any{"op": "append", "text": "Done, and tried by hand."},
		}}, nil)
		w.noted = true
	default:
		w.call("issues_mark_complete", map[string]any{"id": w.id}, nil)
		w.log.closed = append(w.log.closed, w.id)
		w.id, w.text, w.noted = "", "", false
		return true
	}
	return false
}

// Three agents, each with a server of its own, work a plan of 30 issues to its end by the
// tools alone: one writes it down, and then they take turns. No issue is worked on twice,
// or before what it waits for is done. What they were told is in testdata/plan, what it
// cost in docs/tools.md.
func TestThreeAgentsWorkAPlan(t *testing.T) {
	t.Parallel()
	log := &planLog{spent: map[string]planSpent{}, workers: map[string]string{}}
	root := t.TempDir()
	var workers []*worker
	for _, name := range []string{"agent-a", "agent-b", "agent-c"} {
		a, err := newAgent(name, exec.Command("issues-index", "serve", "--workspace", root))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.end() })
		workers = append(workers, &worker{agent: a, t: t, name: name, log: log})
	}

	ids := make([]string, len(searchPlan)+1)
	for i, issue := range searchPlan {
		arguments := map[string]any{"title": issue.title, "priority": issue.priority, "description": "See the titles of what it is part of."}
		if issue.parent > 0 {
			arguments["parent"] = ids[issue.parent]
			arguments["description"] = "## Acceptance\n\n- [ ] it works\n- [ ] a test shows it\n"
		}
		var after []string
		for _, n := range issue.after {
			after = append(after, ids[n])
		}
		if len(after) > 0 {
			arguments["dependsOn"] = after
		}
		var created struct{ ID string }
		workers[0].call("issues_create", arguments, &created)
		ids[i+1] = created.ID
	}

	for turns := 0; len(log.closed) < len(searchPlan) && turns < 10*len(searchPlan); turns++ {
		for _, w := range workers {
			if !w.idle && w.turn() {
				for _, other := range workers {
					other.idle = false
				}
			}
		}
	}
	if len(log.closed) != len(searchPlan) {
		t.Fatalf("%d of %d issues are done", len(log.closed), len(searchPlan))
	}
	for i, issue := range searchPlan {
		at := func(n int) int { return slices.Index(log.closed, ids[n]) }
		for _, first := range issue.after {
			if at(first) > at(i+1) {
				t.Errorf("%q was done before %q", issue.title, searchPlan[first-1].title)
			}
		}
		if issue.parent > 0 && at(issue.parent) < at(i+1) {
			t.Errorf("%q was done before its part %q", searchPlan[issue.parent-1].title, issue.title)
		}
	}

	toolstest.Same(t, filepath.Join("testdata", "plan", "transcript.txt"), []byte(log.text.String()))
	keepTable(t, "docs/tools.md", "plan", log.table())
}

// table has a line for each tool: how often it was called, and what that cost.
func (l *planLog) table() string {
	var b strings.Builder
	b.WriteString("| call | calls | tokens asked | tokens told |\n|---|---|---|---|\n")
	var all planSpent
	for _, tool := range l.tools {
		s := l.spent[tool]
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d |\n", tool, s.calls, s.asked, s.told)
		all = planSpent{all.calls + s.calls, all.asked + s.asked, all.told + s.told}
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d |\n", all.calls, all.asked, all.told)
	return b.String()
}
