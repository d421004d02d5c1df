package edit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/db"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/layout"
)

// A teamBench is a team whose clones have the same documents in folders of their own.
type teamBench struct {
	t      testing.TB
	now    time.Time
	engine *sharetest.Engine
	ids    []string
	layout string // of the workspace, "" for the usual one
}

func newTeam(t testing.TB, ids ...string) *teamBench {
	b := &teamBench{t: t, now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC), ids: ids}
	b.engine = sharetest.NewEngine(func() time.Time { return b.now })
	return b
}

func (b *teamBench) pass(d time.Duration) { b.now = b.now.Add(d) }

// A cloneBench is one clone of a team's workspace, on a machine of its own.
type cloneBench struct {
	workspace
	b       *teamBench
	machine *sharetest.Machine
	engine  *interrupted
	skew    time.Duration // of its clock
	close   func()
}

// clone makes one.
func (b *teamBench) clone(skew time.Duration) *cloneBench {
	b.t.Helper()
	root := b.t.TempDir()
	for _, id := range b.ids {
		put(b.t, root, issuePath(id), id, "open")
	}
	if b.layout != "" {
		file := filepath.Join(root, filepath.FromSlash(layout.File))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(b.layout), 0o644)); err != nil {
			b.t.Fatal(err)
		}
	}
	machine := b.engine.Connect()
	c := &cloneBench{b: b, machine: machine, engine: &interrupted{Team: machine}, skew: skew}
	c.root = root
	c.start()
	b.t.Cleanup(func() { c.close() })
	return c
}

// start opens the workspace, as a new process does.
func (c *cloneBench) start() {
	t := c.b.t
	t.Helper()
	ws, err := store.Open(store.Options{Root: c.root, Getenv: func(string) string { return "" }, Now: func() time.Time { return c.b.now.Add(c.skew) }})
	if err != nil {
		t.Fatal(err)
	}
	team := claims.TeamOptions{Team: func(context.Context) (share.Team, error) { return c.engine, nil }, Workspace: "api"}
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: index.ModeVerify, Path: db.MemoryPath, Team: team})
	if err != nil {
		t.Fatal(err)
	}
	c.workspace = workspace{c.root, ix, New(ix, LockWait)}
	c.close = func() {
		if err := errors.Join(ix.Close(), ws.Close()); err != nil {
			t.Error(err)
		}
	}
}

func (c *cloneBench) claim(holder, id string) (Claimed, error) {
	return c.Claim(c.b.t.Context(), DocumentRef{ID: id}, ClaimRequest{Holder: holder})
}

func (c *cloneBench) mustClaim(holder, id string) Claimed {
	c.b.t.Helper()
	done, err := c.claim(holder, id)
	if err != nil {
		c.b.t.Fatalf("%s claims %s: %v", holder, id, err)
	}
	return done
}

func (c *cloneBench) mustCreate(title string) Applied {
	c.b.t.Helper()
	done, err := c.Create(c.b.t.Context(), store.NewDocument{Title: title}, false)
	if err != nil {
		c.b.t.Fatalf("create %s: %v", title, err)
	}
	return done
}

// An interrupted connection can end the process before or after what it asks of the engine.
type interrupted struct {
	share.Team
	asked int
	// die, if not nil, is called before and after each question, and may end the goroutine.
	die func(asked int)
}

func (i *interrupted) around() func() {
	i.asked++
	asked := 2 * i.asked
	if i.die != nil {
		i.die(asked)
		return func() { i.die(asked + 1) }
	}
	return func() {}
}

func (i *interrupted) Take(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	after := i.around()
	l, err := i.Team.Take(ctx, l, lasts)
	after()
	return l, err
}

func (i *interrupted) Renew(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	after := i.around()
	l, err := i.Team.Renew(ctx, l, lasts)
	after()
	return l, err
}

func (i *interrupted) Release(ctx context.Context, l share.TeamLease) error {
	after := i.around()
	err := i.Team.Release(ctx, l)
	after()
	return err
}

func (i *interrupted) NextNumber(ctx context.Context, workspace, series string, atLeast int) (int, error) {
	after := i.around()
	number, err := i.Team.NextNumber(ctx, workspace, series, atLeast)
	after()
	return number, err
}
