package issues

import (
	"errors"
	"strings"
	"testing"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/tools/toolstest"
)

// Documents whose statuses the workspace does not know are never ready. Where nothing is, the
// answer says so, and what the user has to add.
func TestNothingIsReadyForUnknownStatuses(t *testing.T) {
	for name, c := range map[string]struct {
		layout    string
		documents []string // their statuses
		want      string   // "" when nothing is to be said
	}{
		"own statuses came, and the documents have the usual ones": {
			"statuses: [{name: To Do, category: open}, {name: Doing, category: active}, {name: Done, category: done}]\n",
			[]string{"open", "open", "in_progress"},
			"3 documents have statuses that the workspace does not know: open, in_progress; ask the user to add to statuses in .wrangler/config/issues-index.yaml" +
				", each category being open, active, done or cancelled: {name: open, category: open}, {name: in_progress, category: active}",
		},
		"one that nobody has mentioned": {
			"", []string{"closed", "stuck: here"},
			`1 document has a status that the workspace does not know: "stuck: here"; ask the user to add this line to .wrangler/config/issues-index.yaml` +
				", each category being open, active, done or cancelled: statuses: [{name: open, category: open}, " +
				`{name: "stuck: here", category: open}, {name: in_progress, category: active}, {name: closed, category: done}, {name: cancelled, category: cancelled}]`,
		},
		"those of another program": {
			"folders: {issue: .wrangler/issues}\n", []string{"To Do", "Done"},
			"2 documents have statuses that the workspace does not know: Done, To Do; ask the user to add this line to .wrangler/config/issues-index.yaml" +
				", each category being open, active, done or cancelled: statuses: [{name: To Do, category: open}, {name: In Progress, category: active}, {name: Done, category: done}]",
		},
		"all are known": {"", []string{"closed", "cancelled"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			toolstest.Write(t, root, layout.File, c.layout)
			for i, status := range c.documents {
				toolstest.Write(t, root, ".wrangler/issues/"+string(rune('a'+i))+".md", "---\nid: ISS-00000"+string(rune('1'+i))+"\nstatus: '"+status+"'\n---\n")
			}
			f := serve(t, root)
			for tool, arguments := range map[string]object{
				claimName:       {"operation": "next"},
				"issues_list":   {"ready": true},
				"issues_search": {"query": "text", "filters": object{"where": "is:ready"}},
			} {
				answer := f.Call(t, tool, arguments)
				for channel, text := range map[string]string{"text": answer.Text(), "object": string(answer.Structured)} {
					text = strings.ReplaceAll(text, `\"`, `"`)
					if answer.IsError || strings.Contains(text, "does not know") != (c.want != "") || !strings.Contains(text, c.want) {
						t.Errorf("%s, %s: %s", tool, channel, text)
					}
				}
			}
			if text := f.Call(t, "issues_list", object{"labels": []string{"none"}}).Text(); strings.Contains(text, "does not know") {
				t.Errorf("of a list that does not ask for the meaning: %s", text)
			}
		})
	}
}

// While the file of a layout is broken the last good one stays, and each write says so.
func TestARefusedLayoutIsSaid(t *testing.T) {
	f := claimsIn(t, "")
	c := f.agent(t, "s1")
	for _, step := range []struct{ text, want string }{
		{"output: text\nprorities: [p1]\n", `.wrangler/config/issues-index.yaml:2: unknown key "prorities": did you mean priorities?`},
		{"statuses: open\n", ".wrangler/config/issues-index.yaml:1: invalid statuses: must be a list"},
		{"", ""},
	} {
		toolstest.Write(t, f.root, layout.File, step.text)
		if err := f.ix.Workspace().CheckLayout(); (err != nil) != (step.want != "") || errors.Is(err, store.ErrRelaid) {
			t.Fatal(err)
		}
		for _, priority := range []string{"high", "low"} {
			text := c.Call(t, "issues_update", object{"id": "ISS-000001", "priority": priority}).Text()
			if strings.Contains(text, "is refused, and the last good one stays: "+step.want) != (step.want != "") {
				t.Errorf("%q: %s", step.text, text)
			}
		}
		if text := c.Call(t, "issues_get", object{"id": "ISS-000001"}).Text(); strings.Contains(text, "refused") {
			t.Error(text)
		}
	}
}
