//go:build !windows

package workspaces

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
)

// A world is a start workspace with a pool of others, each of which keeps a number of its own.
type world struct {
	testing.TB
	base        string
	start       string
	pool        *Pool[int]
	named       map[string]string
	opens       atomic.Int64
	lookedAfter sync.Map     // by root, until when
	clock       atomic.Int64 // seconds since the beginning
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// remove deletes a workspace. An index that is open may write a file meanwhile.
func (w *world) remove(root string) {
	w.Helper()
	err := os.RemoveAll(root)
	for range 100 {
		if err == nil {
			break
		}
		err = os.RemoveAll(root)
	}
	w.must(err)
}

// add makes a workspace with one issue, titled as its folder.
func (w *world) add(dir string) string {
	w.Helper()
	root := filepath.Join(w.base, filepath.FromSlash(dir))
	w.write(root, "ISS-000001", filepath.Base(dir))
	return root
}

func (w *world) write(root, id, title string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Join(root, ".wrangler", "issues"), 0o755))
	w.must(os.WriteFile(filepath.Join(root, ".wrangler", "issues", id+".md"), []byte("---\nid: "+id+"\ntitle: "+title+"\n---\n"), 0o644))
}

func newWorld(t testing.TB, pinned bool) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, base: base, named: map[string]string{}}
	w.start = w.add("start")
	began := time.Now()
	open := func(ctx context.Context, root string) (*index.Current, int, error) {
		ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
		if err != nil {
			return nil, 0, err
		}
		current, err := index.Serve(ctx, ws, index.Options{Mode: index.ModeWatch, Deferred: true})
		return current, int(w.opens.Add(1)), err
	}
	start, _, err := open(t.Context(), w.start)
	w.must(err)
	w.opens.Store(0)
	w.pool = New(Options[int]{
		Start: start, Pinned: pinned, Open: open, Named: func() map[string]string { return w.named },
		Opened: func(ctx context.Context, current *index.Current, _ int) {
			w.lookedAfter.Store(current.Root(), ctx)
		},
		Now: func() time.Time { return began.Add(time.Duration(w.clock.Load()) * time.Second) },
	})
	t.Cleanup(func() {
		w.pool.Close()
		if err := start.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) wait(d time.Duration) { w.clock.Add(int64(d / time.Second)) }

// titles returns those of a workspace's documents, in order, as a call is answered.
func (w *world) titles(ask Ask) (string, error) {
	w.Helper()
	served, release, err := w.pool.Acquire(w.Context(), ask)
	if err != nil {
		return "", err
	}
	defer release()
	page, err := served.Index.Find(w.Context(), index.Query{Limit: 5000})
	if err != nil {
		return "", err
	}
	var titles []string
	for _, row := range page.Rows {
		titles = append(titles, row.Title)
	}
	slices.Sort(titles)
	return strings.Join(titles, " "), nil
}

func (w *world) expect(ask Ask, want string) {
	w.Helper()
	if got, err := w.titles(ask); err != nil || got != want {
		w.Errorf("%+v answers %q, want %q; %v", ask.Workspace, got, want, err)
	}
}

func (w *world) refuses(ask Ask, why string) {
	w.Helper()
	var refused *RefusedError
	if got, err := w.titles(ask); !errors.As(err, &refused) || !strings.Contains(refused.Reason, why) || !refused.Limited && refused.Allowed[0].Root != w.start {
		w.Errorf("%s answers %q, %v", ask.Workspace, got, err)
	}
}

func named(workspace string) Ask { return Ask{Workspace: workspace} }

func rooted(roots ...string) Ask { return Ask{Roots: func() []string { return roots }} }

func TestACallFindsItsWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	b, other, inner := w.add("b"), w.add("other"), w.add("start/inner")
	w.named["b"], w.named["away"] = b, filepath.Join(w.base, "away")

	for _, ask := range []Ask{{}, named(w.start), named("."), named(".wrangler/issues"), named("file://" + w.start), named("FILE://localhost" + w.start)} {
		w.expect(ask, "start")
	}
	w.expect(named(inner), "inner")
	w.expect(named("inner"), "inner")
	w.expect(named("b"), "b")
	w.expect(named(b), "b")
	w.expect(named(b+"/.wrangler/issues/ISS-000001.md"), "b")
	w.refuses(named(other), "not one that this server may open")
	w.refuses(named(w.base), "not one that this server may open")
	w.refuses(named(other+"/none"), "not one that this server may open")
	w.refuses(named(b+"/none"), "does not exist")
	w.refuses(named("away"), "where there is no folder")
	w.refuses(named("file://example.org/x"), "URI")
	w.refuses(named("file://%zz"), "URI")

	t.Run("a path may be relative, or begin with the home folder", func(t *testing.T) {
		home, err := os.UserHomeDir()
		w.must(err)
		for given, want := range map[string]string{"~": home, "~/src": home + "/src", "src": "/start/src", "../x": "/x", "/y": "/y", "file:///a%20b": "/a b", "~user": "/start/~user"} {
			if got, err := expand(given, "/start"); err != nil || got != filepath.FromSlash(want) {
				t.Errorf("%s is %s, %v", given, got, err)
			}
		}
		if _, err := expand("a\x00b", "/start"); err == nil {
			t.Error("a NUL byte is taken")
		}
	})
	t.Run("of what the user has named, the folder itself is the root", func(t *testing.T) {
		plain := filepath.Join(w.base, "other", "plain")
		w.must(os.Mkdir(plain, 0o755))
		w.named["plain"] = plain
		w.expect(named("plain"), "")
		w.expect(named(plain), "")
		w.refuses(named(filepath.Dir(plain)), "not one that this server may open")
	})
	t.Run("a folder that the client has open counts without a word of the caller", func(t *testing.T) {
		w.expect(rooted(), "start")
		w.expect(rooted(other), "other")
		w.expect(rooted(other+"/.wrangler/issues"), "other")
		w.expect(rooted(w.base+"/none", "relative", other), "other")
		w.expect(rooted(w.base+"/none"), "start")
		w.expect(rooted(other, w.base), "start")
		w.expect(rooted(w.start), "start")
		w.expect(rooted(inner), "inner")
		link := filepath.Join(w.base, "link")
		w.must(os.Symlink(w.base, link))
		w.expect(rooted(other, link), "start")
		w.expect(Ask{Workspace: other, Roots: rooted(other).Roots}, "other")
		w.expect(Ask{Workspace: "b", Roots: rooted(other).Roots}, "b")
		w.refuses(named(other), "not one")
	})
	t.Run("a refusal lists what is served", func(t *testing.T) {
		var refused *RefusedError
		if _, err := w.titles(named(other)); !errors.As(err, &refused) || fmt.Sprint(refused.Allowed[:3]) !=
			fmt.Sprint([]AllowedRoot{{Root: w.start}, {Name: "away", Root: w.base + "/away"}, {Name: "b", Root: b}}) {
			t.Errorf("%v %+v", err, refused)
		}
	})
}

func TestAPinnedPoolServesOneWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	inner, other := w.add("start/inner"), w.add("other")
	w.named["b"] = w.add("b")
	for _, workspace := range []string{inner, other, "b", "none", "/"} {
		w.refuses(named(workspace), "")
	}
	for _, ask := range []Ask{{}, named(w.start), rooted(other)} {
		w.expect(ask, "start")
	}
	if w.opens.Load() != 0 {
		t.Error("another one was opened")
	}
}

func TestWorkspacesAreClosedWhenIdle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	inner := w.add("start/inner")
	w.expect(named(inner), "inner")
	w.wait(IdleTime - time.Second)
	w.expect(named(inner), "inner")
	w.wait(IdleTime - time.Second)
	w.pool.CloseIdle()
	w.expect(named(inner), "inner")
	if n := w.opens.Load(); n != 1 {
		t.Errorf("it was opened %d times", n)
	}

	served, release, err := w.pool.Acquire(t.Context(), named(inner))
	w.must(err)
	w.wait(3 * IdleTime)
	w.pool.CloseIdle()
	if _, err := served.Index.Health(t.Context()); err != nil {
		t.Errorf("with a call under way: %v", err)
	}
	release()
	release() // does nothing
	w.wait(IdleTime)
	w.pool.CloseIdle()
	w.pool.background.Wait()
	if _, err := served.Index.Health(t.Context()); err == nil || len(w.pool.open) != 0 {
		t.Error("it is still open")
	}
	w.write(inner, "ISS-000002", "later")
	w.expect(named(inner), "inner later")
	if n := w.opens.Load(); n != 2 {
		t.Errorf("it was opened %d times", n)
	}
}

func TestTheLeastRecentlyUsedWorkspaceGoesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	var roots []string
	for i := range MaxOpen + 3 {
		roots = append(roots, w.add(fmt.Sprintf("start/w%02d", i)))
	}
	_, release, err := w.pool.Acquire(t.Context(), named(roots[0]))
	w.must(err)
	for i, root := range roots[1:] {
		w.wait(time.Second)
		w.expect(named(root), fmt.Sprintf("w%02d", i+1))
	}
	isOpen := func(i int) bool { return w.pool.open[roots[i]] != nil }
	if len(w.pool.open) != MaxOpen || !isOpen(0) || isOpen(1) || isOpen(2) || isOpen(3) || !isOpen(4) {
		t.Errorf("%d are open", len(w.pool.open))
	}
	release()
	w.expect(named(roots[1]), "w01")
}

func TestAWorkspaceThatCannotBeOpenedIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	inner := w.add("start/inner")
	config := filepath.Join(inner, ".wrangler", "config", "issues-index.yaml")
	w.must(os.MkdirAll(filepath.Dir(config), 0o755))
	w.must(os.WriteFile(config, []byte("priorities: 7\n"), 0o644))
	for range 2 {
		if _, err := w.titles(named(inner)); err == nil || !strings.Contains(err.Error(), "priorities") {
			t.Errorf("it answers %v", err)
		}
	}
	w.must(os.Remove(config))
	w.expect(named(inner), "inner")

	w.pool.o.Open = func(context.Context, string) (*index.Current, int, error) { panic("oh") }
	other := w.add("start/other")
	func() {
		defer func() { _ = recover() }()
		_, _ = w.titles(named(other))
	}()
	if _, err := w.titles(named(other)); !errors.Is(err, errNotOpened) {
		t.Errorf("the next call gets %v", err)
	}
}

func TestACallerGivesUpWhileItsWorkspaceIsOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	other := w.add("start/other")
	open, hang := w.pool.o.Open, make(chan struct{})
	w.pool.o.Open = func(ctx context.Context, root string) (*index.Current, int, error) {
		<-hang
		return open(ctx, root)
	}
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if _, _, err := w.pool.Acquire(ctx, named(other)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it answers %v", err)
		}
		cancel()
	}
	w.wait(2 * IdleTime)
	w.pool.CloseIdle() // it is not idle
	close(hang)
	w.expect(named(other), "other")
	if n := w.opens.Load(); n != 1 {
		t.Errorf("it was opened %d times", n)
	}
}

func TestWhatIsAtTheRootNowIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	for _, where := range []string{"start/inner", "start/worktree", "b"} {
		root := w.add(where)
		w.named["b"] = filepath.Join(w.base, "b")
		own := filepath.Base(where)
		w.expect(named(root), own)

		w.must(os.Rename(root, root+"-old"))
		if got, err := w.titles(named(root)); err == nil {
			t.Errorf("a folder that is away answers %q", got)
		}
		w.must(os.Rename(root+"-old", root))
		w.expect(named(root), own)

		w.must(os.Rename(root, root+"-old"))
		w.write(root, "ISS-000007", "new")
		w.expect(named(root), "new")
		w.write(root, "ISS-000008", "newer")
		w.expect(named(root), "new newer")
		w.write(root+"-old", "ISS-000008", "elsewhere")
		w.expect(named(root), "new newer")

		w.remove(root)
		w.write(root, "ISS-000009", "last")
		w.expect(named(root), "last")

		w.wait(IdleTime)
		w.pool.CloseIdle()
		w.remove(root)
		w.write(root, "ISS-000009", "after")
		w.expect(named(root), "after")
	}

	t.Run("while a call is under way", func(t *testing.T) {
		root := w.add("start/busy")
		_, release, err := w.pool.Acquire(t.Context(), named(root))
		w.must(err)
		w.must(os.Rename(root, root+"-old"))
		w.write(root, "ISS-000007", "new")
		w.expect(named(root), "new")
		release()
		w.expect(named(root), "new")
	})
	t.Run("a link that leads elsewhere now", func(t *testing.T) {
		one, two, link := w.add("start/one"), w.add("start/two"), filepath.Join(w.start, "link")
		w.must(os.Symlink(one, link))
		w.expect(named(link), "one")
		w.must(errors.Join(os.Remove(link), os.Symlink(two, link)))
		w.expect(named(link), "two")
		w.must(errors.Join(os.Remove(link), os.Symlink(w.add("outside"), link)))
		w.refuses(named(link), "not one")
	})
	t.Run("the start workspace", func(t *testing.T) {
		w.must(os.Rename(w.start, w.start+"-old"))
		var missing *store.RootError
		if _, err := w.titles(Ask{}); !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it answers %v", err)
		}
		w.expect(named("b"), "after")
		w.write(w.start, "ISS-000007", "new")
		w.expect(Ask{}, "new")
	})
}

func TestCallsOfManyWorkspacesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	var roots []string
	for i := range 6 {
		roots = append(roots, w.add(fmt.Sprintf("start/w%d", i)))
	}
	var calls sync.WaitGroup
	for seed := range 8 {
		calls.Go(func() {
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			for range 20 {
				switch i := random.IntN(len(roots) + 2); i {
				case len(roots):
					w.wait(IdleTime)
					w.pool.CloseIdle()
				case len(roots) + 1:
					ctx, cancel := context.WithCancel(t.Context())
					cancel()
					if _, release, err := w.pool.Acquire(ctx, named(roots[0])); err == nil {
						release()
					}
				default:
					if got, err := w.titles(named(roots[i])); err != nil || got != fmt.Sprintf("w%d", i) {
						t.Errorf("w%d answers %q, %v", i, got, err)
					}
				}
			}
		})
	}
	calls.Wait()
	w.pool.Close()
	if _, _, err := w.pool.Acquire(t.Context(), named(roots[0])); !errors.Is(err, errClosed) {
		t.Errorf("after the end: %v", err)
	}
}
