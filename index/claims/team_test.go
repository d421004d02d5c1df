package claims

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
)

// A clone is one of a workspace, on a machine of its own.
type clone struct {
	*Leases
	t       *testing.T
	root    string
	machine *sharetest.Machine
}

func newClone(t *testing.T, engine *sharetest.Engine) *clone {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".wrangler", "issues"), 0o777); err != nil {
		t.Fatal(err)
	}
	return openClone(t, engine, root)
}

func openClone(t *testing.T, engine *sharetest.Engine, root string) *clone {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	c := &clone{t: t, root: root, machine: engine.Connect()}
	c.Leases = In(ws, TeamOptions{Team: func(context.Context) (share.Team, error) { return c.machine, nil }, Workspace: "api"})
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), ws.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

const issue, series = "ISS-000001", "issue"

func (c *clone) take(holder string) error {
	return c.TakeInTeam(c.t.Context(), issue, holder, time.Hour)
}

// number takes a number, at least next.
func (c *clone) number(next int) int {
	c.t.Helper()
	number, err := c.TeamNumber(c.t.Context(), series, next)
	if err != nil {
		c.t.Fatal(err)
	}
	return number
}

func TestADocumentIsOneClones(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	a, b := newClone(t, engine), newClone(t, engine)
	if err := a.take("ann"); err != nil {
		t.Fatal(err)
	}
	held := new(*share.HeldError)
	if err := b.take("ben"); !errors.As(err, held) || (*held).Lease.Holder != "ann" {
		t.Errorf("another clone: %v", err)
	}
	if err := a.take("cleo"); err != nil {
		t.Errorf("another holder in the clone that has it: %v", err)
	}
	if err := b.EndInTeam(t.Context(), issue); err != nil {
		t.Fatal(err)
	}
	if err := b.take("ben"); !errors.As(err, held) {
		t.Errorf("after the other clone has given back what it has not: %v", err)
	}
	if err := a.EndInTeam(t.Context(), issue); err != nil {
		t.Fatal(err)
	}
	if err := b.take("ben"); err != nil {
		t.Errorf("after it was given back: %v", err)
	}
}

func TestACopyOfAFolderIsAnotherClone(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	a := newClone(t, engine)
	if err := a.take("ann"); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(root, os.DirFS(a.root)); err != nil {
		t.Fatal(err)
	}
	if err := openClone(t, engine, root).take("ann"); !errors.As(err, new(*share.HeldError)) {
		t.Errorf("the copy: %v", err)
	}
	if err := openClone(t, engine, a.root).take("ann"); err != nil {
		t.Errorf("another process of the clone: %v", err)
	}
}

func TestWithoutAnAnswerNothingIsAgreed(t *testing.T) {
	c := newClone(t, sharetest.NewEngine(nil))
	c.machine.Cut()
	_, numbered := c.TeamNumber(t.Context(), series, 1)
	for name, err := range map[string]error{
		"take": c.take("ann"), "release": c.EndInTeam(t.Context(), issue), "renew": c.renew("ann"), "number": numbered,
	} {
		if !errors.As(err, new(*UnagreedError)) || !errors.Is(err, share.ErrAway) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// renew renews the lease for an hour.
func (c *clone) renew(holder string) error {
	return c.renewInTeam(c.t.Context(), Lease{ID: issue, Holder: holder, Expires: time.Now().Add(time.Hour)})
}

func TestALeaseIsRenewedWhileTheCloneHasIt(t *testing.T) {
	now := time.Now()
	engine := sharetest.NewEngine(func() time.Time { return now })
	a, b := newClone(t, engine), newClone(t, engine)
	if err := a.renew("ann"); !errors.Is(err, share.ErrLost) {
		t.Errorf("before it was taken: %v", err)
	}
	if err := errors.Join(a.take("ann"), a.renew("ann")); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Hour)
	if err := b.take("ben"); err != nil {
		t.Fatal(err)
	}
	if err := a.renew("ann"); !errors.Is(err, share.ErrLost) || !errors.As(err, new(*UnagreedError)) {
		t.Errorf("after another clone has it: %v", err)
	}
}

func TestConnectedClonesNeverHaveTheSameNumber(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	a, b := newClone(t, engine), newClone(t, engine)
	if numbers := []int{a.number(1), b.number(1), a.number(1), b.number(1)}; !slices.Equal(numbers, []int{1, 2, 3, 4}) {
		t.Errorf("%v", numbers)
	}
	if number := b.number(10); number != 10 {
		t.Errorf("%d: the clone had up to 9", number)
	}
}
