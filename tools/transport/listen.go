package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
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

// windowsInUse is WSAEADDRINUSE, the error of Windows for an address in use.
const windowsInUse = syscall.Errno(10048)

// ErrInUse is returned for an address that another program listens on.
var ErrInUse = errors.New("it is in use by another program")

// ErrExposed is returned for an address that others can reach where nobody is asked who they are.
var ErrExposed = errors.New("others could reach it, and requests are not authenticated")

// ListenOptions say where a server listens, and how others reach it.
type ListenOptions struct {
	// Address is HOST:PORT. Without a host it is that of this machine only.
	Address string
	// Base is the address by which others reach the server, as through a proxy: a scheme and a
	// host. nil is the one that a request names.
	Base *url.URL
	// TrustProxy takes who sent a request, and to which address, from the headers of a proxy.
	// Without one, anybody could write them.
	TrustProxy bool
	// Authenticated says that the handler asks who they are, so that others may reach it.
	Authenticated bool
}

// host returns the host to listen on.
func (o ListenOptions) host() string {
	host, _, _ := net.SplitHostPort(o.Address)
	return cmp.Or(host, loopback) // an empty host would be every interface
}

// An HTTPServer serves a handler until it is closed.
type HTTPServer struct {
	http     *http.Server
	listener net.Listener
	done     chan struct{}
}

// Listen starts a server. An address that others can reach, such as 0.0.0.0:80, is
// [ErrExposed] unless requests are authenticated. One that is in use is an error at once. Only
// requests that [Guard] lets through reach the handler.
func Listen(ctx context.Context, o ListenOptions, handler http.Handler, log *slog.Logger) (*HTTPServer, error) {
	_, port, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("listen for HTTP: %w", err)
	}
	address := net.JoinHostPort(o.host(), port)
	if !namesOf(o.host()).local && !o.Authenticated {
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
			Handler: whole(Guard(o, log, handler)), ConnContext: withConn,
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
