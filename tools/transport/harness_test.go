package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/transport"
)

// patience bounds how long a test waits for what should happen at once.
const patience = 2 * time.Minute

// newHandler is a server with two tools: echo answers its text, wait does when
// its client or the test ends it.
func newHandler(t *testing.T, wait func(ctx context.Context, text string) error) transport.Handler {
	t.Helper()
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)
	tool := func(name string, handle func(context.Context, string) error) tools.Tool {
		return tools.Tool{
			Name: name, Description: "Answers its text. Reads only.", ReadOnly: true, Idempotent: true,
			Input: schema, Output: schema,
			Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
				text := args.String("text")
				return tools.Result{Text: text + "!", Structured: map[string]string{"text": text}}, handle(ctx, text)
			},
		}
	}
	server, err := tools.NewServer(tools.Config{
		Name: "test", Version: "1.0", Instructions: "Call echo.",
		// What a transport carries is whole, whatever a guard would make of it.
		Settings: func() *answer.Settings { return &answer.Settings{Off: true, Threshold: 4000, Bytes: 20000} },
		Toolsets: []tools.Toolset{{Name: "test", Tools: []tools.Tool{
			tool("echo", func(context.Context, string) error { return nil }),
			tool("wait", wait),
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server.Handle
}

// nobodyWaits is for tests that do not call wait.
func nobodyWaits(context.Context, string) error { return errors.New("nobody waits") }

func toolCall(id any, tool, text string) string {
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": map[string]any{"text": text}},
	})
	if err != nil {
		panic(err)
	}
	return string(line)
}

// A conversation is a running Serve with a client that reads and writes.
type conversation struct {
	t      *testing.T
	in     *io.PipeWriter
	lines  chan string // what the server wrote
	cancel context.CancelFunc
	done   chan error // what Serve returned
}

func converse(t *testing.T, o transport.StdioOptions) *conversation {
	t.Helper()
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &conversation{t: t, in: in, lines: make(chan string, 1000), cancel: cancel, done: make(chan error, 1)}
	go func() {
		c.done <- transport.ServeStdio(ctx, inReader, outWriter, o)
		outWriter.Close()
	}()
	go func() {
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 64<<20)
		for scanner.Scan() {
			c.lines <- scanner.Text()
		}
		close(c.lines)
	}()
	t.Cleanup(func() { cancel(); in.Close(); out.Close() })
	return c
}

func (c *conversation) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// receive returns the next response, "" when there is none any more.
func (c *conversation) receive() string {
	c.t.Helper()
	select {
	case line := <-c.lines:
		return line
	case <-time.After(patience):
		c.t.Fatal("no response")
		return ""
	}
}

// ended waits for Serve and returns what was not received before.
func (c *conversation) ended() []string {
	c.t.Helper()
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Errorf("Serve: %v", err)
		}
	case <-time.After(patience):
		c.t.Fatal("Serve does not return")
	}
	var rest []string
	for line := c.receive(); line != ""; line = c.receive() {
		rest = append(rest, line)
	}
	return rest
}

func wantID(t *testing.T, line, id string) {
	t.Helper()
	if !strings.Contains(line, `"id":`+id+`,`) {
		t.Errorf("the response is not for %s: %s", id, line)
	}
}

// serve runs Serve over a whole input and returns the lines of its output.
func serve(t *testing.T, input string, o transport.StdioOptions) []string {
	t.Helper()
	var out bytes.Buffer
	if err := transport.ServeStdio(t.Context(), strings.NewReader(input), &out, o); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	if !strings.HasSuffix(out.String(), "\n") {
		t.Errorf("the output ends in the middle of a line: %q", out.String())
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}
