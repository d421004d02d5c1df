package storetest

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Tests make many small workspaces and soon drop them. With rarer collections of garbage, and
// with their files in memory where there is room, they take half the time. TMPDIR overrides
// the latter. A test binary that runs as the program keeps the program's way.
func init() {
	if !strings.Contains(filepath.Base(os.Args[0]), ".test") {
		return
	}
	debug.SetGCPercent(400)
	const folder, room = "/dev/shm", 4 << 30
	if os.Getenv("TMPDIR") == "" && freeBytes(folder) >= room {
		_ = os.Setenv("TMPDIR", folder) // else they lie on the disk
	}
}
