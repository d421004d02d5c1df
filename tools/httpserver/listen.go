// Package httpserver listens for HTTP for the pages of this program, and refuses requests
// that come from other places than these pages.
//
// It knows nothing about what is served. Its invariants:
//
//   - an address without a host is that of this machine only;
//   - a request that names a host that is not the listener's gets no answer, so that a
//     foreign page cannot reach it through a host name of its own (DNS rebinding), nor does
//     one of another origin;
//   - no page can be shown in a frame, run an inline script or load anything from elsewhere;
//   - a client cannot hold a connection, or all of them, for ever.
package httpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

// loopback is the host to listen on when an address has none.
const loopback = "127.0.0.1"

// How long a client may take. Answers are small and come from local files, so these
// are generous, but no client holds a connection for ever.
const (
	headerTime   = 5 * time.Second
	readTime     = 10 * time.Second
	writeTime    = 30 * time.Second
	idleTime     = 2 * time.Minute
	shutdownTime = 200 * time.Millisecond
	maxHeader    = 16 << 10 // bytes
)

// maxConnections is how many clients are connected at once; others wait, unless one of these
// asks nothing. Each takes a file descriptor of a process that also serves an agent. A browser
// opens six, of which one stays open while it shows a page; a metrics collector opens one.
const maxConnections = 256

// windowsInUse is WSAEADDRINUSE, the error of Windows for an address in use.
const windowsInUse = syscall.Errno(10048)

// ErrInUse is returned for an address that another program listens on.
var ErrInUse = errors.New("it is in use by another program")

// ErrExposed is returned for an address that others can reach: nobody is asked who they are.
var ErrExposed = errors.New("others could reach it, and requests are not authenticated")

// An HTTPServer serves a handler until it is closed.
type HTTPServer struct {
	http     *http.Server
	listener net.Listener
	done     chan struct{}
}

// Listen starts a server at HOST:PORT. Without a host it listens on the loopback
// interface. Another host, such as 0.0.0.0, is [ErrExposed].
// An address that is in use is an error at once. Only requests that [Guard] lets through
// reach the handler.
func Listen(ctx context.Context, address string, handler http.Handler, log *slog.Logger) (*HTTPServer, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen for HTTP: %w", err)
	}
	host = cmp.Or(host, loopback) // an empty host would be every interface
	address = net.JoinHostPort(host, port)
	if !namesOf(host).local {
		return nil, fmt.Errorf("listen on %q: %w", address, ErrExposed)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, windowsInUse) {
		return nil, fmt.Errorf("listen on %q: %w", address, ErrInUse)
	}
	if err != nil {
		return nil, fmt.Errorf("listen for HTTP: %w", err)
	}
	places := newPlaceListener(listener, maxConnections)
	s := &HTTPServer{
		http: &http.Server{
			Handler:           Guard(host, log, handler),
			ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
			MaxHeaderBytes: maxHeader, ConnState: places.note,
			ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
		listener: listener,
		done:     make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(places); !errors.Is(err, http.ErrServerClosed) {
			log.Error("serve over HTTP", "error", err)
		}
	}()
	return s, nil
}

// OnClose has end called when the server begins to end: for answers that go on until then.
func (s *HTTPServer) OnClose(end func()) { s.http.RegisterOnShutdown(end) }

// URL returns the URL of the server.
func (s *HTTPServer) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Close ends the server. Requests in progress get shutdownTime.
func (s *HTTPServer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.done
	return err
}
