package store

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childTask names the environment variable that tells a copy of this test
// program what to do instead of testing.
const childTask = "STORE_TEST_TASK"

// tasks are what a child process can be told to do, with its arguments.
var tasks map[string]func(t *testing.T, args []string)

// The functions need the table of scenarios, which needs them.
func init() { // after scenarios
	tasks = map[string]func(*testing.T, []string){
		"kill":   runKilled,
		"hold":   runHold,
		"model":  runModel,
		"field":  runField,
		"create": runCreate,
	}
}

// child is another process that runs a task.
func child(t testing.TB, task string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "-test.run=^TestChild$", "-test.v=false")
	c.Env = append(os.Environ(), childTask+"="+strings.Join(append([]string{task}, args...), "\n"))
	return c
}

// TestChild is where a child process begins.
func TestChild(t *testing.T) {
	task, ok := os.LookupEnv(childTask)
	if !ok {
		t.Skip("only for the processes that other tests start")
	}
	args := strings.Split(task, "\n")
	tasks[args[0]](t, args[1:])
}
