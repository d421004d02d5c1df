package storetest

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Tests make many small workspaces and soon drop them: with rarer collections of garbage they
// take a quarter less time. A test binary that runs as the program keeps the program's way.
func init() {
	if strings.Contains(filepath.Base(os.Args[0]), ".test") {
		debug.SetGCPercent(400)
	}
}
