package issues

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// However a call says that a label is added or taken away, no other label is lost. Each call is
// made for an issue with the labels a and b, which waits for ISS-000002.
func TestNoSpellingDestroysLabels(t *testing.T) {
	t.Parallel()
	const issue = "---\nid: ISS-000001\ntitle: One\nlabels: [a, b, '+1']\ndependsOn: [ISS-000002]\n---\n"
	const waitsFor = "ISS-000002"
	const update, batch, labels = "issues_update", "issues_update_batch", "issues_labels"
	for _, c := range []struct {
		tool, args    string
		labels, waits string // afterwards
		says          string // "" for no error
	}{
		{update, `{"id":"1","labels":["+x"]}`, "a b +1 x", waitsFor, "labels: a, b, +1 → a, b, +1, x"},
		{update, `{"id":"1","labels":"+x,-a"}`, "b +1 x", waitsFor, ""},
		{update, `{"id":"1","labels":["-a","-nothing"]}`, "b +1", waitsFor, ""},
		{update, `{"id":"1","addLabels":["x","a"]}`, "a b +1 x", waitsFor, ""},
		{update, `{"id":"1","addLabels":["+x"],"removeLabels":"-a"}`, "b +1 x", waitsFor, ""},
		{update, `{"id":"1","removeLabels":["+1","b"]}`, "a", waitsFor, ""},
		{update, `{"id":"1","addLabels":["a"]}`, "a b +1", waitsFor, "No changes"},
		{update, `{"id":"1","removeLabels":["x"]}`, "a b +1", waitsFor, "No changes"},
		{update, `{"id":"1","labels":["c"],"addLabels":["d"]}`, "c d", waitsFor, ""},
		{update, `{"id":"1","labels":["+1","c"]}`, "+1 c", waitsFor, ""},
		{
			update, `{"id":"1","labels":["+x","y"]}`, "a b +1", waitsFor,
			"Nothing was changed: write +x,+y to change the list, x,y to replace it.",
		},
		{update, `{"id":"1","addLabels":["-x"]}`, "a b +1", waitsFor, "'-x' is no name to add"},
		{update, `{"id":"1","dependsOn":["+3"]}`, "a b +1", "ISS-000002 ISS-000003", ""},
		{update, `{"id":"1","dependsOn":"+3,-2"}`, "a b +1", "ISS-000003", ""},
		{update, `{"id":"1","addDependsOn":["+3"],"removeDependsOn":["-2"]}`, "a b +1", "ISS-000003", ""},
		{update, `{"id":"1","dependsOn":["+3","2"]}`, "a b +1", waitsFor, "write +3,+2 to change the list"},
		{batch, `{"updates":[{"id":"1","labels":["+x"]}]}`, "a b +1 x", waitsFor, ""},
		{batch, `{"updates":[{"id":"1","addLabels":["x"],"removeLabels":["a"]}]}`, "b +1 x", waitsFor, ""},
		{batch, `{"updates":[{"id":"1","labels":["+x","y"]}]}`, "a b +1", waitsFor, "write +x,+y to change the list"},
		{labels, `{"operation":"add","issueId":"1","labels":["+x"]}`, "a b +1 x", waitsFor, ""},
		{labels, `{"operation":"remove","issueId":"1","labels":["-a","+1"]}`, "b", waitsFor, ""},
		{labels, `{"operation":"add","issueId":"1","labels":["-a"]}`, "a b +1", waitsFor, "'-a' is no name to add"},
		{
			"issues_edit", `{"id":"1","addLabels":["x"],"edits":[{"op":"append","text":"T"}]}`, "a b +1", waitsFor,
			"issues_update changes fields.",
		},
	} {
		t.Run(c.tool+c.args, func(t *testing.T) {
			root := t.TempDir()
			toolstest.Write(t, root, ".wrangler/issues/ISS-000001.md", issue)
			for _, id := range []string{"ISS-000002", "ISS-000003"} {
				toolstest.Write(t, root, ".wrangler/issues/"+id+".md", "---\nid: "+id+"\ntitle: "+id+"\n---\n")
			}
			f := serve(t, root)
			text := f.Call(t, c.tool, json.RawMessage(c.args)).Text()
			if !strings.Contains(text, c.says) || c.says == "" && strings.Contains(text, "ERROR") {
				t.Errorf("it does not say %q: %s", c.says, text)
			}
			doc, _, err := f.ix.Workspace().Load(".wrangler/issues/ISS-000001.md")
			if err != nil {
				t.Fatal(err)
			}
			if labels := strings.Join(doc.Labels, " "); labels != c.labels {
				t.Errorf("labels %q, want %q: %s", labels, c.labels, text)
			}
			if waits := strings.Join(doc.DependsOn(), " "); waits != c.waits {
				t.Errorf("dependsOn %q, want %q: %s", waits, c.waits, text)
			}
		})
	}
}

