package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine names what the figures were measured on.
func machine() string {
	parts := []string{fmt.Sprintf("%d cores", runtime.NumCPU())}
	if model := firstField("/proc/cpuinfo", "model name"); model != "" {
		parts[0] += " of " + model
	}
	var kilobytes float64
	if _, err := fmt.Sscanf(firstField("/proc/meminfo", "MemTotal"), "%f kB", &kilobytes); err == nil {
		parts = append(parts, fmt.Sprintf("%.0f GiB", kilobytes/(1<<20)))
	}
	system := runtime.GOOS + "/" + runtime.GOARCH
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		system += " " + strings.TrimSpace(string(kernel))
	}
	return strings.Join(append(parts, system, runtime.Version()), ", ")
}

// firstField is the first value of a name in a file of lines "name: value", ""
// when there is none.
func firstField(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // was read only
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
