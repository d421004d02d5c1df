//go:build !windows

package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// Whatever is in the workspace and whatever is asked, no answer of any tool is
// larger than it may be, on either channel, by a real tokenizer; and each id,
// path and cursor that it shows is whole: it works in the next call.
func TestHostileWorkspace(t *testing.T) {
	if !storetest.Long() {
		t.Skip("this takes long: -long")
	}
	workspace := newHostileWorkspace(t, hostileBig)
	workspace.commit(t)
	sets := toolsetsOf(t, workspace.root, index.ModeWatch)
	maker := newCallMaker(t, sets, hostileValues(workspace))
	for _, output := range tools.Outputs() {
		t.Run(string(output), func(t *testing.T) {
			w := newWitness(t, output, answer.Defaults(), sets)
			asked := askHostile(t, w, maker, hostileReads(workspace))
			asked.works(t, w)
			writes := askHostile(t, w, maker, hostileWrites(t, w, workspace, string(output)))
			for tool := range maker.options {
				if asked.answered[tool]+writes.answered[tool] == 0 {
					t.Errorf("%s never answered without an error", tool)
				}
			}
		})
	}
	t.Run("an answer that nothing guards is seen to be too large", func(t *testing.T) {
		off := answer.Defaults()
		off.Off = true
		w := newWitness(t, tools.OutputBoth, off, sets)
		reply := w.Call(t, "issues_get", map[string]any{"id": workspace.handles()["headings"]})
		for _, channel := range []string{reply.Text(), string(reply.Structured)} {
			if complaint := w.exceeds(t, answer.Defaults().Budget("issues_get", 0), channel); complaint == "" {
				t.Errorf("%d bytes are allowed", len(channel))
			}
		}
	})
}

// hostileReads are the calls that the reading tools' options are added to.
func hostileReads(w hostileWorkspace) map[string][]map[string]any {
	calls := map[string][]map[string]any{
		"issues_list":   {{}, {"format": "full"}, {"format": "minimal", "limit": 100}},
		"issues_search": {{"query": "hostile"}, {"query": "the OR text", "includeDescription": true}, {}},
		"issues_get":    {{}},
		"issues_get_batch": {
			{}, {"ids": slices.Collect(maps.Values(w.handles()))},
			{"ids": slices.Collect(maps.Values(w.handles())), "fields": []string{"title", "labels"}},
		},
		"issues_labels":       {{"operation": "list"}},
		"issues_projects":     {{"operation": "list"}},
		"issues_all_complete": {{}},
		"issues_history":      {{}},
	}
	for _, groupBy := range []string{"status", "priority", "project", "assignee", "type", "label"} {
		calls["issues_stats"] = append(calls["issues_stats"], map[string]any{"groupBy": groupBy})
	}
	for _, kind := range []string{"headings", "cjk", "one fence", "shared", "unknown keys"} {
		calls["issues_get"] = append(calls["issues_get"], map[string]any{"id": w.handles()[kind]})
		calls["issues_history"] = append(calls["issues_history"], map[string]any{"id": w.handles()[kind]})
	}
	for _, kind := range []string{"context below the cap", "context over the cap", "unknown keys", "shared"} {
		calls["issues_metadata"] = append(calls["issues_metadata"], map[string]any{"operation": "get", "issueId": w.handles()[kind]})
	}
	return calls
}

// asked is what came of many calls.
type asked struct {
	answered map[string]int  // answers that are no error, by tool
	names    map[string]bool // ids and paths that answers show
	cursors  int
}

