//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// A server is an MCP server that runs, over its standard input and output.
type server struct {
	run   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	asked int
}

// startServer starts an MCP server and asks it to initialize.
func startServer(t *testing.T, c *exec.Cmd) *server {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{run: c, in: in, lines: make(chan string, 100)}
	go func() {
		defer close(s.lines)
		for scanner := bufio.NewReader(out); ; {
			line, err := scanner.ReadString('\n')
			if err != nil {
				return
			}
			s.lines <- line
		}
	}()
	s.asks(t, `"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
		`"clientInfo":{"name":"test","version":"1"}}`)
	return s
}

// stop ends the server as hosts do: it closes its input, and kills what runs on.
func (s *server) stop() {
	s.in.Close()
	kill := time.AfterFunc(10*time.Second, func() { syscall.Kill(-s.run.Process.Pid, syscall.SIGKILL) })
	defer kill.Stop()
	for range s.lines { // until it ends
	}
	s.run.Wait()
}

// asks sends a request and returns the line that answers it.
func (s *server) asks(t *testing.T, request string) string {
	t.Helper()
	s.asked++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", s.asked, request); err != nil {
		t.Fatal(err)
	}
	late := time.After(2 * time.Minute)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				t.Fatal("the server has ended")
			}
			var answer struct {
				ID     int
				Result json.RawMessage
			}
			fromJSON(t, []byte(line), &answer)
			if answer.ID == s.asked && answer.Result == nil {
				t.Fatalf("it refuses %s: %s", request, line)
			}
			if answer.ID == s.asked {
				return line
			}
		case <-late:
			t.Fatalf("no answer to %s", request)
		}
	}
}
