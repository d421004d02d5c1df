package main

import (
	"fmt"
	"os"
	"strings"
)

// peakMemory is the most memory that a running process has held, in bytes; 0
// when that cannot be read, as of a process that has ended.
func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}