// askHostile makes the calls with all that may be added to them, and follows
// the cursors of their answers.
func askHostile(t *testing.T, w *witness, maker callMaker, calls map[string][]map[string]any) *asked {
	t.Helper()
	a := &asked{answered: make(map[string]int), names: make(map[string]bool)}
	for _, tool := range slices.Sorted(maps.Keys(calls)) {
		for _, given := range calls[tool] {
			all := maker.vary(t, tool, given)
			if _, ok := maker.options[tool]["maxTokens"]; ok {
				for _, tokens := range []int{500, 25_000} {
					all = append(all, maker.vary(t, tool, with(given, "maxTokens", tokens))...)
				}
			}
			for _, arguments := range all {
				reply := w.ask(t, tool, arguments)
				for pages := 0; !reply.IsError && pages < 3; pages++ {
					a.answered[tool]++
					cursor := a.note(t, tool, arguments, reply, w.cut)
					if cursor == "" {
						break
					}
					next := map[string]any{"cursor": cursor}
					if tool == "issues_get" || tool == "issues_history" {
						next["id"] = arguments["id"]
					}
					if tokens, ok := arguments["maxTokens"]; ok {
						next["maxTokens"] = tokens
					}
					if reply = w.ask(t, tool, next); reply.IsError {
						t.Errorf("%s %s: its cursor %s: %s", tool, brief(arguments), cursor, reply.Text())
					}
				}
				if reply.IsError {
					a.noteCandidates(reply)
				}
			}
		}
	}
	t.Logf("output %s: %d cursors, %d names", w.output, a.cursors, len(a.names))
	return a
}

var (
	nextCursor = regexp.MustCompile(`[Pp]ass cursor '([^']+)'`)
	rowName    = regexp.MustCompile(`^(?:'(.+?)' |(\S+) )`)
)

// note remembers the names that an answer shows, and returns its cursor. Where
// both channels are sent, they must show the same, unless the server cut them.
func (a *asked) note(t *testing.T, tool string, arguments map[string]any, reply toolstest.Answer, cut bool) string {
	t.Helper()
	text, cursor := reply.Text(), ""
	if reply.Structured == nil {
		switch tool {
		case "issues_get":
			if strings.Contains(text, "\n\n") {
				_, cursor = textEyes{}.part(t, text)
			}
		case "issues_list", "issues_search":
			if listLine.MatchString(text) {
				var names []string
				names, cursor = textEyes{}.page(t, text)
				for _, name := range names {
					a.names[name] = true
				}
			}
		default:
			if found := nextCursor.FindStringSubmatch(firstLine(text)); found != nil {
				cursor = found[1]
			}
		}
		return cursor
	}
	var s struct {
		Issues          []struct{ ID, Path string }
		Issue           struct{ ID, Path string }
		Ambiguous       []struct{ Paths []string }
		PendingIssueIDs []string
		NextCursor      string
	}
	if err := json.Unmarshal(reply.Structured, &s); err != nil {
		t.Errorf("%s %s: %v", tool, brief(arguments), err)
	}
	shown := slices.Clone(s.PendingIssueIDs)
	for _, issue := range append(s.Issues, s.Issue) {
		shown = append(shown, issue.ID, issue.Path)
	}
	for _, several := range s.Ambiguous {
		shown = append(shown, several.Paths...)
	}
	for _, name := range shown {
		if name == "" {
			continue
		}
		a.names[name] = true
		if !cut && strings.Contains(text, "\n") && !strings.Contains(text, name) {
			t.Errorf("%s %s: the text lacks %s", tool, brief(arguments), name)
		}
	}
	if s.NextCursor != "" {
		a.cursors++
		if !strings.Contains(text, "'"+s.NextCursor+"'") {
			t.Errorf("%s %s: the text lacks the cursor %s: %s", tool, brief(arguments), s.NextCursor, headOf(text))
		}
	}
	return s.NextCursor
}

// noteCandidates remembers the paths that an error names.
func (a *asked) noteCandidates(reply toolstest.Answer) {
	if reply.Meta.Error.Code != string(tools.CodeAmbiguousID) {
		return
	}
	for _, candidate := range strings.Split(reply.Text(), "\n")[1:] {
		if end := strings.Index(candidate, ".md "); end > 0 {
			a.names[candidate[:end+len(".md")]] = true
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// works checks that each name that was shown names a document, or one of
// several that have it.
func (a *asked) works(t *testing.T, w *witness) {
	t.Helper()
	if len(a.names) == 0 && w.output != tools.OutputStructured {
		t.Error("no answer showed a name")
	}
	for _, name := range slices.Sorted(maps.Keys(a.names)) {
		reply := w.ask(t, "issues_get", map[string]any{"id": name, "fields": []string{"status"}})
		if reply.IsError && reply.Meta.Error.Code != string(tools.CodeAmbiguousID) {
			t.Errorf("the name %q was shown and does not work: %s", name, reply.Text())
		}
	}
}
