package agree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"issues-index/index/share"
	"issues-index/index/share/sharetest"
	"issues-index/store"
	"issues-index/store/mirror"
)

// A clone is one of a workspace, on a machine of its own.
type clone struct {
	*Agreement
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
	c.Agreement = In(ws, Options{Team: func(context.Context) (share.Team, error) { return c.machine, nil }, Workspace: "api"})
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), ws.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

const issue, series = "ISS-000001", "issue"

func (c *clone) take(holder string) error { return c.Take(c.t.Context(), issue, holder, time.Hour) }

// number takes a number, and makes the document that has it.
func (c *clone) number(next int, path string) (int, error) {
	c.t.Helper()
	number, err := c.Number(c.t.Context(), series, next)
	if unagreed := (*UnagreedError)(nil); err != nil && !errors.As(err, &unagreed) {
		c.t.Fatal(err)
	}
	path = ".wrangler/issues/" + path
	if err := os.WriteFile(filepath.Join(c.root, filepath.FromSlash(path)), []byte("---\ntitle: x\n---\n"), 0o666); err != nil {
		c.t.Fatal(err)
	}
	if err := c.Numbered(c.t.Context(), series, number, path); err != nil {
		c.t.Fatal(err)
	}
	return number, err
}

func (c *clone) mark() int64 {
	c.t.Helper()
	mark, err := c.Unagreed(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return mark
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
	own, others, err := b.Held(t.Context())
	if err != nil || len(own) != 0 || len(others) != 1 || others[store.FoldID(issue)].Holder != "cleo" {
		t.Errorf("the other clone sees %v, %v, %v", own, others, err)
	}
	if err := b.Release(t.Context(), issue); err != nil {
		t.Fatal(err)
	}
	if err := b.take("ben"); !errors.As(err, held) {
		t.Errorf("after the other clone has given back what it has not: %v", err)
	}
	if err := a.Release(t.Context(), issue); err != nil {
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

func TestWhatIsNotAgreedIsMarkedUntilItIs(t *testing.T) {
	c := newClone(t, sharetest.NewEngine(nil))
	if mark := c.mark(); mark != 0 {
		t.Fatalf("mark %d of nothing", mark)
	}
	if _, err := os.Stat(filepath.Join(c.root, filepath.FromSlash(Path))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading has made a file: %v", err)
	}
	c.machine.Cut()
	if err := c.take("ann"); !errors.As(err, new(*UnagreedError)) || !errors.Is(err, share.ErrAway) {
		t.Errorf("%v", err)
	}
	first := c.mark()
	if err := c.Release(t.Context(), issue); err != nil {
		t.Errorf("to give back is no error: %v", err)
	}
	second := c.mark()
	if first == 0 || second <= first {
		t.Errorf("mark %d after %d", second, first)
	}
	if err := c.Agreed(t.Context(), first); err != nil || c.mark() != second {
		t.Errorf("the second was marked while the first was agreed: %d, %v", c.mark(), err)
	}
	if err := c.Agreed(t.Context(), second); err != nil || c.mark() != 0 {
		t.Errorf("all is agreed: %d, %v", c.mark(), err)
	}
}

func TestConnectedClonesNeverHaveTheSameNumber(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	a, b := newClone(t, engine), newClone(t, engine)
	var numbers []int
	for _, c := range []*clone{a, b, a, b} {
		number, err := c.number(1, "ISS-000001-x.md")
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number)
	}
	if !slices.Equal(numbers, []int{1, 2, 3, 4}) {
		t.Errorf("%v", numbers)
	}
	if number, err := b.number(10, "ISS-000010-x.md"); err != nil || number != 10 {
		t.Errorf("%d, %v: the clone had up to 9", number, err)
	}
}

// A number that was made without the counter is the clone's if the counter had not passed it.
// Else another document may have it, and Compare finds out.
func TestANumberThatWasMadeWithoutTheCounter(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	a, b := newClone(t, engine), newClone(t, engine)
	conflicts := func() []NumberConflict {
		t.Helper()
		if err := errors.Join(a.RegisterNumbers(t.Context()), a.Compare(t.Context())); err != nil {
			t.Fatal(err)
		}
		found, err := a.NumberConflicts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	a.machine.Cut()
	if number, err := a.number(1, "ISS-000001-ann.md"); number != 1 || !errors.As(err, new(*UnagreedError)) {
		t.Fatalf("%d, %v", number, err)
	}
	a.machine.Mend()
	if found := conflicts(); len(found) != 0 {
		t.Errorf("nobody else has it: %v", found)
	}
	if number, err := b.number(1, "ISS-000002-ben.md"); err != nil || number != 2 {
		t.Errorf("another clone has %d, %v", number, err)
	}

	a.machine.Cut()
	if number, _ := a.number(2, "ISS-000002-ann.md"); number != 2 {
		t.Fatalf("%d", number)
	}
	a.machine.Mend()
	if found := conflicts(); len(found) != 0 {
		t.Errorf("before the other one is published: %v", found)
	}
	line := mirror.Line{Workspace: "api", Name: "ben-7k2q"}
	theirs := share.DocumentVersion{Line: line, Path: ".wrangler/issues/ISS-000002-ben.md", Origin: share.Origin{Epoch: "e", Rev: 1}, Data: []byte("x")}
	theirs.Hash = share.HashOf(theirs.Data)
	if acks := b.machine.Publish(t.Context(), []share.DocumentVersion{theirs}); acks[0].Err != nil {
		t.Fatal(acks[0].Err)
	}
	want := []NumberConflict{{Path: ".wrangler/issues/ISS-000002-ann.md", Line: line.String(), Other: theirs.Path}}
	if found := conflicts(); !slices.Equal(found, want) {
		t.Errorf("%v", found)
	}
	if err := os.Remove(filepath.Join(a.root, ".wrangler", "issues", "ISS-000002-ann.md")); err != nil {
		t.Fatal(err)
	}
	if found := conflicts(); len(found) != 0 {
		t.Errorf("after it was renumbered: %v", found)
	}
}

func TestNothingIsAgreedWhereThatIsOff(t *testing.T) {
	if a := In(nil, Options{Claims: Off}); a != nil {
		t.Errorf("%v", a)
	}
}
