package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A serverProcess is a process of the program that serves over stdio.
type serverProcess struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	started time.Time
	asked   int           // requests so far
	took    time.Duration // of the last request, without decoding the answer
	bytes   int           // of the last answer
}

// buildProgram builds the program to measure into a folder.
func buildProgram(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "issues-index")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program,
		"issues-index/cmd/issues-index") //nolint:gosec // our own module
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, output)
	}
	return program, nil
}

// command runs the program on a workspace without any configuration of the user, but for
// ISSUES_INDEX_CACHE, which has all files compared before each call when it is false.
func command(ctx context.Context, program, root, name string) *exec.Cmd {
	c := exec.CommandContext(ctx, program, name, "--workspace", root)
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch name {
		case "PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LOCALAPPDATA", "XDG_CACHE_HOME", "ISSUES_INDEX_CACHE":
			c.Env = append(c.Env, variable)
		}
	}
	return c
}

// startServer starts a server and returns when it has answered initialize.
func startServer(ctx context.Context, program, root string) (*serverProcess, error) {
	return startServing(command(ctx, program, root, "serve"))
}

// startServing is startServer for any command that serves over stdio.
func startServing(c *exec.Cmd) (*serverProcess, error) {
	s := &serverProcess{process: c}
	in, err := s.process.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	s.in, s.out, s.started = in, bufio.NewReaderSize(out, 1<<20), time.Now()
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	_, err = s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "issues-bench", "version": "1"},
	})
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// stop closes the server's input and waits until it has ended.
func (s *serverProcess) stop() error { return errors.Join(s.in.Close(), s.process.Wait()) }

// call calls a tool and returns its structured result. refused says whether the tool has
// to return an error.
func (s *serverProcess) call(tool string, arguments any, refused bool) (json.RawMessage, error) {
	result, err := s.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	var answer struct {
		IsError    bool            `json:"isError"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return nil, fmt.Errorf("read an answer of %s: %w", tool, err)
	}
	if answer.IsError != refused {
		return nil, fmt.Errorf("%s %v answers %s", tool, arguments, result)
	}
	return answer.Structured, nil
}

// request sends a request and returns its result.
func (s *serverProcess) request(method string, params map[string]any) (json.RawMessage, error) {
	s.asked++
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.asked, "method": method, "params": params})
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", method, err)
	}
	sent := time.Now()
	if _, err := s.in.Write(append(message, '\n')); err != nil {
		return nil, fmt.Errorf("ask %s: %w", method, err)
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", method, err)
		}
		s.took, s.bytes = time.Since(sent), len(line)
		var reply struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &reply); err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", method, err)
		}
		switch {
		case reply.ID != s.asked:
			continue // a notification
		case reply.Error != nil:
			return nil, fmt.Errorf("%s answers %s", method, reply.Error)
		}
		return reply.Result, nil
	}
}

// peakMemory returns the most memory in bytes that a running process has held, 0 where
// /proc does not tell.
func peakMemory(pid int) int64 {
	var kilobytes int64
	_, _ = fmt.Sscanf(procField(fmt.Sprintf("/proc/%d/status", pid), "VmHWM"), "%d kB", &kilobytes)
	return kilobytes << 10
}

// procField returns the first value of a name in a file of lines "name: value", "" when
// there is none.
func procField(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
