package index

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"issues-index/store"
)

// A pausing log calls paused when another index has been opened and is not served yet.
type pausing struct {
	slog.Handler
	paused func()
}

func (p pausing) Enabled(context.Context, slog.Level) bool { return true }

func (p pausing) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "the workspace is laid out in another way and is opened again" {
		p.paused()
	}
	return nil
}

// While one call opens the workspace again, others end, give up, and ask what is served: only
// those that begin meanwhile wait.
func TestOpeningAgainHoldsUpNoOtherCall(t *testing.T) {
	t.Parallel()
	w := newTree(t, 3)
	opening, opened := make(chan struct{}), make(chan struct{})
	log := pausing{slog.DiscardHandler, func() {
		close(opening)
		<-opened
	}}
	ws, err := store.Open(store.Options{Root: w.root, Getenv: func(string) string { return "" }})
	w.must(err)
	c, err := Serve(t.Context(), ws, Options{Mode: ModeVerify, Log: slog.New(log)})
	w.must(err)
	t.Cleanup(func() { w.must(c.Close()) })
	_, release, err := c.Acquire(t.Context())
	w.must(err)

	w.mkdir(".wrangler/config")
	w.write(".wrangler/config/issues-index.yaml", "priorities: [p2, p1]")
	second := make(chan error, 1)
	go func() {
		_, release, err := c.Acquire(t.Context())
		if err == nil {
			release()
		}
		second <- err
	}()
	within := func(what string, do func()) {
		t.Helper()
		done := make(chan struct{})
		go func() {
			defer close(done)
			do()
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			close(opened)
			t.Fatalf("%s waits for another call", what)
		}
	}
	within("the opening", func() { <-opening })
	within("the end of a call", release)
	within("the path", func() { c.Root() })
	within("the index", func() { c.Served() })
	within("a call that is given up", func() {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, _, err := c.Acquire(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	close(opened)
	w.must(<-second)
}
