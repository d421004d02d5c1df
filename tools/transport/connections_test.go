package transport

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// answered is within what time an honest client has its answer, however many others there are.
// Without -long it allows for a machine that does other work, too.
func answered() time.Duration {
	if storetest.Long() {
		return time.Second
	}
	return 4 * time.Second
}

// hostile are clients that keep a server waiting, by what they send. None of them reads more than
// the first bytes that it is told, if any.
var hostile = map[string]struct {
	sends string
	reads bool
}{
	"silent connections":               {},
	"slow heads":                       {sends: "GET / HTTP/1.1\r\nHost: local"},
	"slow heads of a second request":   {sends: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP", reads: true},
	"slow bodies":                      {sends: "POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"},
	"slow bodies in chunks":            {sends: "POST /read HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"},
	"slow bodies that nobody reads":    {sends: "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"},
	"unread answers":                   {sends: "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n", reads: true},
	"unread answers, asked for before": {sends: strings.Repeat("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n", 100), reads: true},
	"answers that are read and kept":   {sends: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", reads: true},
}

func TestAnHonestClientIsAnsweredBesideThoseThatKeepTheServerWaiting(t *testing.T) {
	count := maxConnections + 100
	if storetest.Long() {
		count = 1000
	}
	for kind, c := range hostile {
		t.Run(kind, func(t *testing.T) {
			s := serveSlowly(t)
			worst := honest(t, s)
			flood(t, s, count, c.sends, c.reads, true)
			for range 5 {
				worst = max(worst, honest(t, s))
			}
			t.Logf("beside %d %s an honest client waited %v at most", count, kind, worst)
		})
	}
	t.Run("all kinds at once", func(t *testing.T) {
		kinds := []string{"silent connections", "slow heads", "slow bodies", "unread answers"}
		each := count
		if !storetest.Long() {
			each = count / len(kinds)
		}
		s := serveSlowly(t)
		for _, kind := range kinds {
			// The system itself keeps a few thousand waiting; if all of these came back, it would
			// turn honest clients away.
			flood(t, s, each, hostile[kind].sends, hostile[kind].reads, false)
		}
		var worst time.Duration
		for range 5 {
			worst = max(worst, honest(t, s))
		}
		t.Logf("beside %d of each kind an honest client waited %v at most", each, worst)
	})
}

// serveSlowly serves answers of some MiB at /large, and reads all that /read is sent.
func serveSlowly(t *testing.T) *HTTPServer {
	t.Helper()
	large := make([]byte, 8<<20)
	mux := http.NewServeMux()
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) })
	mux.HandleFunc("/read", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") })
	s, err := Listen(t.Context(), ListenOptions{Address: ":0"}, mux, slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// flood opens connections that each send a text, and keeps as many until the test ends: a client
// whose connection has ended connects again, if it comes back.
func flood(t *testing.T, s *HTTPServer, count int, sends string, reads, comesBack bool) {
	t.Helper()
	ctx, address := t.Context(), s.listener.Addr().String()
	hold := func(c net.Conn) {
		defer c.Close()
		defer context.AfterFunc(ctx, func() { c.Close() })()
		_ = c.(*net.TCPConn).SetReadBuffer(4096) // which is all that it takes of an answer
		go func() { _, _ = io.WriteString(c, sends) }()
		if reads {
			_, _ = c.Read(make([]byte, 1))
			<-ctx.Done() // its end would be seen by reading
			return
		}
		_, _ = io.Copy(io.Discard, c)
	}
	for i := range count {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Skipf("only %d connections can be opened here, raise the limit of open files: %v", i, err)
		}
		go func() {
			for hold(c); comesBack && ctx.Err() == nil; hold(c) {
				if c, err = net.Dial("tcp", address); err != nil {
					return // the test is over
				}
			}
		}()
	}
}

// honest asks over a new connection, as somebody does who comes now, and returns how long it took.
func honest(t *testing.T, s *HTTPServer) time.Duration {
	t.Helper()
	began := time.Now()
	client := &http.Client{Timeout: answered(), Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(s.URL())
	if err != nil {
		t.Fatalf("an honest client is not answered: %v", err)
	}
	defer r.Body.Close()
	if text, err := io.ReadAll(r.Body); err != nil || string(text) != "served" {
		t.Errorf("an honest client is answered %q, %v", text, err)
	}
	return time.Since(began)
}

// A pacedConn is a connection whose client sends or takes everything after a while.
type pacedConn struct {
	net.Conn
	clock *time.Time
	after time.Duration // for each call
	ended bool
}

func (c *pacedConn) Read(p []byte) (int, error) {
	*c.clock = c.clock.Add(c.after)
	return len(p), nil
}

func (c *pacedConn) Write(p []byte) (int, error) {
	*c.clock = c.clock.Add(c.after)
	return len(p), nil
}

func (c *pacedConn) Close() error {
	c.ended = true
	return nil
}

func TestTheClientThatOwesMostGivesItsPlace(t *testing.T) {
	clock := time.Now()
	l := newPlaceListener(nil, 100)
	l.now = func() time.Time { return clock }
	conns := map[string]*pacedConn{}
	add := func(name string, after time.Duration) *placeConn {
		conns[name] = &pacedConn{clock: &clock, after: after}
		l.places <- struct{}{}
		return l.place(conns[name])
	}
	// These have been there for long, and are in the middle of a request.
	steady, computing, first := add("reads an answer steadily", 100*time.Millisecond), add("waits for its answer", 0), add("idle", 0)
	first.begin(idle)
	second := add("idle for less long", 0)
	for _, c := range []*placeConn{steady, computing} {
		c.begin(inBody)
		c.begin(inAnswer)
	}
	clock = clock.Add(time.Minute)
	second.begin(idle)
	sender, slow := add("sends a body steadily", 100*time.Millisecond), add("sends a byte at a time", 40*time.Millisecond)
	for _, c := range []*placeConn{sender, slow} {
		c.begin(inBody)
	}
	send := func(c *placeConn, size int) { _, _ = c.Read(make([]byte, size)) }
	for range 20 {
		_, _ = steady.Write(make([]byte, pieceSize))
		send(sender, 8<<10)
	}
	send(slow, 1)
	send(slow, 1)
	silent := add("silent", 0)
	clock = clock.Add(mayOwe + time.Second)
	add("has just come", 0)

	for _, want := range []string{"idle", "idle for less long", "silent", "sends a byte at a time"} {
		l.makeRoom()
		if !conns[want].ended {
			t.Fatalf("%s was not the next to end", want)
		}
	}
	if again := l.makeRoom(); again <= 0 || again > mayOwe {
		t.Errorf("it looks again after %v", again)
	}
	for name, c := range conns {
		if wants := !strings.HasPrefix(name, "idle") && name != "silent" && name != "sends a byte at a time"; c.ended == wants {
			t.Errorf("%s: ended %v", name, c.ended)
		}
	}
	if err := silent.Close(); err != nil || len(l.places) != 4 {
		t.Errorf("%d places are taken, %v", len(l.places), err)
	}
}
