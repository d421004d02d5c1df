package httpserver

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// A placeListener accepts so many connections at once. A connection whose client asks nothing
// any more gives its place to the next client, the one that has been idle longest first:
// clients keep their connections for minutes in case they ask again, and connect anew if they
// do. While all have a request in progress, or have not sent one yet, further clients wait.
type placeListener struct {
	net.Listener
	places chan struct{} // one for each connection
	end    func()
	ended  chan struct{}

	mu     sync.Mutex
	idle   *list.List // of net.Conn, the longest first
	at     map[net.Conn]*list.Element
	wanted bool // the next that becomes idle has to go
}

func newPlaceListener(l net.Listener, places int) *placeListener {
	ended := make(chan struct{})
	return &placeListener{
		Listener: l, places: make(chan struct{}, places), end: sync.OnceFunc(func() { close(ended) }), ended: ended,
		idle: list.New(), at: make(map[net.Conn]*list.Element),
	}
}

// Accept waits for a place and for a connection.
func (l *placeListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	default:
		l.want(true)
		select {
		case l.places <- struct{}{}:
		case <-l.ended:
			return nil, net.ErrClosed
		}
		l.want(false)
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placeConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close ends the listening.
func (l *placeListener) Close() error {
	l.end()
	return l.Listener.Close()
}

// want ends the connection that has been idle longest, or has the next that becomes idle end.
func (l *placeListener) want(place bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wanted = place
	if oldest := l.idle.Front(); place && oldest != nil {
		l.drop(oldest)
	}
}

// drop ends an idle connection.
func (l *placeListener) drop(e *list.Element) {
	c, _ := l.idle.Remove(e).(net.Conn) // it holds nothing else
	delete(l.at, c)
	l.wanted = false
	_ = c.Close() // it has gone in any case
}

// note follows the state of a connection.
func (l *placeListener) note(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.at[c]; e != nil {
		l.idle.Remove(e)
		delete(l.at, c)
	}
	if state == http.StateIdle {
		l.at[c] = l.idle.PushBack(c)
		if l.wanted {
			l.drop(l.at[c])
		}
	}
}

// A placeConn is a connection that leaves its place when it ends.
type placeConn struct {
	net.Conn
	leave func()
}

// Close ends the connection.
func (c *placeConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
