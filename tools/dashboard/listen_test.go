package dashboard

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
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
	health := source(workspace(t))
	h := New(t.Context(), func(context.Context) (Backend, func()) { asked.Add(1); return health, func() {} }, NewMetrics(), "1.0")
	s, err := Listen(t.Context(), ":0", h, slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { s.Close() })

	connected := make([]*client, maxConnections)
	for i := range connected {
		connected[i] = connect(t, s)
		connected[i].ask(t)
		connected[i].answer(t)
	}
	each := asked.Load() / maxConnections
	late := connect(t, s)
	late.ask(t)
	const rounds = 10 // in which a server without a limit would have answered
	for range rounds {
		for _, c := range connected {
			c.ask(t)
			c.answer(t)
		}
	}
	if served := asked.Load() / each; served != (rounds+1)*maxConnections {
		t.Errorf("%d requests reached the server while %d clients were connected, not %d", served, maxConnections, (rounds+1)*maxConnections)
	}
	check(t, connected[0].Close())
	late.answer(t)
}
