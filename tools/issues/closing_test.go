package issues

import (
	"encoding/json"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// TestEveryToolThatClosesSaysWhatThatLeavesAndFrees closes the same document with each of them.
func TestEveryToolThatClosesSaysWhatThatLeavesAndFrees(t *testing.T) {
	t.Parallel()
	for tool, arguments := range map[string]string{
		"issues_update":        `{"id": "ISS-000001", "status": "closed"}`,
		"issues_update_batch":  `{"updates": [{"id": "ISS-000001", "status": "closed"}]}`,
		"issues_mark_complete": `{"id": "ISS-000001"}`,
	} {
		root := t.TempDir()
		toolstest.Write(t, root, ".wrangler/issues/ISS-000001-parser.md", planned)
		toolstest.Write(t, root, ".wrangler/issues/ISS-000002-child.md", "---\nid: ISS-000002\ntitle: A part\nstatus: in_progress\nparentTaskId: ISS-000001\n---\n")
		toolstest.Write(t, root, ".wrangler/issues/ISS-000003-waits.md", "---\nid: ISS-000003\ntitle: Say \"done\"\ndependsOn: [ISS-000001]\n---\n")
		f := serve(t, root)
		before := f.Call(t, "issues_update", map[string]any{"id": "ISS-000001", "priority": "low"}).Text()
		text := f.Call(t, tool, json.RawMessage(arguments)).Text()
		for _, want := range []string{`3 boxes are still open: 2 "Write **tests**"`, `1 child is still open: ISS-000002 "A part"`, `ready now: ISS-000003 "Say \"done\""`} {
			if !strings.Contains(text, want) || strings.Contains(before, want) {
				t.Errorf("%s lacks %q:\n%s\nbefore:\n%s", tool, want, text, before)
			}
		}
	}
}
