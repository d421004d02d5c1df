package session

import (
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// hints are those of each tool; none destroys or is for an open world.
var hints = map[string]struct{ readOnly, idempotent bool }{
	"session_start":      {},
	"session_phase":      {idempotent: true},
	"session_checkpoint": {idempotent: true},
	"session_complete":   {},
	"session_get":        {readOnly: true, idempotent: true},
}

func TestDefinitions(t *testing.T) {
	set := Toolset(nil)
	toolstest.Golden(t, "testdata/definitions", set)
	toolstest.CheckDefinitions(t, set)
	toolstest.NoDuplicateSentences(t, set)

	t.Run("a description says whether its tool reads or writes", func(t *testing.T) {
		for _, tool := range set.Tools {
			reads, writes := strings.Contains(tool.Description, "Read-only."), strings.Contains(tool.Description, "Writes.")
			if reads != tool.ReadOnly || writes == tool.ReadOnly {
				t.Errorf("%s: %s", tool.Name, tool.Description)
			}
		}
	})
	t.Run("hints speak for the whole tool", func(t *testing.T) {
		for _, tool := range set.Tools {
			want, known := hints[tool.Name]
			if !known || tool.ReadOnly != want.readOnly || tool.Idempotent != want.idempotent || tool.Destructive || tool.OpenWorld {
				t.Errorf("%s: read-only %t, idempotent %t, destructive %t, open world %t",
					tool.Name, tool.ReadOnly, tool.Idempotent, tool.Destructive, tool.OpenWorld)
			}
		}
	})
}

// The budgets are what the toolset over documents leaves of what all nineteen
// default tools may take: 15,600 bytes as text, 23,000 with output schemas.
func TestFootprint(t *testing.T) {
	for output, budget := range map[tools.Output]int{tools.OutputText: 2650, tools.OutputBoth: 4200} {
		size := toolstest.Footprint(t, output, Toolset(nil))
		t.Logf("output %s: %d bytes of %d", output, size, budget)
		if size > budget {
			t.Errorf("output %s: the definitions have %d bytes, over %d", output, size, budget)
		}
	}
}
