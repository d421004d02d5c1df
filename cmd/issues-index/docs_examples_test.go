//go:build !windows

package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/clientfile"
	"issues-index/tools/issues"
)

// docExamples try the blocks of code that are no commands, by their language and first line.
var docExamples = map[string]func(t *testing.T, world docWorld, block string){
	"markdown ---": func(t *testing.T, w docWorld, block string) {
		if strings.Contains(block, "severity:") { // a template of a workspace
			w.run(t, "issues-index new 'It breaks'", docRow{
				setup: put(".wrangler/templates/issue.md", block), then: "cat .wrangler/issues/ISS-000181-*",
				shows: `priority: high.*labels:\s+- bug.*severity: 2.*## Steps to reproduce`,
			})
			return
		}
		w.run(t, "issues-index check", docRow{
			setup: "rm .wrangler/issues/ISS-000001-*; cd .wrangler/specifications; sed -i.bak s/000207/000004/ SPEC-000207-*; " +
				"mv SPEC-000207-plan.md SPEC-000004-plan.md; cd ../..; " + put(".wrangler/issues/ISS-000001-dates.md", block),
			out:  "No problems in 200 documents",
			then: "issues-index show 1", shows: "in_progress.*Importer.*SPEC-000004.*03 May",
		})
	},
	"json {": func(t *testing.T, _ docWorld, block string) { // the file of a client, which init finds complete
		for _, c := range clientfile.MCPClients {
			if c.Name == "codex" || !strings.Contains(block, `"command"`) {
				continue
			}
			if edited, entry, err := c.Add([]byte(block)); err == nil && string(edited) == block && entry.Usual() {
				return
			}
		}
		if strings.Contains(block, `"command"`) {
			t.Errorf("no client has it as init writes it:\n%s", block)
		} else if !json.Valid([]byte(block)) || !strings.Contains(block, `"url": "http://127.0.0.1:8080/mcp"`) {
			t.Errorf("no address of a server:\n%s", block)
		}
	},
	"markdown ## Issues": tryInstructions, "markdown ## Issues, on the command line": tryInstructions,
	`json { "hooks": {`: func(t *testing.T, _ docWorld, block string) { // those of the plugin
		plugin, err := os.ReadFile(filepath.Join(pluginDir, "hooks", "hooks.json"))
		if err != nil {
			t.Fatal(err)
		}
		var here, there any
		if err := errors.Join(json.Unmarshal([]byte(block), &here), json.Unmarshal(plugin, &there)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(here, there) {
			t.Errorf("the plugin has other hooks:\n%s", plugin)
		}
	},
	"toml [mcp_servers.issues]": func(t *testing.T, _ docWorld, block string) {
		for _, c := range clientfile.MCPClients {
			if c.Name != "codex" {
				continue
			}
			edited, entry, err := c.Add([]byte(block))
			if err != nil || strings.Contains(block, "command") != (string(edited) == block && entry.Usual()) {
				t.Errorf("%v, %+v: %s", err, entry, edited)
			}
		}
	},
	`json {"id": "ISS-000041", "edits": [`: func(t *testing.T, w docWorld, block string) {
		call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"issues_edit","arguments":` +
			strings.ReplaceAll(block, "\n", " ") + "}}"
		w.run(t, "issues-index serve", docRow{
			stdin: handshake + call + "\n", out: `"id":2`, not: "isError",
			then:  "cat .wrangler/issues/ISS-000041-*",
			shows: `- \[x\] Fast\n- \[ \] It is written down\n- \[x\] Tests cover.*## Notes\s+Merged in 4feb5ab\.`,
		})
	},
	"text program    cmd/issues-index, cmd/issues-index/terminal": func(t *testing.T, _ docWorld, _ string) {
		checkTestsExist(t, "TestImportsPointOneWay")
	},
	"text dependsOn: [ISS-000012]        # also depends_on, dependencies, blockedBy, blocked_by": func(t *testing.T, w docWorld, block string) {
		w.run(t, "issues-index show IDEA-000219 --json", docRow{
			setup: put(".wrangler/ideas/IDEA-000219-plan.md", "---\nid: IDEA-000219\n"+block+"---\n"),
			out:   "ISS-000012.*SPEC-000007", then: "issues-index deps 50; issues-index list --where under:SPEC-000007",
			shows: "IDEA-000219.*IDEA-000219",
		})
	},
	"text status = open and priority >= high     fields and values": func(t *testing.T, w docWorld, block string) {
		for line := range strings.Lines(block) {
			criteria := strings.TrimSpace(explanation.ReplaceAllString(strings.TrimSpace(line), ""))
			if at := strings.Index(criteria, " days;"); at > 0 { // one blank before what explains it
				criteria = criteria[:at]
			}
			if !strings.HasPrefix(criteria, "is:") || strings.Contains(criteria, "sort") {
				w.only(t, "issues-index list --where '"+criteria+"'")
				continue
			}
			for one := range strings.FieldsSeq(criteria) { // each for itself
				if strings.HasPrefix(one, "is:") {
					w.only(t, "issues-index list --where '"+one+"'")
				}
			}
		}
	},
	"text big:": func(t *testing.T, w docWorld, block string) {
		w.run(t, "issues-index check", docRow{
			setup: put(".wrangler/views.yaml", block), out: "No problems", then: "issues-index list @big", shows: "ISS-000006",
		})
	},
	"yaml output: text": tryConfiguration,
	"yaml workspaces:":  tryConfiguration,
	"yaml auth:":        tryConfiguration,
	"yaml team:":        tryConfiguration,
	"yaml statuses:":    tryLayout,
	"yaml folders:":     tryLayout,
}

