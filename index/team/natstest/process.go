package natstest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// configVariable has the configuration file of the server that this process is to be.
const configVariable = "ISSUES_INDEX_TEST_NATS_SERVER"

// ServeIfAsked makes the process of a test a server if a ProcessCluster has started it as one,
// and does not return then. TestMain calls it first.
func ServeIfAsked() {
	config := os.Getenv(configVariable)
	if config == "" {
		return
	}
	options, err := server.ProcessConfigFile(config)
	if err == nil {
		options.NoLog = true
		var s *server.Server
		if s, err = server.NewServer(options); err == nil {
			s.Start()
			s.WaitForShutdown()
			os.Exit(0)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A ProcessCluster is a cluster whose servers are processes, which can be killed as a machine
// dies.
type ProcessCluster struct {
	*Cluster
	processes []*exec.Cmd // nil where one was killed
}

// StartProcesses starts three nodes, and makes the streams. The test binary's TestMain must
// call ServeIfAsked.
func StartProcesses(t testing.TB) *ProcessCluster {
	t.Helper()
	c := &ProcessCluster{Cluster: New(t, 3), processes: make([]*exec.Cmd, 3)}
	t.Cleanup(func() {
		for i := range c.processes {
			c.Kill(i)
		}
	})
	for i := range c.processes {
		c.Restart(i)
	}
	c.initialize()
	return c
}

// Restart starts a node, again or for the first time, and does not wait for it.
func (c *ProcessCluster) Restart(i int) {
	c.t.Helper()
	program, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	process := exec.CommandContext(context.Background(), program) //nolint:gosec // this test
	process.Env = append(os.Environ(), configVariable+"="+c.ConfigFile(i))
	process.Dir, process.Stderr = filepath.Dir(program), os.Stderr
	if err := process.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.processes[i] = process
}

// Kill ends a node at once, without its doing (kill -9).
func (c *ProcessCluster) Kill(i int) {
	if process := c.processes[i]; process != nil {
		_ = process.Process.Kill() // it may have ended
		_ = process.Wait()
		c.processes[i] = nil
	}
}
