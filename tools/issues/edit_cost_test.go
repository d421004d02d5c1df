package issues

import (
	"encoding/json"
	"fmt"
	"testing"

	"issues-index/tools/o200k"
	"issues-index/tools/toolstest"
)

// TestEditCost prices changes of parts of a specification of about 11,000 tokens, in tokens
// by o200k: what an agent writes for the call, and what it reads of the answer. Beside them
// stands the way without issues_edit: read the text, and write all of it again.
//
//	go test ./tools/issues -run TestEditCost -v
func TestEditCost(t *testing.T) {
	t.Parallel()
	const id, most = "SPEC-000041", 300
	f := corpus(t)
	table := fmt.Sprintf("tokens by o200k\n%-24s %8s %8s %12s\n", "", "call", "text", "structured")
	price := func(tool string, arguments map[string]any) (call, text, structured int, answer toolstest.Answer) {
		t.Helper()
		sent, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		if answer = f.Call(t, tool, arguments); answer.IsError {
			t.Fatalf("%s: %s", tool, answer.Text())
		}
		return o200k.Count(string(sent)), o200k.Count(answer.Text()), o200k.Count(string(answer.Structured)), answer
	}

	for _, e := range []struct {
		name string
		edit map[string]any
	}{
		{"tick one box", map[string]any{"op": "check", "boxes": []any{"4 Commit with passing tests"}}},
		{"append a note", map[string]any{"op": "append", "text": "## Notes\n\nThe hooks are installed in all three sample projects. Windows is not tested yet: git-bash has no `realpath`."}},
		{"replace a section", map[string]any{"op": "replace_section", "section": "Monitoring", "text": "- Nothing leaves the machine.\n- `wrangler hooks status` prints how often each hook ran, failed and was bypassed in the last 30 days.\n- A hook that takes over 60 seconds prints how to move its tests to pre-push."}},
	} {
		call, text, structured, _ := price("issues_edit", map[string]any{"id": id, "edits": []any{e.edit}})
		table += fmt.Sprintf("%-24s %8d %8d %12d\n", e.name, call, text, structured)
		if max(call, text, structured) >= most {
			t.Errorf("%s costs %d tokens to write and %d or %d to read", e.name, call, text, structured)
		}
	}

	var calls, texts, structureds int
	add := func(call, text, structured int, answer toolstest.Answer) toolstest.Answer {
		calls, texts, structureds = calls+call, texts+text, structureds+structured
		return answer
	}
	body := ""
	for cursor := ""; ; {
		arguments := map[string]any{"id": id}
		if cursor != "" {
			arguments["cursor"] = cursor
		}
		var part struct {
			Description, NextCursor string
			Issue                   struct{ Description string }
		}
		if err := json.Unmarshal(add(price("issues_get", arguments)).Structured, &part); err != nil {
			t.Fatal(err)
		}
		body += part.Description + part.Issue.Description
		if cursor = part.NextCursor; cursor == "" {
			break
		}
	}
	if tokens := o200k.Count(body); tokens < 10_000 {
		t.Fatalf("only %d tokens of the text were read", tokens)
	}
	add(price("issues_update", map[string]any{"id": id, "description": body + "\nOne more note.\n"}))
	t.Logf("%s%-24s %8d %8d %12d", table, "read and write all of it", calls, texts, structureds)
}
