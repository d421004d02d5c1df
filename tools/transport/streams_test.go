package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"issues-index/tools/transport"
)

func TestClosedOutputEndsServe(t *testing.T) {
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	done := make(chan error, 1)
	stopped := make(chan struct{})
	started := make(chan struct{})
	go func() {
		done <- transport.ServeStdio(context.Background(), inReader, outWriter, transport.StdioOptions{
			Handler: newHandler(t, func(ctx context.Context, _ string) error {
				close(started)
				<-ctx.Done()
				close(stopped)
				return ctx.Err()
			}),
		})
	}()
	fmt.Fprintln(in, toolCall(1, "wait", "x"))
	<-started
	out.Close()
	fmt.Fprintln(in, toolCall(2, "echo", "x"))
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(patience):
		t.Fatal("Serve does not return")
	}
	<-stopped // calls that nobody can be answered are stopped
}

func TestBrokenStreamsAreErrors(t *testing.T) {
	broken := errors.New("disk full")
	t.Run("output", func(t *testing.T) {
		err := transport.ServeStdio(t.Context(), strings.NewReader(toolCall(1, "echo", "x")), failing{broken},
			transport.StdioOptions{Handler: newHandler(t, nobodyWaits)})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("input, after what was read before is answered", func(t *testing.T) {
		var out bytes.Buffer
		in := io.MultiReader(strings.NewReader(toolCall(1, "echo", "x")+"\n"), failing{broken})
		err := transport.ServeStdio(t.Context(), in, &out, transport.StdioOptions{Handler: newHandler(t, nobodyWaits)})
		if !errors.Is(err, broken) || !strings.Contains(out.String(), `"id":1,`) {
			t.Errorf("got %v and %s", err, out.String())
		}
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }
