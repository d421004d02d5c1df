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

// A server is a process of the program that serves over stdio.
type server struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	started time.Time
	asked   int
	took    time.Duration // the last answer, without its decoding
	bytes   int           // of that answer's line
}

// buildProgram builds the program that is measured into a folder.
func buildProgram(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "issues-index")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "issues-index/cmd/issues-index") //nolint:gosec // our own module
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, said)
	}
	return program, nil
}

// command runs the program on a workspace, as if nothing were configured.
func command(ctx context.Context, program, root, what string) *exec.Cmd {
	c := exec.CommandContext(ctx, program, what, "--workspace", root)
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch name {
		case "PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LOCALAPPDATA", "XDG_CACHE_HOME":
			c.Env = append(c.Env, variable)
		}
	}
	return c
}

// start starts a server and returns when it has answered initialize.
func start(ctx context.Context, program, root string) (*server, error) {
	s := &server{process: command(ctx, program, root, "serve")}
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
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "issues-bench", "version": "1"},
	})
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// initialized tells the server that it may begin.
func (s *server) initialized() error {
	_, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// stop ends a server in order.
func (s *server) stop() error {
	return errors.Join(s.in.Close(), s.process.Wait())
}

// An answer is what is read of a result.
type answer struct {
	IsError    bool            `json:"isError"`
	Structured json.RawMessage `json:"structuredContent"`
	Content    []struct {
		Text string `json:"text"`
	} `json:"content"`
}

// call calls a tool. An error of the tool is one, unless it is what was asked for.
func (s *server) call(tool string, arguments any, refused bool) (answer, error) {
	var a answer
	result, err := s.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(result, &a); err != nil {
		return a, fmt.Errorf("read an answer of %s: %w", tool, err)
	}
	if a.IsError != refused {
		return a, fmt.Errorf("%s %v answers %v", tool, arguments, a.Content)
	}
	return a, nil
}

// request sends a request and reads its result, as bytes: decoding it is the
// client's own time.
func (s *server) request(method string, params any) (json.RawMessage, error) {
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
		var said struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &said); err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", method, err)
		}
		switch {
		case said.ID != s.asked:
			continue // a notification
		case said.Error != nil:
			return nil, fmt.Errorf("%s answers %s", method, said.Error)
		}
		return said.Result, nil
	}
}
