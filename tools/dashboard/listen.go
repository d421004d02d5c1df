package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
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

// maxConnections is how many clients are connected at once; others wait. Each takes a
// file descriptor of a process that also serves an agent. A browser opens six, a
// metrics collector one.
const maxConnections = 64

// windowsInUse is WSAEADDRINUSE, the error of Windows for an address in use.
const windowsInUse = syscall.Errno(10048)

// An AddressError is returned for an address that is malformed or in use.
type AddressError struct {
	Address string
	Reason  string
}

func (e *AddressError) Error() string { return fmt.Sprintf("listen on %q: %s", e.Address, e.Reason) }

// Address returns the address to listen on. Without a host it is on the loopback
// interface. Binding to another host, such as 0.0.0.0, exposes the dashboard to
// everyone who can reach it.
func Address(address string) (string, error) {
	host, port := "", address
	if strings.Contains(address, ":") {
		var err error
		if host, port, err = net.SplitHostPort(address); err != nil {
			port = ""
		}
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", &AddressError{address, "it must be HOST:PORT, or a port of this machine alone, as in 127.0.0.1:8080 or :8080"}
	}
	if host == "" {
		host = loopback
	}
	return net.JoinHostPort(host, port), nil
}

// A Server serves the dashboard until it is closed.
type Server struct {
	http     *http.Server
	listener net.Listener
	done     chan struct{}
}

// Listen starts a server. An address that is in use, or is not one of this machine,
// is an error at once. The server answers requests for host names of the address
// only; see [Handler.For].
func Listen(ctx context.Context, address string, h *Handler, log *slog.Logger) (*Server, error) {
	address, err := Address(address)
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, windowsInUse) {
		return nil, &AddressError{address, "it is in use by another program"}
	}
	if err != nil {
		return nil, fmt.Errorf("listen for HTTP: %w", err)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s := &Server{
		http: &http.Server{
			Handler:           h.For(host),
			ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
			MaxHeaderBytes: maxHeader,
			ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
		listener: listener,
		done:     make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(netutil.LimitListener(listener, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("serve the dashboard", "error", err)
		}
	}()
	return s, nil
}

// URL returns the URL of the page.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Close ends the server. Requests in progress get shutdownTime.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.done
	return err
}
