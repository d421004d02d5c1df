package claims

import (
	"errors"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/windows"
)

// startOf is when a process began: "" when there is no such process, or it has ended. known is
// false where the system does not say, as of another user's.
func startOf(pid int) (start string, known bool) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	const stillActive = 259
	var code uint32
	if err := windows.GetExitCodeProcess(process, &code); err == nil && code != stillActive {
		return "", true // others hold handles of it
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return "", false
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), true
}

// thisMachine is the name of the machine.
var thisMachine = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})
