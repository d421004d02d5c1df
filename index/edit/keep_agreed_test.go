package edit

import (
	"context"
	"testing"
	"time"

	"issues-index/index/agree"
	"issues-index/store"
)

// A server agrees by itself on what was left to be agreed: when it starts, and after each time
// that the engine was away.
func TestKeepAgreed(t *testing.T) {
	b := newTeam(t, one, two)
	c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
	c.machine.Cut()
	c.mustClaim("anna", one)
	c.machine.Mend()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.KeepAgreed(ctx, func(err error) { t.Error(err) })
	}()
	defer func() {
		cancel()
		<-ended
	}()
	d.waitUntilHeld(one)
	c.machine.Cut()
	c.mustClaim("anna", two)
	c.machine.Mend()
	d.waitUntilHeld(two)
}

// waitUntilHeld waits until another clone has a document.
func (c *cloneBench) waitUntilHeld(id string) {
	t := c.b.t
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		_, others, err := c.ix.Agreement().Held(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, held := others[store.FoldID(id)]; held {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("nobody has %s", id)
		}
	}
}

// Others get the lock of the workspace between the claims that are agreed, however long the
// engine takes for each.
func TestClaimsAreAgreedInParts(t *testing.T) {
	b := newTeam(t, one, two)
	c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
	c.machine.Cut()
	c.mustClaim("anna", one)
	c.mustClaim("anna", two)
	c.machine.Mend()
	a, agreed := c.ix.Agreement(), map[string]int64{}
	for part, want := range []bool{true, false} {
		var more bool
		err := c.ix.Workspace().Mutate(t.Context(), func(*store.Mutation) (err error) {
			more, err = c.agreeClaims(t.Context(), a, agreed, time.Now())
			return err
		})
		if err != nil || more != want || len(agreed) != part+1 {
			t.Fatalf("part %d: more %v, %v, %v", part, more, agreed, err)
		}
	}
	d.waitUntilHeld(one)
	d.waitUntilHeld(two)
}
