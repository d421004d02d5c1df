package transport

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// A client is one connection to a server, kept open between its requests.
type client struct {
	net.Conn
	answers *bufio.Reader
}

func connect(t *testing.T, s *HTTPServer) *client {
	t.Helper()
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	check(t, err)
	t.Cleanup(func() { conn.Close() })
	return &client{conn, bufio.NewReader(conn)}
}

func (c *client) ask(t *testing.T) {
	t.Helper()
	_, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	check(t, err)
}

func (c *client) answer(t *testing.T) {
	t.Helper()
	r, err := http.ReadResponse(c.answers, nil)
	check(t, err)
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("healthz: %d, %v", r.StatusCode, err)
	}
}

func TestConnectionsBeyondTheLimitWait(t *testing.T) {
	var asked atomic.Int64
	begun, end := make(chan struct{}), make(chan struct{})
	health := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1); begun <- struct{}{}; <-end })
	s, err := Listen(t.Context(), ListenOptions{Address: ":0"}, health, slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { s.Close() })

	connected := make([]*client, maxConnections)
	for i := range connected {
		connected[i] = connect(t, s)
		connected[i].ask(t)
		<-begun
	}
	late := connect(t, s)
	late.ask(t)
	const rounds = 10 // in which a server without a limit would have begun
	for range rounds {
		end <- struct{}{}
		// One that has its answer is idle, and goes for the client that waits.
		<-begun
		late = connect(t, s)
		late.ask(t)
	}
	if served := asked.Load(); served != rounds+maxConnections {
		t.Errorf("%d requests reached the server while %d were in progress", served, maxConnections)
	}
	close(end)
	<-begun
	late.answer(t)
}

func TestIdleConnectionsGiveTheirPlaces(t *testing.T) {
	s, err := Listen(t.Context(), ListenOptions{Address: ":0"}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { s.Close() })
	connected := make([]*client, 2*maxConnections)
	for i := range connected {
		connected[i] = connect(t, s)
		connected[i].ask(t)
		connected[i].answer(t)
	}
	if _, err := connected[0].answers.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection that was idle longest: %v", err)
	}
	last := connected[len(connected)-1]
	last.ask(t)
	last.answer(t)
}

func TestListen(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "documents") })
	log := slog.New(slog.DiscardHandler)
	s, err := Listen(t.Context(), ListenOptions{Address: ":0"}, h, log)
	check(t, err)
	t.Cleanup(func() { s.Close() })
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("without a host it listens at %s", s.URL())
	}
	if code, _ := fetch(t, s.URL()+"healthz", ""); code != http.StatusOK {
		t.Errorf("healthz: %d", code)
	}
	if code, body := fetch(t, s.URL()+"healthz", "evil.example"); code != http.StatusForbidden || strings.Contains(body, "documents") {
		t.Errorf("a foreign name: %d, %s", code, body)
	}

	t.Run("an address that is taken is an error that says so", func(t *testing.T) {
		_, port, err := net.SplitHostPort(s.listener.Addr().String())
		check(t, err)
		if second, err := Listen(t.Context(), ListenOptions{Address: ":" + port}, h, log); err == nil {
			second.Close()
			t.Error("two servers have one address")
		} else if !strings.Contains(err.Error(), port) || !strings.Contains(err.Error(), "in use") {
			t.Errorf("the error does not say what is wrong: %v", err)
		}
	})

	t.Run("an address that others can reach is refused", func(t *testing.T) {
		for _, address := range []string{"0.0.0.0:0", "[::]:0", "example.org:0", "192.168.1.5:0"} {
			if exposed, err := Listen(t.Context(), ListenOptions{Address: address}, h, log); err == nil {
				exposed.Close()
				t.Errorf("it listens on %s", address)
			} else if !errors.Is(err, ErrExposed) {
				t.Errorf("%s: %v", address, err)
			}
		}
	})

	t.Run("where requests are authenticated, others may reach it", func(t *testing.T) {
		open, err := Listen(t.Context(), ListenOptions{Address: "0.0.0.0:0", Authenticated: true}, h, log)
		check(t, err)
		check(t, open.Close())
	})

	t.Run("closed, it listens no more", func(t *testing.T) {
		check(t, s.Close())
		if conn, err := net.Dial("tcp", s.listener.Addr().String()); err == nil {
			conn.Close()
			t.Error("the port is still open")
		}
	})
}

// fetch asks a server over the network, under another host name if one is given.
func fetch(t *testing.T, url, host string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	check(t, err)
	if host != "" {
		r.Host = host
	}
	answer, err := http.DefaultClient.Do(r)
	check(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(t, err)
	return answer.StatusCode, string(body)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
