package claims

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// startOf is when a process began: "" when there is no such process, or it has ended and
// its exit code was not asked for. known is false where the system does not say.
func startOf(pid int) (start string, known bool) {
	const zombie = 5
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	switch {
	case err != nil:
		return "", errors.Is(unix.Kill(pid, 0), unix.ESRCH)
	case info.Proc.P_stat == zombie:
		return "", true
	}
	return fmt.Sprintf("%d-%d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec), true
}

// thisMachine is a start of a machine.
var thisMachine = sync.OnceValue(func() string {
	boot, _ := unix.Sysctl("kern.bootsessionuuid")
	return boot
})