// tryInstructions looks at what agents are told: each command of it is understood, and each tool is one.
func tryInstructions(t *testing.T, _ docWorld, block string) {
	named := 0
	for _, found := range regexp.MustCompile("`(issues-index|issues_\\w+)( [^`]*)?`").FindAllStringSubmatch(block, -1) {
		named++
		if found[1] != "issues-index" {
			if !slices.ContainsFunc(issues.Toolset(nil).Tools, func(tool tools.Tool) bool { return tool.Name == found[1] }) {
				t.Errorf("%s is no tool", found[1])
			}
			continue
		}
		runs, err := readLine(found[1] + found[2])
		if err != nil {
			t.Errorf("%s: %v", found[0], err)
		}
		for _, words := range runs {
			if err := parses(words); err != nil && len(words) > 0 {
				t.Errorf("%s: %v", found[0], err)
			}
		}
	}
	if named < 4 {
		t.Errorf("it names only %d tools and commands", named)
	}
}

// handshake begins a conversation over stdio.
const handshake = initialize + "\n"

// put is a shell command that writes a file.
func put(file, text string) string {
	return "mkdir -p " + filepath.Dir(file) + "; cat > " + file + " <<'EOF'\n" + text + "EOF\n"
}

// tryConfiguration has a file of configuration checked.
func tryConfiguration(t *testing.T, w docWorld, block string) {
	w.run(t, "issues-index config check FILE", docRow{setup: put("FILE", block), out: "^[^:]*$|no problem|valid"})
}

// tryLayout makes a workspace of this layout, and a document in it that is closed and reopened.
func tryLayout(t *testing.T, w docWorld, block string) {
	w.run(t, "issues-index new 'In the layout' --body '' --json --jq .path", docRow{
		setup: "rm -r .wrangler; mkdir -p backlog/tasks; " + put(".wrangler/config/issues-index.yaml", block), out: "md",
		then: "id=$(issues-index list -a --format '{{.ID}}'); issues-index set $id status='In Progress'; " +
			"issues-index done $id; issues-index list -a; issues-index check",
		shows: "Done.*No problems",
	})
}

// only runs a command that changes nothing in the workspace itself.
func (w docWorld) only(t *testing.T, command string) {
	t.Helper()
	if out, err := w.shell(filepath.Dir(w.root), w.root, command).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", command, err, out)
	}
}
