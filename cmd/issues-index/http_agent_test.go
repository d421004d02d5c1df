//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A servedHTTP is issues-index serve over HTTP alone, in a process of its own.
type servedHTTP struct {
	process  *exec.Cmd
	url      string // of MCP
	requests *http.Client
	ended    chan struct{} // closed when its log has been read to the end

	mu       sync.Mutex
	troubles []string // the lines of its log that are more than information, the first of them
}

var loggedMCP = regexp.MustCompile(`serving MCP" url=(http://127\.0\.0\.1:\d+/mcp)`)

// maxTroubles bounds what is kept of a log.
const maxTroubles = 20

// serveOverHTTP serves the workspace of a folder until the test ends, or has it end.
func serveOverHTTP(t *testing.T, workspace string, flags ...string) *servedHTTP {
	t.Helper()
	// As many connections as there are agents are kept, so that none waits for a new one.
	connections := &http.Transport{MaxIdleConnsPerHost: 200, DisableCompression: true}
	s := &servedHTTP{
		process:  exec.Command("issues-index", append([]string{"serve", "--http", "127.0.0.1:0", "--no-stdio"}, flags...)...),
		requests: &http.Client{Transport: connections, Timeout: 2 * hangs},
		ended:    make(chan struct{}),
	}
	s.process.Dir = workspace
	log, err := s.process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		connections.CloseIdleConnections()
		_ = s.process.Process.Kill() // most tests have ended it
		<-s.ended
		_ = s.process.Wait()
	})
	url := make(chan string, 1)
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if found := loggedMCP.FindStringSubmatch(lines.Text()); found != nil {
				url <- found[1]
			}
			s.mu.Lock()
			if !strings.Contains(lines.Text(), "level=INFO") && len(s.troubles) < maxTroubles {
				s.troubles = append(s.troubles, lines.Text())
			}
			s.mu.Unlock()
		}
	}()
	select {
	case s.url = <-url:
	case <-s.ended:
		t.Fatalf("it did not serve: %q", s.troubles)
	}
	return s
}

// host is where the server listens.
func (s *servedHTTP) host() string {
	return strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
}

// at is the address of a path of the server.
func (s *servedHTTP) at(path string) string { return "http://" + s.host() + path }

// end has the server end as a service manager does, and reports what it had to complain of.
func (s *servedHTTP) end(t *testing.T) {
	t.Helper()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	if err := s.process.Wait(); err != nil || len(s.troubles) > 0 {
		t.Errorf("the server ended with %v and had logged %q", err, s.troubles)
	}
}

// A reply is what a server answers to a request over HTTP.
type reply struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration
}

// post sends a message with these headers besides the usual ones.
func (s *servedHTTP) post(headers map[string]string, message []byte) (reply, error) {
	request, err := http.NewRequest(http.MethodPost, s.url, bytes.NewReader(message))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	began := time.Now()
	answer, err := s.requests.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, answer.Header, body, time.Since(began)}, err
}

// An httpAgent is a client of a server over HTTP, with a session of its own, or of revision
// 2026-07-28, which has none.
type httpAgent struct {
	served  *servedHTTP
	headers map[string]string
	meta    map[string]any // of each request from 2026-07-28 on, nil before
	last    atomic.Int64

	spent   func(tool string, took time.Duration) // is told of each call that was answered; nil for nobody
	refused atomic.Int64                          // times that the server had no place
}

// agent introduces a client, with a bearer token unless that is "".
func (s *servedHTTP) agent(t *testing.T, name, token string) *httpAgent {
	t.Helper()
	a := &httpAgent{served: s, headers: map[string]string{}}
	if token != "" {
		a.headers["Authorization"] = "Bearer " + token
	}
	hello, err := a.send("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": name, "version": "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.headers["Mcp-Session-Id"] = hello.header.Get("Mcp-Session-Id")
	return a
}

// modernAgent is a client of revision 2026-07-28, which introduces itself with each request.
func (s *servedHTTP) modernAgent(name, token string) *httpAgent {
	a := &httpAgent{served: s, headers: map[string]string{"Mcp-Protocol-Version": "2026-07-28"}, meta: map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": name, "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}}
	if token != "" {
		a.headers["Authorization"] = "Bearer " + token
	}
	return a
}

// send sends a request, again and again as long as the server says that it has no place and
// when to come again. Every other answer but 200 is an error.
func (a *httpAgent) send(method string, params map[string]any) (reply, error) {
	headers := a.headers
	if a.meta != nil {
		headers = maps.Clone(headers)
		headers["Mcp-Method"] = method
		if name, ok := params["name"].(string); ok {
			headers["Mcp-Name"] = name
		}
		params = maps.Clone(params)
		params["_meta"] = a.meta
	}
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.last.Add(1), "method": method, "params": params})
	if err != nil {
		return reply{}, err
	}
	for {
		got, err := a.served.post(headers, message)
		switch {
		case err != nil:
			return reply{}, err
		case got.status == http.StatusTooManyRequests:
			a.refused.Add(1)
			seconds, err := strconv.Atoi(got.header.Get("Retry-After"))
			if err != nil {
				return reply{}, fmt.Errorf("429 without the time to come again: %w", err)
			}
			time.Sleep(time.Duration(seconds) * time.Second)
			continue
		case got.status != http.StatusOK:
			return reply{}, fmt.Errorf("%s: status %d, %s", method, got.status, got.body)
		}
		return got, nil
	}
}

// call calls a tool.
func (a *httpAgent) call(tool string, arguments any) (toolAnswer, error) {
	got, err := a.send("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return toolAnswer{}, err
	}
	if a.spent != nil {
		a.spent(tool, got.took)
	}
	var message struct {
		Result *toolAnswer
		Error  json.RawMessage
	}
	if err := json.Unmarshal(got.body, &message); err != nil {
		return toolAnswer{}, fmt.Errorf("%s is answered with %.200q: %w", tool, got.body, err)
	}
	if message.Result == nil || len(message.Result.Content) == 0 {
		return toolAnswer{}, errors.New(tool + " has no result: " + string(message.Error))
	}
	return *message.Result, nil
}