// A new issue has labels without their signs.
func TestNewLabelsHaveNoSigns(t *testing.T) {
	t.Parallel()
	f := serve(t, t.TempDir())
	for labels, want := range map[string]string{`["+x","+y"]`: "x y", `"+x,-y"`: "x", `["-y"]`: ""} {
		arguments := json.RawMessage(`{"title":` + strconv.Quote(labels) + `,"description":"T","labels":` + labels + `}`)
		made, _ := toolstest.Must[createAnswer](t, f.Client, "issues_create", arguments)
		doc, _, err := f.ix.Workspace().Load(made.Path)
		if err != nil || strings.Join(doc.Labels, " ") != want {
			t.Errorf("%s makes %q: %v", labels, doc.Labels, err)
		}
	}
	for arguments, want := range map[string]string{
		`"labels":["+x","y"]`: "write +x,+y to change the list, x,y to replace it",
		`"addLabels":["x"]`:   "pass labels.", `"dependsOn":["+1","2"]`: "write +1,+2",
	} {
		answer := f.Call(t, "issues_create", json.RawMessage(`{"title":"Z","description":"T",`+arguments+`}`))
		if text := answer.Text(); !strings.Contains(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
}

// No suggestion for an unknown argument that says to add or to take away replaces a list, a text
// or a person, and none for one label replaces all.
func TestNoSuggestionReplacesMoreThanWasAsked(t *testing.T) {
	t.Parallel()
	f := serve(t, t.TempDir())
	call := func(tool, arguments string) string { return f.Call(t, tool, json.RawMessage(arguments)).Text() }
	fields := []string{
		"Labels", "Label", "Tags", "labels", "Assignee", "Project", "Description", "Title", "DependsOn", "Parent", "Status",
	}
	changes := []string{"add", "append", "remove", "delete", "drop", "push", "extend", "insert", "Add_", "remove-"}
	for _, change := range changes {
		for _, field := range fields {
			name := change + field
			if slices.Contains([]string{"addLabels", "removeLabels", "addDependsOn", "removeDependsOn"}, name) {
				continue
			}
			for _, text := range []string{
				call("issues_update", `{"id":"1","`+name+`":["x"]}`),
				call("issues_update_batch", `{"updates":[{"id":"1","`+name+`":["x"]}]}`),
				call("issues_create", `{"title":"A","description":"B","`+name+`":["x"]}`),
				call("issues_edit", `{"id":"1","edits":[],"`+name+`":["x"]}`),
			} {
				_, near, suggests := strings.Cut(text, "Did you mean ")
				near, _, _ = strings.Cut(near, "?")
				near = near[strings.LastIndex(near, ".")+1:]
				if suggests && !strings.HasPrefix(near, "add") && !strings.HasPrefix(near, "remove") {
					t.Errorf("%s is answered with %s: %s", name, near, text)
				}
			}
		}
	}
	for name, want := range map[string]string{
		"addLabel": "addLabels", "appendLabels": "addLabels", "add_labels": "addLabels", "addTag": "addLabels",
		"label": "addLabels", "tag": "addLabels", "labels+": "addLabels",
		"removeLabel": "removeLabels", "removeTags": "removeLabels", "tags": "labels", "lables": "labels",
	} {
		if text := call("issues_update", `{"id":"1","`+name+`":["x"]}`); !strings.Contains(text, "Did you mean "+want+"?") {
			t.Errorf("%s is not answered with %s: %s", name, want, text)
		}
	}
	if text := call("issues_update", `{"id":"1","labels-":["x"]}`); strings.Contains(text, "Did you mean") {
		t.Errorf("labels- is answered with another argument: %s", text)
	}
}
