package issues

import (
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

func TestGuide(t *testing.T) {
	toolstest.CheckInstructions(t, tools.Instructions(Toolset(nil)),
		"issues, specifications and ideas",          // what is here
		"issues_stats", "issues_list", "issues_get", // find first, then read
		"ISS-000042", "AMBIGUOUS_ID", "path", // how documents are named and told apart
		"typed filters", "cursor", "Narrow")
}
