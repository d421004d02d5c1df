package transport

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
)

// A lineWriter writes whole lines.
type lineWriter struct {
	closed chan struct{} // closed when a write failed, after which nothing is written

	begun, ended atomic.Int64 // writes

	mu  sync.Mutex
	to  io.Writer
	err error
}

func newLineWriter(to io.Writer) *lineWriter {
	return &lineWriter{to: to, closed: make(chan struct{})}
}

// write writes a line, and its end.
func (w *lineWriter) write(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	w.begun.Add(1)
	_, w.err = w.to.Write(append(line, '\n'))
	w.ended.Add(1)
	if w.err != nil {
		close(w.closed)
	}
}

// blockedIn returns the number of the write in progress, 0 when there is none. If the
// number stays the same for a while, the client is not reading.
func (w *lineWriter) blockedIn() int64 {
	begun := w.begun.Load()
	if w.ended.Load() >= begun {
		return 0
	}
	return begun
}

// failed returns the error of a write, nil if the client has closed the output.
func (w *lineWriter) failed() error {
	select {
	case <-w.closed:
	default:
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, left := range []error{syscall.EPIPE, io.ErrClosedPipe, fs.ErrClosed} {
		if errors.Is(w.err, left) {
			return nil
		}
	}
	return w.err
}
