package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// errDied says that the server ended before it answered.
var errDied = errors.New("the server died before it answered")

// An agent is a server in a process of its own and a client of it. Its calls
// may overlap.
type agent struct {
	process *exec.Cmd
	in      io.WriteCloser
	logged  strings.Builder // complete once the process has ended
	ended   chan struct{}   // closed when all output has been read

	mu      sync.Mutex
	last    int
	pending map[int]chan toolAnswer
}

// A toolAnswer is the result of a tool call.
type toolAnswer struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Meta       struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	} `json:"_meta"`
}

func (a toolAnswer) text() string { return a.Content[0].Text }

func (a toolAnswer) decode(into any) error { return json.Unmarshal(a.Structured, into) }

// startAgent starts a server of a workspace and introduces itself.
func startAgent(t *testing.T, workspace string) *agent {
	t.Helper()
	return startAgentOf(t, "issues-index", workspace)
}

// startAgentOf does so with a program of another version.
func startAgentOf(t *testing.T, program, workspace string) *agent {
	t.Helper()
	a, err := newAgent("t", exec.Command(program, "serve", "--workspace", workspace))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// newAgent starts a server and introduces itself by a name. A server that does not answer is an
// error with what it logged.
func newAgent(client string, server *exec.Cmd) (*agent, error) {
	a := &agent{process: server, ended: make(chan struct{}), pending: make(map[int]chan toolAnswer)}
	server.Stderr = &a.logged
	in, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.in = in
	if err := server.Start(); err != nil {
		return nil, err
	}
	go a.listen(out)
	if _, err := a.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": client, "version": "1"},
	}); err != nil {
		return nil, fmt.Errorf("initialize: %w\n%s", err, a.end())
	}
	return a, nil
}

// listen hands out answers until there are no more: what stood in the pipe when
// the server died is among them.
func (a *agent) listen(out io.Reader) {
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 1<<20)
	for answers.Scan() {
		var message struct {
			ID     int        `json:"id"`
			Result toolAnswer `json:"result"`
		}
		if json.Unmarshal(answers.Bytes(), &message) != nil {
			continue // the torn last line of a killed server
		}
		a.mu.Lock()
		waiting := a.pending[message.ID]
		delete(a.pending, message.ID)
		a.mu.Unlock()
		if waiting != nil {
			waiting <- message.Result
		}
	}
	close(a.ended)
}

// request sends a request and waits for its answer.
func (a *agent) request(method string, params map[string]any) (toolAnswer, error) {
	a.mu.Lock()
	a.last++
	id, answer := a.last, make(chan toolAnswer, 1)
	a.pending[id] = answer
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err == nil {
		_, err = a.in.Write(append(message, '\n'))
	}
	a.mu.Unlock()
	if err != nil {
		return toolAnswer{}, errDied
	}
	deadline := time.NewTimer(hangs)
	defer deadline.Stop()
	select {
	case result := <-answer:
		return result, nil
	case <-a.ended:
	case <-deadline.C:
		return toolAnswer{}, fmt.Errorf("no answer within %v", hangs)
	}
	select {
	case result := <-answer:
		return result, nil
	default:
		return toolAnswer{}, errDied
	}
}

func (a *agent) call(tool string, arguments any) (toolAnswer, error) {
	return a.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// must calls a tool and fails the test unless it succeeds; into may be nil. It
// may be called by any goroutine, and goes on after a failure.
func (a *agent) must(t *testing.T, tool string, arguments, into any) string {
	t.Helper()
	return mustCall(t, a, tool, arguments, into)
}

// A toolCaller calls the tools of a server, over standard input and output or over HTTP.
type toolCaller interface {
	call(tool string, arguments any) (toolAnswer, error)
}

// mustCall is must for any caller.
func mustCall(t *testing.T, by toolCaller, tool string, arguments, into any) string {
	t.Helper()
	answer, err := by.call(tool, arguments)
	if err != nil {
		t.Errorf("%s %v: %v", tool, arguments, err)
		return ""
	}
	if answer.IsError {
		t.Errorf("%s %v: %s", tool, arguments, answer.text())
		return answer.text()
	}
	if into != nil {
		if err := answer.decode(into); err != nil {
			t.Error(err)
		}
	}
	return answer.text()
}

// end closes the server's input, waits for it to end, and returns what it
// logged.
func (a *agent) end() string {
	a.mu.Lock()
	_ = a.in.Close() // the process may have ended by itself
	a.mu.Unlock()
	<-a.ended
	_ = a.process.Wait() // killed ones end with an error
	return a.logged.String()
}
