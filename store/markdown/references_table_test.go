package markdown

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestReferencesInTables(t *testing.T) {
	t.Run("of a thousand rows are all found", func(t *testing.T) {
		text := "| a | b | c |\n|---|---|---|\n"
		for i := range 1000 {
			text += fmt.Sprintf("| [%d](%d.md) | [[P%d\\|alias]] | *ISS-%d* |\n", i, i, i, i)
		}
		if found := references(text); len(found) != 3000 || found[2999].Target != "ISS-999" || found[2998].Target != "P999" {
			t.Errorf("%d are found, the last %+v", len(found), found[max(0, len(found)-2):])
		}
	})
	t.Run("of many empty cells take little memory", func(t *testing.T) {
		text := "ISS-1\n\n" + strings.Repeat("|a", 500) + "\n" + strings.Repeat("|-", 500) + "\n" + strings.Repeat("|[\n", 20_000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found := references(text)
		runtime.ReadMemStats(&after)
		if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 100 {
			t.Errorf("%d references take %d MB", len(found), taken)
		}
	})
}
