package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// The deadline that ends a test of something that hangs; nothing waits for it
// otherwise.
const hangs = 2 * time.Minute

// A serving is issues-index serve in a process of its own, with its streams.
type serving struct {
	*exec.Cmd
	in      io.WriteCloser
	answers *bufio.Scanner // lines of up to 1 MB
	log     io.Reader
}

// startServing serves a workspace until ctx ends, or the test has it end.
func startServing(ctx context.Context, t *testing.T, workspace string, flags ...string) *serving {
	t.Helper()
	return startProgram(ctx, t, nil, append([]string{"serve", "--workspace", workspace}, flags...)...)
}

// startProgram starts a command that serves, with more environment, likewise.
func startProgram(ctx context.Context, t *testing.T, environment []string, args ...string) *serving {
	t.Helper()
	s := &serving{Cmd: exec.CommandContext(ctx, "issues-index", args...)}
	s.Env = append(os.Environ(), environment...)
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	s.in, s.answers, s.log = in, bufio.NewScanner(out), log
	s.answers.Buffer(nil, 1<<20)
	return s
}
