//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"issues-index/store/storetest"
)

// writesOverHTTP is how many calls that write a server answers at once (docs/http.md).
const writesOverHTTP = 24

// TestCallsInProgressOverHTTPAreAnsweredAtTheEnd tells a server to end while all its places for
// writes are taken by some that wait for another writer: readers are served meanwhile, each of
// the writes is answered and done, and nothing is left behind.
func TestCallsInProgressOverHTTPAreAnsweredAtTheEnd(t *testing.T) {
	root := t.TempDir()
	plant(t, root, "ISS-000001")
	served := serveOverHTTP(t, root)
	a := served.agent(t, "t", "")
	mustCall(t, a, "issues_update", map[string]any{"id": "ISS-000001", "priority": "high"}, nil) // which makes the file of the lock
	other := flock.New(filepath.Join(root, ".wrangler", "cache", "write.lock"), flock.SetFlag(os.O_RDONLY))
	if held, err := other.TryLock(); err != nil || !held {
		t.Fatalf("held %t, %v", held, err)
	}

	// The one that is refused comes when the others have all places.
	var calls sync.WaitGroup
	var made sync.Map
	full := make(chan struct{})
	for i := range writesOverHTTP + 1 {
		calls.Go(func() {
			title := fmt.Sprint("Made at the end ", i)
			got, err := served.post(a.headers, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issues_create","arguments":{"title":%q,"description":"Text."}}}`, title))
			var answer struct {
				Result struct{ StructuredContent struct{ ID string } }
			}
			switch {
			case err != nil:
				t.Error(err)
			case got.status == http.StatusTooManyRequests:
				close(full)
			case json.Unmarshal(got.body, &answer) != nil || answer.Result.StructuredContent.ID == "":
				t.Errorf("%d, %s", got.status, got.body)
			default:
				made.Store(answer.Result.StructuredContent.ID, title)
			}
		})
	}
	<-full
	mustCall(t, a, "issues_get", map[string]any{"id": "ISS-000001"}, nil)
	if err := served.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until it has begun to end
		got, err := served.post(nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got.status == http.StatusServiceUnavailable && got.header.Get("Retry-After") != "" {
			break
		}
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
	<-served.ended
	if err := served.process.Wait(); err != nil || len(served.troubles) > 0 {
		t.Errorf("the server ended with %v and had logged %q", err, served.troubles)
	}

	documents, count := readAll(t, root), 0
	made.Range(func(id, title any) bool {
		count++
		if doc := documents[id.(string)]; doc == nil || doc.Title != title {
			t.Errorf("%s was made with the title %s, and is %+v", id, title, doc)
		}
		return true
	})
	if count != writesOverHTTP || len(documents) != writesOverHTTP+1 {
		t.Errorf("%d documents were made, and %d are there", count, len(documents)-1)
	}
	for _, pattern := range []string{"issues/.issues-index-*.tmp", "cache/*-wal"} {
		if left, err := filepath.Glob(filepath.Join(root, ".wrangler", pattern)); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// serveOneDocument serves a workspace with the document ISS-000001, which an agent has got.
func serveOneDocument(t *testing.T, flags ...string) (*servedHTTP, *httpAgent) {
	t.Helper()
	root := t.TempDir()
	plant(t, root, "ISS-000001")
	served := serveOverHTTP(t, root, flags...)
	a := served.agent(t, "t", "")
	mustCall(t, a, "issues_get", map[string]any{"id": "ISS-000001"}, nil)
	return served, a
}

// TestHostileConnectionsOverHTTP has a server serve its clients while others connect and say
// nothing, say half of something, ask much and read nothing, or keep more connections and more
// streams than there may be. When those have gone, the server holds no more of them.
func TestHostileConnectionsOverHTTP(t *testing.T) {
	t.Parallel()
	served, a := serveOneDocument(t)
	before := openSockets(t, served)

	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	head := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", len(list))
	idle := "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	stream := "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: " + a.headers["Mcp-Session-Id"] + "\r\n\r\n"
	connections := make([]net.Conn, 0, 900)
	for kind, count := range map[string]int{
		"": 50, head: 50, head + "\r\n" + list[:20]: 40, strings.Repeat(head+"\r\n"+list, 1000): 2, stream: 300, idle: 400,
	} {
		for range count {
			c, err := net.Dial("tcp", served.host())
			if err != nil {
				t.Fatal(err)
			}
			connections = append(connections, c)
			go func() { _, _ = io.WriteString(c, kind) }() // of what is never read, not all can be written
			if kind == idle || kind == stream {            // which is answered, with a stream or without
				if _, err := c.Read(make([]byte, 12)); err != nil {
					t.Fatalf("a client that keeps its connection is not served: %v", err)
				}
			}
		}
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				mustCall(t, a, "issues_get", map[string]any{"id": "ISS-000001"}, nil)
			}
		})
	}
	group.Wait()
	for _, c := range connections {
		c.Close()
	}
	const own = 16 // those of the clients, of which each may have a second one that is about to end
	for openSockets(t, served) > before+own {
		mustCall(t, a, "issues_get", map[string]any{"id": "ISS-000001"}, nil)
	}
	served.end(t)
}

// TestAnHonestClientOverHTTPIsAnsweredBesideAThousandOfEachKind has clients read events, connect and
// say nothing, send heads and bodies slowly and leave answers unread, all of them at once. Who comes
// then is answered.
func TestAnHonestClientOverHTTPIsAnsweredBesideAThousandOfEachKind(t *testing.T) {
	each, within := 150, hangs
	if storetest.Long() {
		each, within = 1000, time.Second
	}
	served, _ := serveOneDocument(t, "--http-edit")
	const host = " HTTP/1.1\r\nHost: localhost\r\n"
	for _, kind := range [][]string{
		{"GET /events" + host + "\r\n"},
		{""},
		{"GET /list" + host},
		{
			"POST /mcp" + host + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
			"POST /save" + host + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ndoc=",
		},
		{strings.Repeat("GET /app.js"+host+"\r\n", 40)},
	} {
		for i := range each {
			c, err := net.Dial("tcp", served.host())
			if err != nil {
				t.Skip("so many connections cannot be opened here; raise the limit of open files:", err)
			}
			t.Cleanup(func() { c.Close() })
			_ = c.(*net.TCPConn).SetReadBuffer(4096)
			go func() { _, _ = io.WriteString(c, kind[i%len(kind)]) }()
		}
	}
	var worst time.Duration
	for range 10 {
		for _, path := range []string{"/healthz", "/d/ISS-000001", "/mcp"} {
			began := time.Now()
			honest := &http.Client{Timeout: within, Transport: &http.Transport{DisableKeepAlives: true}}
			var answer *http.Response
			var err error
			if path != "/mcp" {
				answer, err = honest.Get(served.at(path))
			} else {
				answer, err = honest.Post(served.url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issues_get","arguments":{"id":"ISS-000001"}}}`))
			}
			if err != nil {
				t.Fatalf("an honest client is not answered: %v", err)
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusOK || path != "/healthz" && !bytes.Contains(text, []byte("ISS-000001")) {
				t.Errorf("%s: %d, %v, %.200s", path, answer.StatusCode, err, text)
			}
			worst = max(worst, time.Since(began))
		}
	}
	t.Logf("beside %d of each kind, an honest client waited %v at most; the server has %d KiB in use", each, worst, residentKiB(served.process.Process.Pid))
}

// openSockets counts the connections of a server, 0 where the system has no /proc.
func openSockets(t *testing.T, s *servedHTTP) (count int) {
	t.Helper()
	open := fmt.Sprintf("/proc/%d/fd", s.process.Process.Pid)
	files, err := os.ReadDir(open)
	if err != nil {
		t.Log("connections are NOT counted:", err)
	}
	for _, file := range files {
		if is, err := os.Readlink(filepath.Join(open, file.Name())); err == nil && strings.HasPrefix(is, "socket:") {
			count++
		}
	}
	return count
}

// TestSlowHeadersOverHTTP has clients that never end their headers, or their message: the server
// ends their connections by itself.
func TestSlowHeadersOverHTTP(t *testing.T) {
	if !storetest.Long() {
		t.Skip("this waits for the server's patience to end: -long")
	}
	root := t.TempDir()
	plant(t, root, "ISS-000001")
	served := serveOverHTTP(t, root)
	var group sync.WaitGroup
	for _, said := range []string{"", "POST /mcp HTTP/1.1\r\nHost: loc", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"} {
		group.Go(func() {
			c, err := net.Dial("tcp", served.host())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if _, err := io.WriteString(c, said); err != nil {
				t.Error(err)
			}
			if _, err := io.Copy(io.Discard, c); err != nil { // until the server ends it
				t.Errorf("after %q: %v", said, err)
			}
		})
	}
	group.Wait()
	served.end(t)
}

// maxFlooded is how much memory a flood may add to a server, in KiB.
const maxFlooded = 64 << 10

// TestFloodsOverHTTP has clients shake hands again and again, and send messages that are as
// large as may be, or larger. No answer is other than documented, and the server's memory is
// bounded.
func TestFloodsOverHTTP(t *testing.T) {
	t.Parallel()
	handshakes, messages := 2500, 40
	if storetest.Long() {
		handshakes, messages = 50_000, 1000
	}
	served, a := serveOneDocument(t)
	before := residentKiB(served.process.Process.Pid)

	answers := map[int]*atomic.Int64{200: {}, 413: {}, 429: {}}
	flood := func(count int, message []byte, allowed ...int) {
		var group sync.WaitGroup
		var sent atomic.Int64
		for range 16 {
			group.Go(func() {
				for sent.Add(1) <= int64(count) && !t.Failed() {
					got, err := served.post(nil, message)
					if err != nil {
						t.Errorf("a message of %d bytes: %v", len(message), err)
						return
					}
					counted := answers[got.status]
					if counted == nil || !bytes.Contains(fmt.Append(nil, allowed), fmt.Append(nil, got.status)) {
						t.Errorf("a message of %d bytes: %d, %.200s", len(message), got.status, got.body)
						return
					}
					counted.Add(1)
				}
			})
		}
		group.Wait()
	}
	hello, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{"elicitation": map[string]any{}}, "clientInfo": map[string]any{"name": strings.Repeat("n", 1000), "version": "1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	flood(handshakes, hello, 200)
	shaken := residentKiB(served.process.Process.Pid)
	padded := func(size int) []byte {
		return []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", size) + `"}}`)
	}
	flood(messages, padded(5<<20-100), 200, 429)
	flood(messages, padded(6<<20), 413)
	flooded := residentKiB(served.process.Process.Pid)
	t.Logf("in use at first %d KiB, after %d handshakes %d, after %d large messages %d; answers 200: %d, 413: %d, 429: %d",
		before, handshakes, shaken, 2*messages, flooded, answers[200].Load(), answers[413].Load(), answers[429].Load())
	if shaken-before > maxFlooded || flooded-before > 3*maxFlooded {
		t.Errorf("the server has %d KiB in use, after the handshakes %d, after the messages %d", before, shaken, flooded)
	}
	mustCall(t, a, "issues_get", map[string]any{"id": "ISS-000001"}, nil)
	served.end(t)
}
