package prompts_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/issues"
	"issues-index/tools/prompts"
	"issues-index/tools/toolstest"
)

// given are the arguments of each prompt, as short and as long as they usually are.
var given = []map[string]string{
	{"id": "ISS-000001"},
	{"id": "ISS-000001", "label": "needs-triage", "workspace": "payments"},
}

func TestTextsAreShortAndTheirCallsAreTaken(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".wrangler", "issues"), 0o755); err != nil {
		t.Fatal(err)
	}
	document := "---\nid: ISS-000001\ntitle: One\nstatus: open\n---\n- [ ] Box\n"
	if err := os.WriteFile(filepath.Join(root, ".wrangler", "issues", "ISS-000001.md"), []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close(); ws.Close() })
	client := toolstest.NewClient(t, tools.Config{
		Output: tools.OutputText, Toolsets: []tools.Toolset{tools.PerWorkspace(ix, false, issues.Toolset)},
		Workspaces: func(_ context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
			if ask.Workspace != "" && ask.Workspace != "payments" {
				t.Errorf("the workspace is %q", ask.Workspace)
			}
			return tools.WorkspaceBinding{Index: ix, Settings: answer.Defaults(), Release: func() {}}, nil
		},
	})
	for _, prompt := range prompts.All() {
		for _, arguments := range given {
			t.Run(prompt.Name, func(t *testing.T) {
				text := prompt.Text(arguments)
				if cost := answer.Estimate(len(text)); cost > prompts.MaxTokens {
					t.Errorf("the text costs %d tokens", cost)
				}
				calls := callPattern.FindAllStringSubmatch(text, -1)
				if len(calls) < 3 {
					t.Fatalf("the text has the calls %q", calls)
				}
				for _, call := range calls {
					var args map[string]any
					if err := json.Unmarshal([]byte(asJSON(call[2])), &args); err != nil {
						t.Fatalf("%s: %v", call[0], err)
					}
					if strings.Contains(call[0], "workspace") != (arguments["workspace"] != "") {
						t.Errorf("%s names no workspace, or none was given", call[0])
					}
					if args["id"] == "ID" {
						args["id"] = "ISS-000001"
					}
					if a := client.Call(t, call[1], args); a.IsError && a.Meta.Error.Code != string(tools.CodeConfiguration) && a.Meta.Error.Code != string(tools.CodeConflict) {
						t.Errorf("%s: %s", call[0], a.Text())
					}
				}
			})
		}
	}
}

// callPattern is a call as the texts write it.
var callPattern = regexp.MustCompile(`(issues_\w+) (\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})`)

var memberName = regexp.MustCompile(`([{,]\s*)(\w+):`)

// asJSON is the arguments of a call in JSON.
func asJSON(arguments string) string {
	return memberName.ReplaceAllString(strings.ReplaceAll(arguments, "'", `"`), `$1"$2":`)
}
