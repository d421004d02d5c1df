package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"issues-index/tools/toolstest"
)

// countedCalls are the system calls that touch files, folders, locks, and the client. What Go does
// to schedule and to manage memory is not among them, since it differs from run to run.
var countedCalls = map[uint64]string{
	unix.SYS_READ: "read", unix.SYS_WRITE: "write", unix.SYS_PREAD64: "pread64", unix.SYS_PWRITE64: "pwrite64",
	unix.SYS_OPENAT: "openat", unix.SYS_OPENAT2: "openat2", unix.SYS_CLOSE: "close", unix.SYS_FSTAT: "fstat", unix.SYS_NEWFSTATAT: "newfstatat", unix.SYS_LSTAT: "lstat",
	unix.SYS_STAT: "stat", unix.SYS_STATX: "statx", unix.SYS_GETDENTS64: "getdents64", unix.SYS_READLINKAT: "readlinkat", unix.SYS_FCNTL: "fcntl",
	unix.SYS_FLOCK: "flock", unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync", unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2",
	unix.SYS_UNLINKAT: "unlinkat", unix.SYS_LINKAT: "linkat", unix.SYS_FTRUNCATE: "ftruncate", unix.SYS_FCHMOD: "fchmod",
	unix.SYS_INOTIFY_ADD_WATCH: "inotify_add_watch", unix.SYS_IOCTL: "ioctl", unix.SYS_CLONE3: "clone3",
}

// durableCalls are those that an update makes before its answer. What it reads again to follow its
// own change comes before the answer or after it.
var durableCalls = []string{"fchmod", "flock", "fsync", "pwrite64", "renameat", "write"}

// followedCalls are the calls whose system calls are counted: all, or only some.
var followedCalls = []struct {
	name, tool, arguments string
	only                  []string
}{
	{"list", "issues_list", `{"limit":20}`, nil},
	{"list of 100", "issues_list", `{"limit":100}`, nil},
	{"get", "issues_get", `{"id":"ISS-0000%"}`, nil},
	{"get, unknown id", "issues_get", `{"id":"ISS-0009%"}`, nil},
	{"update", "issues_update", `{"id":"ISS-000007","assignee":"a%"}`, durableCalls},
}

// A callCounter counts the system calls of a program that serves over standard input and output.
type callCounter struct {
	in   io.Writer
	out  *bufio.Reader
	last int // the number of the last request

	mu     sync.Mutex
	counts map[string]int
}

// so is how often each call was made since the last request.
func (c *callCounter) so() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// saw counts a call at its beginning, so that the answer's own is counted before it is read.
func (c *callCounter) saw(call *unix.PtraceRegs) {
	name := countedCalls[call.Orig_rax]
	wakes := call.Rdx == 8 && (name == "read" || name == "write") // by the number that an eventfd has
	waits := name == "read" && call.Rdi == 0                      // for the next request, before the answer or after it
	if name == "" || wakes || waits || !begins(call) {
		return
	}
	c.mu.Lock()
	c.counts[name]++
	c.mu.Unlock()
}

// ask sends a request and returns the system calls until its answer.
func (c *callCounter) ask(method, params string) (map[string]int, error) {
	c.mu.Lock()
	c.counts = map[string]int{}
	c.mu.Unlock()
	c.last++
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.last, method, params); err != nil {
		return nil, err
	}
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if strings.Contains(line, fmt.Sprintf(`"id":%d,`, c.last)) {
			return c.so(), nil
		}
	}
}

// least is how often each system call is made at least by the rounds of a call of a tool: what happens
// in the background meanwhile only adds to it.
func (c *callCounter) least(tool, arguments string) (map[string]int, error) {
	const warm, rounds = 5, 15
	var least map[string]int
	for n := range warm + rounds {
		asked := strings.ReplaceAll(arguments, "%", fmt.Sprint(n+10))
		counts, err := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, asked))
		switch {
		case err != nil:
			return nil, err
		case n == warm:
			least = counts
		}
		for name := range least {
			least[name] = min(least[name], counts[name])
		}
	}
	return least, nil
}

// TestSystemCallsOfACall holds how many system calls the program makes for the calls that agents
// make most, in a plain workspace that it serves over standard input and output.
func TestSystemCallsOfACall(t *testing.T) {
	t.Parallel()
	root, err := os.MkdirTemp("/tmp", "calls") // not deeper, since some calls look at each folder above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	for n := 1; n <= 100; n++ {
		plant(t, root, fmt.Sprintf("ISS-%06d", n))
	}
	program := exec.Command("issues-index", "serve", "--workspace", root)
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	counter := &callCounter{in: in, out: bufio.NewReader(out), counts: map[string]int{}}
	var counted strings.Builder
	done := make(chan error, 1)
	go func() {
		_, err := counter.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
		for _, call := range followedCalls {
			var least map[string]int
			if err == nil {
				least, err = counter.least(call.tool, call.arguments)
			}
			fmt.Fprintf(&counted, "%s:", call.name)
			for _, name := range slices.Sorted(maps.Keys(least)) {
				if least[name] > 0 && (call.only == nil || slices.Contains(call.only, name)) {
					fmt.Fprintf(&counted, " %s %d", name, least[name])
				}
			}
			counted.WriteString("\n")
		}
		done <- errors.Join(err, in.Close())
		_, _ = io.Copy(io.Discard, out)
	}()
	trace(t, program, counter.saw)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	toolstest.Same(t, filepath.Join("testdata", "systemcalls.golden"), []byte(counted.String()))
}
