package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxConnections is how many clients are connected at once. Each takes a file descriptor of a
// process that also serves an agent, and some 20 KB. A browser opens six, of which one stays
// open while it shows a page; a metrics collector opens one.
const maxConnections = 512

// While all places are taken, a client that owes more than mayOwe gives its place to the next
// one. It owes the time for which the server has waited for it, less what the bytes that it sent
// or took would have taken at steadyRate. Of that it keeps mostCredit at most: the head of a
// request follows its connection at once, but more than that may cross a network.
const (
	mayOwe     = 50 * time.Millisecond
	mostCredit = 100 * time.Millisecond
	steadyRate = 64 << 10 // bytes a second
	pieceSize  = 16 << 10 // bytes of an answer that are written at once, each of which counts when it is taken
)

// sendBuffer is what the system keeps of an answer for a client that does not read, in bytes;
// some take twice as much. By itself it would be megabytes.
const sendBuffer = 64 << 10

// A placeListener accepts so many connections at once. While all places are taken, the next
// client gets the place of one that keeps the server waiting: first of the connection that has
// been idle longest, since clients keep connections for minutes in case they ask again, and
// connect anew if they do; then of the client that owes most. While the server owes an answer to
// every client, further ones wait. Nothing depends on addresses: behind a proxy, and on this
// machine, all clients have one.
type placeListener struct {
	net.Listener
	places chan struct{} // one for each connection
	idled  chan struct{} // has a word when a connection has become idle
	end    func()
	ended  chan struct{}
	now    func() time.Time

	mu  sync.Mutex
	all map[*placeConn]bool
}

func newPlaceListener(l net.Listener, places int) *placeListener {
	ended := make(chan struct{})
	return &placeListener{
		Listener: l, places: make(chan struct{}, places), idled: make(chan struct{}, 1),
		end: sync.OnceFunc(func() { close(ended) }), ended: ended, now: time.Now, all: make(map[*placeConn]bool),
	}
}

// Accept waits for a place and for a connection.
func (l *placeListener) Accept() (net.Conn, error) {
	if err := l.enter(); err != nil {
		return nil, err
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // without it, everything works as well
	}
	return l.place(c), nil
}

// place gives a connection the place that was taken for it.
func (l *placeListener) place(c net.Conn) *placeConn {
	p := &placeConn{Conn: c, listener: l, phase: inHead, waits: l.now()}
	l.mu.Lock()
	l.all[p] = true
	l.mu.Unlock()
	return p
}

// enter takes a place, if need be that of a client that keeps the server waiting.
func (l *placeListener) enter() error {
	for {
		select {
		case l.places <- struct{}{}:
			return nil
		default:
		}
		again := l.makeRoom()
		select {
		case l.places <- struct{}{}:
			return nil
		case <-l.ended:
			return net.ErrClosed
		case <-l.idled:
		case <-time.After(again):
		}
	}
}

// makeRoom ends the connection whose place goes to the next client. There may be none; then it
// returns when to look again.
func (l *placeListener) makeRoom() (again time.Duration) {
	var worst *placeConn
	most, now := -mayOwe, l.now()
	l.mu.Lock()
	for c := range l.all {
		if over := c.over(now); worst == nil || over > most {
			worst, most = c, over
		}
	}
	l.mu.Unlock()
	if worst == nil || most <= 0 {
		return max(min(-most, mayOwe), time.Millisecond)
	}
	_ = worst.Close() // it has gone in any case
	return 0
}

// Close ends the listening.
func (l *placeListener) Close() error {
	l.end()
	return l.Listener.Close()
}

// note follows the state of a connection.
func (l *placeListener) note(c net.Conn, state http.ConnState) {
	p, ok := c.(*placeConn)
	if !ok {
		return
	}
	switch state {
	case http.StateActive:
		p.begin(inBody)
	case http.StateIdle:
		p.begin(idle)
		select {
		case l.idled <- struct{}{}:
		default:
		}
	case http.StateNew, http.StateHijacked, http.StateClosed:
	}
}

// A phase is what a connection is at.
type phase int

const (
	inHead   phase = iota // the head of its first request has not arrived
	inBody                // that of a request has, and its body is arriving
	inAnswer              // all of a request has arrived
	idle                  // its last request is answered
)

// A placeConn is a connection that leaves its place when it ends. It knows for how long the
// server has waited for its client.
type placeConn struct {
	net.Conn
	listener *placeListener
	left     sync.Once

	mu      sync.Mutex
	phase   phase
	debt    time.Duration
	waits   time.Time // since when the server waits for the client; zero while it does not
	reading bool      // a read waits: of the request's body, or for the end of the connection
}

type connKey struct{}

// withConn has a request know its connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// whole has the connection of each request know when all of it has arrived. What the server
// waits for then is its own work, until it writes.
func whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*placeConn); ok {
			if r.ContentLength == 0 {
				c.begin(inAnswer)
			} else {
				r.Body = &arrivingBody{r.Body, c}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// An arrivingBody is the body of a request.
type arrivingBody struct {
	io.ReadCloser
	conn *placeConn
}

// Read reads a part, and notes the end.
func (b *arrivingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.conn.begin(inAnswer)
	}
	return n, err
}

// over returns by how much a client owes more than it may. What is idle owes the most.
func (c *placeConn) over(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	owed := c.debt - mayOwe
	if !c.waits.IsZero() {
		owed += now.Sub(c.waits)
	}
	if c.phase == idle {
		return owed + 24*time.Hour // longer than any request lasts
	}
	return owed
}

// begin begins a phase.
func (c *placeConn) begin(p phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.phase
	c.phase = p
	switch {
	case p == idle:
		c.debt, c.waits = 0, c.listener.now()
	case p == inBody: // of another request
		c.debt, c.waits = 0, time.Time{}
	case p == inAnswer && was == inBody && c.reading: // for the end of the connection alone
		c.waits = time.Time{}
	}
}

// Read reads what the client sends.
func (c *placeConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	c.reading = true
	counts := c.phase == inBody && c.waits.IsZero()
	if counts {
		c.waits = c.listener.now()
	}
	c.mu.Unlock()
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = false
	if counts && c.phase == inBody {
		c.settle(n)
	}
	return n, err
}

// Write writes a part of an answer.
func (c *placeConn) Write(p []byte) (written int, err error) {
	for {
		piece := p[written:min(len(p), written+pieceSize)]
		c.mu.Lock()
		c.waits = c.listener.now()
		c.mu.Unlock()
		n, err := c.Conn.Write(piece)
		c.mu.Lock()
		taken := n
		if c.listener.now().Sub(c.waits) < time.Millisecond {
			taken = 0 // by the system, which says nothing about the client
		}
		c.settle(taken)
		c.mu.Unlock()
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// settle counts a wait that has ended, and the bytes that came of it. The caller has the lock.
func (c *placeConn) settle(n int) {
	if c.waits.IsZero() {
		return
	}
	c.debt = max(-mostCredit, c.debt+c.listener.now().Sub(c.waits)-time.Duration(n)*time.Second/steadyRate)
	c.waits = time.Time{}
}

// Close ends the connection.
func (c *placeConn) Close() error {
	defer c.left.Do(func() {
		c.listener.mu.Lock()
		delete(c.listener.all, c)
		c.listener.mu.Unlock()
		<-c.listener.places
	})
	return c.Conn.Close()
}
