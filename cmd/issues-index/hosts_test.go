//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/tools"
	"issues-index/tools/o200k"
	"issues-index/tools/toolstest"
)

// A host shows its model an answer in one of these forms, as was recorded from each.
var (
	showText = func(a toolstest.Answer) string { return a.Text() }
	// The structured form where there is one, else the text; of an error the text.
	showStructured = func(a toolstest.Answer) string {
		if a.Structured != nil {
			return string(a.Structured)
		}
		return a.Text()
	}
	showTextAndStructured = func(a toolstest.Answer) string { return strings.TrimSpace(a.Text() + "\n" + string(a.Structured)) }
	showTextAndExtras     = func(a toolstest.Answer) string {
		extras := resultOf(a)
		delete(extras, "content")
		delete(extras, "isError")
		if len(extras) == 0 {
			return a.Text()
		}
		return a.Text() + "\n<mcp-result-extras>" + jsonOf(extras) + "</mcp-result-extras>"
	}
	showContent = func(a toolstest.Answer) string { return jsonOf(a.Content) }
	showResult  = func(a toolstest.Answer) string { return jsonOf(resultOf(a)) }
)

// hostsSeen are the hosts by the names that they give themselves.
var hostsSeen = map[string]func(toolstest.Answer) string{
	"claude-code":              showStructured,
	"codex-mcp-client":         showStructured,
	"Visual Studio Code":       showStructured,
	"github-copilot-developer": showTextAndStructured,
	"qwen-code-mcp-client":     showTextAndStructured,
	"kimi-code":                showTextAndExtras,
	"langchain-mcp-adapter":    showTextAndExtras,
	"@cline/core":              showResult,
	"mcphost":                  showResult,
	"continue-cli-client":      showContent,
	"ai-sdk-mcp-client":        showContent,
	"gemini-cli-mcp-client":    showText,
	"opencode":                 showText,
	"factory-cli":              showText,
	"stdio: issues-index":      showText,
	"crush":                    showText,
}

func resultOf(a toolstest.Answer) map[string]any {
	result := map[string]any{"content": a.Content}
	if a.Structured != nil {
		result["structuredContent"] = a.Structured
	}
	if a.IsError {
		result["isError"] = true
	}
	switch {
	case a.Meta.EstimatedTokens != nil:
		result["_meta"] = map[string]any{"estimatedTokens": a.Meta.EstimatedTokens, "budgetUsed": a.Meta.BudgetUsed, "budgetRemaining": a.Meta.BudgetRemaining}
	case a.Meta.Error != nil && a.Meta.Error.Remediation != "": // else the error's details are those that the client read from the text
		result["_meta"] = map[string]any{"error": a.Meta.Error}
	}
	return result
}

func jsonOf(value any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(out.String())
}

// everydayCalls are those by which hosts were compared.
var everydayCalls = []struct{ tool, args string }{
	{"issues_list", `{"limit":20}`},
	{"issues_get", `{"id":"SPEC-000900"}`},
	{"issues_get", `{"id":"ISS-000041"}`},
	{"issues_search", `{"query":"hook"}`},
	{"issues_stats", `{"groupBy":"status"}`},
	{"issues_update", `{"id":"ISS-000041","status":"in_progress"}`},
	{"issues_get", `{"id":"ISS-009999"}`},
	{"issues_list", `{"status":["almost"]}`},
	{"issues_get_batch", `{"ids":["ISS-000037","ISS-000039","ISS-000040","ISS-000041","ISS-000045"]}`},
	{"session_get", `{}`},
	{"issues_list", `{"limit":100,"format":"full"}`},
	{"issues_list", `{"status":"done","priority":"P1","limit":"x"}`},
}

// changing are the parts of an answer that differ from one call to the next.
var changing = regexp.MustCompile(`[0-9a-z]{12}|20\d\d-\d\d-\d\dT[0-9:.]+Z|"(budgetUsed|budgetRemaining|estimatedTokens)":[0-9.]+`)

// With output: auto each host's model pays what it would pay for the cheapest form that
// is whole, and sees every row.
func TestAutoIsTheCheapestWholeFormInEveryHost(t *testing.T) {
	root := sampleCopy(t)
	var long strings.Builder
	for i := range 600 {
		fmt.Fprintf(&long, "## Part %d\n\nThe \"hook\" of part %d runs before the commit, and says what it did.\n\nAnother paragraph of it.\n\n", i, i)
	}
	toolstest.Write(t, root, ".wrangler/specifications/SPEC-000900-long.md", "---\nid: SPEC-000900\ntitle: Long\nstatus: open\n---\n"+long.String())
	sets := toolsetsOf(t, root, index.ModeVerify)

	counted := make(map[string]int)
	price := func(shown string) int {
		shown = changing.ReplaceAllString(shown, "X")
		if _, ok := counted[shown]; !ok {
			counted[shown] = o200k.Count(shown)
		}
		return counted[shown]
	}
	toolstest.NewClient(t, tools.Config{Toolsets: sets}).Call(t, "issues_update", json.RawMessage(everydayCalls[5].args))
	for name, show := range hostsSeen {
		total := make(map[tools.Output]int)
		for _, output := range append(tools.Outputs(), tools.OutputAuto) {
			c := toolstest.NewClientNamed(t, name, tools.Config{Output: output, Toolsets: sets})
			for _, call := range everydayCalls {
				answer := c.Call(t, call.tool, json.RawMessage(call.args))
				shown := show(answer)
				total[output] += price(shown)
				if output != tools.OutputAuto {
					continue
				}
				if limit := tools.ProfileOf(name).Bytes; limit > 0 && len(shown) > limit+1000 {
					t.Errorf("%s: %s %s shows %d characters, and the host cuts at %d", name, call.tool, call.args, len(shown), limit+1000)
				}
				if call.args == `{"limit":20}` && !strings.Contains(shown, "ISS-000037") {
					t.Errorf("%s sees no rows: %s", name, shown)
				}
			}
		}
		if total[tools.OutputAuto] != total[tools.OutputText] || total[tools.OutputAuto] > total[tools.OutputBoth] {
			t.Errorf("%s: auto costs %d tokens, text %d, both %d", name, total[tools.OutputAuto], total[tools.OutputText], total[tools.OutputBoth])
		}
		t.Logf("%s: auto %d, both %d, structured %d", name, total[tools.OutputAuto], total[tools.OutputBoth], total[tools.OutputStructured])
	}
}
