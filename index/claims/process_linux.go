package claims

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// startOf is when a process began, in ticks since the machine did: "" when there is no such
// process, or it has ended and its exit code was not asked for. known is false where the
// system does not say.
func startOf(pid int) (start string, known bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil { // it may be another user's, and hidden
		return "", errors.Is(unix.Kill(pid, 0), unix.ESRCH)
	}
	// From the state on: the name before it, in parentheses, may have anything in it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const state, started = 0, 19
	switch {
	case len(fields) <= started:
		return "", false
	case fields[state] == "Z", fields[state] == "X":
		return "", true
	}
	return fields[started], true
}

// thisMachine is a start of a machine, and on it a space of process numbers: containers have
// spaces of their own.
var thisMachine = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space
})
