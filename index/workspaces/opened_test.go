//go:build !windows

package workspaces

import (
	"context"
	"testing"
)

// Who opens a workspace may go on with it in the background, until it is closed.
func TestOpenedWorkspacesAreLookedAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	other := w.add("other")
	w.named["other"] = other
	w.expect(named("other"), "other")
	w.expect(Ask{}, "start")
	w.pool.Close()
	until, ok := w.lookedAfter.Load(other)
	if _, start := w.lookedAfter.Load(w.start); !ok || start {
		t.Fatalf("other: %v, start: %v", ok, start)
	}
	if until.(context.Context).Err() == nil {
		t.Error("the Pool is closed, and nothing says so")
	}
}

func TestWhoLooksAfterAWorkspaceIsToldWhenItIsIdle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	other := w.add("other")
	w.named["other"] = other
	w.expect(named("other"), "other")
	w.wait(IdleTime)
	w.pool.CloseIdle()
	w.pool.background.Wait()
	until, ok := w.lookedAfter.Load(other)
	if !ok || until.(context.Context).Err() == nil {
		t.Error("it is closed, and nothing says so")
	}
}
