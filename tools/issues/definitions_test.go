package issues

import (
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// The goldens hold the names of the tools and their hints.
func TestDefinitions(t *testing.T) {
	set := Toolset(nil)
	toolstest.Golden(t, "testdata/definitions", set)
	toolstest.CheckDefinitions(t, set)
	toolstest.NoDuplicateSentences(t, set)

	t.Run("a description says whether its tool reads or writes", func(t *testing.T) {
		for _, tool := range set.Tools {
			reads := strings.Contains(tool.Description, "ead-only.")
			writes := strings.Contains(tool.Description, "Writes.") || strings.Contains(tool.Description, "remove write and need")
			if reads != tool.ReadOnly || writes == tool.ReadOnly {
				t.Errorf("%s: %s", tool.Name, tool.Description)
			}
		}
	})
}

// A tool may take so many bytes of the list on average, as text and with output schemas.
func TestFootprint(t *testing.T) {
	for output, budget := range map[tools.Output]int{tools.OutputText: 760, tools.OutputBoth: 1105} {
		set := Toolset(nil)
		budget *= len(set.Tools)
		size := toolstest.Footprint(t, output, set)
		t.Logf("output %s: %d bytes of %d", output, size, budget)
		if size > budget {
			t.Errorf("output %s: the definitions have %d bytes, over %d", output, size, budget)
		}
	}
}
