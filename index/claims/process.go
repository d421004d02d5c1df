package claims

import (
	"os"
	"strconv"
	"strings"
)

// A process is named by its number, the time of its start and the machine on which these mean
// something: "4242.98341@machine". A later process with the same number has another name.

// ThisProcess names the process itself as number.start@machine, such as 4242.98341@machine, ""
// where the system does not say when it began.
func ThisProcess() string { return processName(os.Getpid()) }

// ParentProcess names the process that has started this one, "" when it is not known or gone.
func ParentProcess() string { return processName(os.Getppid()) }

func processName(pid int) string {
	if pid <= 1 { // the first process takes in whatever has lost its parent
		return ""
	}
	start, _ := startOf(pid)
	if start == "" {
		return ""
	}
	return strconv.Itoa(pid) + "." + start + "@" + thisMachine()
}

// runs reports whether a process may be running. A process of another machine always may be.
func runs(process string) bool {
	name, machine, _ := strings.Cut(process, "@")
	number, began, _ := strings.Cut(name, ".")
	pid, err := strconv.Atoi(number)
	if err != nil || machine != thisMachine() {
		return err == nil
	}
	start, known := startOf(pid)
	return !known || start == began
}
