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

// loopback is where a server listens that is told a port and no host.
const loopback = "127.0.0.1"

// How long a client may take. An answer is small and made from local files, so
// that these are generous, and yet nobody holds a connection for ever.
const (
	headerTime   = 5 * time.Second
	readTime     = 10 * time.Second
	writeTime    = 30 * time.Second
	idleTime     = 2 * time.Minute
	shutdownTime = 200 * time.Millisecond
	maxHeader    = 16 << 10 // bytes
)

// maxConnections is how many clients are connected at once; others wait. Each takes
// a file descriptor of a process that also serves an agent. A browser has six, a
// collector of metrics one.
const maxConnections = 64

// windowsInUse is Windows' number for an address that is taken (WSAEADDRINUSE).
const windowsInUse = syscall.Errno(10048)

// An AddressError is an address that nobody can listen on as it is written, or
// that is taken.
type AddressError struct {
	Address string
	Reason  string
}

func (e *AddressError) Error() string { return fmt.Sprintf("listen on %q: %s", e.Address, e.Reason) }

// Address returns the address to listen on. One without a host is this machine
// alone: only who names a host, 0.0.0.0 for instance, lets others in.
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

// A Server answers HTTP requests until it is closed.
type Server struct {
	http     *http.Server
	listener net.Listener
	done     chan struct{}
}

// Listen starts a server. An address that is taken is an error at once, and so
// is one that is not this machine's. The page is served to the host names that
// lead to the address, and to no other; see [Handler].
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

// URL is where the page is.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Close ends the server. Requests that are being answered get a moment.
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
