package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/tools/transport"
)

// A flood is an input of many requests. It keeps count of how many are unanswered.
type flood struct {
	requests int

	mu         sync.Mutex
	given      int
	answered   int
	unanswered int // at most
	rest       []byte
}

func (f *flood) Read(into []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.rest) == 0 {
		if f.given == f.requests {
			return 0, io.EOF
		}
		f.given++
		f.unanswered = max(f.unanswered, f.given-f.answered)
		f.rest = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", f.given)
	}
	n := copy(into, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// Write takes an answer in, after many more requests were offered.
func (f *flood) Write(line []byte) (int, error) {
	for range 100 {
		runtime.Gosched()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered++
	return len(line), nil
}

func TestNoMoreIsReadWhileManyAnswersWait(t *testing.T) {
	const held = 128 << 10
	f := &flood{requests: 5_000}
	if err := transport.ServeStdio(t.Context(), f, f, transport.StdioOptions{MaxHeld: held, Handler: newHandler(t, nobodyWaits)}); err != nil {
		t.Fatal(err)
	}
	if f.answered != f.requests {
		t.Errorf("%d of %d requests are answered", f.answered, f.requests)
	}
	if most := held / 500; f.unanswered > most {
		t.Errorf("%d requests were taken in unanswered, want at most %d", f.unanswered, most)
	}
	t.Logf("at most %d unanswered", f.unanswered)
}

// A wall is an output that nobody reads.
type wall struct{ hit chan struct{} }

func (w wall) Write([]byte) (int, error) {
	w.hit <- struct{}{}
	select {}
}

// served returns what Serve returns, once it does.
func served(ctx context.Context, t *testing.T, in io.Reader, out io.Writer, o transport.StdioOptions) <-chan error {
	t.Helper()
	o.Handler = newHandler(t, nobodyWaits)
	done := make(chan error, 1)
	go func() { done <- transport.ServeStdio(ctx, in, out, o) }()
	return done
}

func TestBlockedOutputDoesNotKeepServeRunning(t *testing.T) {
	const soon, never = time.Millisecond, time.Hour
	requests := strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", 1000)
	wantBlocked := func(t *testing.T, done <-chan error) {
		t.Helper()
		select {
		case err := <-done:
			if !errors.Is(err, transport.ErrBlocked) {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(patience):
			t.Fatal("Serve does not return")
		}
	}
	t.Run("at the end of the input", func(t *testing.T) {
		out := wall{make(chan struct{}, 1)}
		wantBlocked(t, served(t.Context(), t, strings.NewReader(requests), out, transport.StdioOptions{Patience: transport.Patience{AtEnd: soon, Cancelled: never}}))
	})
	t.Run("when it is told to end", func(t *testing.T) {
		in, client := io.Pipe()
		defer client.Close()
		out := wall{make(chan struct{}, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		done := served(ctx, t, in, out, transport.StdioOptions{Patience: transport.Patience{AtEnd: never, Cancelled: soon}})
		go func() { _, _ = io.WriteString(client, requests) }()
		<-out.hit
		cancel()
		wantBlocked(t, done)
	})
	t.Run("when it reads no more and the client's end of the input is closed", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("the system does not tell that the other end of a pipe is closed")
		}
		in, client, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		out := wall{make(chan struct{}, 1)}
		if _, err := client.WriteString(requests); err != nil {
			t.Fatal(err)
		}
		done := served(t.Context(), t, in, out, transport.StdioOptions{MaxHeld: 1, Patience: transport.Patience{AtEnd: soon, Cancelled: never}})
		<-out.hit
		client.Close()
		wantBlocked(t, done)
	})
}
