//go:build !windows

package main

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The deadline that ends a test of something that hangs; nothing waits for it
// otherwise.
const hangs = 30 * time.Second

func TestServeEndsAtASignal(t *testing.T) {
	workspace := filepath.Join(t.TempDir(), "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(fmt.Sprintf("%v: what was asked is answered, then it exits 0 with the index closed", signal), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), hangs)
			defer cancel()
			serve := exec.CommandContext(ctx, "issues-index", "serve", "--workspace", workspace)
			in, err := serve.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := serve.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var logged strings.Builder
			serve.Stderr = &logged
			if err := serve.Start(); err != nil {
				t.Fatal(err)
			}
			answers := bufio.NewScanner(out)
			for _, request := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"issues_stats","arguments":{"groupBy":"type"}}}`,
			} {
				if _, err := fmt.Fprintln(in, request); err != nil {
					t.Fatal(err)
				}
				if !answers.Scan() || !strings.Contains(answers.Text(), `"result"`) {
					t.Fatalf("answer %q, %v", answers.Text(), answers.Err())
				}
			}
			if err := serve.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if answers.Scan() {
				t.Errorf("said unasked: %s", answers.Text())
			}
			if err := serve.Wait(); err != nil {
				t.Errorf("%v\n%s", err, &logged)
			}
			left, err := filepath.Glob(filepath.Join(workspace, ".wrangler", "cache", "*-wal"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
