package index

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// processMayMount says that this process has mounts of its own.
const processMayMount = "INDEX_TEST_MAY_MOUNT"

// TestWhatIsMountedOverAFolderIsSeen runs in a process that may mount what nobody
// else sees.
func TestWhatIsMountedOverAFolderIsSeen(t *testing.T) {
	if os.Getenv(processMayMount) == "" {
		t.Parallel()
		inOwnMounts(t)
		return
	}
	for _, over := range []string{".wrangler/ideas", ".wrangler"} {
		t.Run(over, func(t *testing.T) {
			w := newTree(t, 5)
			w.mkdir("disk/issues")
			w.write("disk/issues/one.md", w.text("ONE-0001"))
			w.write("disk/two.md", w.text("TWO-0001"))
			ix, _ := w.open(Options{})
			w.check(ix)

			if err := syscall.Mount(w.abs("disk"), w.abs(over), "", syscall.MS_BIND, ""); err != nil {
				t.Skip("no mounts here:", err)
			}
			w.check(ix)
			w.write(over+"/issues/three.md", w.text("THREE-01"))
			w.check(ix)
			w.write(over+"/issues/three.md", w.text("THREE-01"))
			w.check(ix)

			// Though an index may be open there.
			w.must(syscall.Unmount(w.abs(over), syscall.MNT_DETACH))
			w.check(ix)
			w.write(".wrangler/ideas/below.md", w.text("BELOW-01"))
			w.check(ix)
		})
	}

	t.Run("a folder below a collection, after the CacheTTL", func(t *testing.T) {
		const over = ".wrangler/issues/area"
		w := newTree(t, 5)
		w.mkdir("disk")
		w.write("disk/one.md", w.text("ONE-0001"))
		c := &sharedClock{now: time.Now()}
		ix, _ := w.open(Options{Now: c.Now})
		w.check(ix)
		compare := func() {
			c.advance(DefaultCacheTTL)
			_, err := ix.Health(t.Context())
			w.must(err)
		}
		if err := syscall.Mount(w.abs("disk"), w.abs(over), "", syscall.MS_BIND, ""); err != nil {
			t.Skip("no mounts here:", err)
		}
		compare()
		w.check(ix)
		w.write(over+"/one.md", w.text("ONE-0001"))
		w.check(ix)
		w.must(syscall.Unmount(w.abs(over), syscall.MNT_DETACH))
		compare()
		w.check(ix)
		w.write(over+"/deep/below.md", w.text("BELOW-01"))
		w.check(ix)
	})
}

// inOwnMounts runs the test again, in a process with mounts of its own.
func inOwnMounts(t *testing.T) {
	apart := func(cmd *exec.Cmd) *exec.Cmd {
		withWatches(0)(cmd)
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNS
		cmd.Env = append(os.Environ(), processMayMount+"=1")
		return cmd
	}
	if err := apart(exec.CommandContext(t.Context(), "true")).Run(); err != nil {
		t.Skip("no user namespace of its own for a process here:", err)
	}
	out, err := apart(exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v",
		fmt.Sprintf("-long=%v", storetest.Long()), fmt.Sprintf("-seed=%d", *seedFlag))).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// mountOrSkip mounts until the test ends what nobody but this process sees.
func mountOrSkip(t *testing.T, source, target, kind string, flags uintptr, options string) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, flags, options); err != nil {
		t.Skip("no mounts here:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) }) // the test may have done it
}

func TestARootThatIsMountedOverIsServedAsItIsNow(t *testing.T) {
	if os.Getenv(processMayMount) == "" {
		t.Parallel()
		inOwnMounts(t)
		return
	}
	w, disk := newTree(t, 5), newTree(t, 10)
	c, _ := serve(t, w.root, Options{})
	w.checkServed(c)
	mountOrSkip(t, disk.root, w.root, "", syscall.MS_BIND, "")
	w.checkServed(c)
	w.write(".wrangler/issues/three.md", w.text("THREE-01"))
	w.checkServed(c)
	w.must(syscall.Unmount(w.root, syscall.MNT_DETACH))
	w.checkServed(c)
}

// A server on the writable side keeps the index's locks in being; on the other side
// they can be taken and not written.
func TestAReadOnlyMountIsServedBesideAWriter(t *testing.T) {
	if os.Getenv(processMayMount) == "" {
		t.Parallel()
		inOwnMounts(t)
		return
	}
	cache := t.TempDir()
	cacheAt(t, cache)
	w := newTree(t, 10)
	writer, _ := w.open(Options{})
	w.check(writer)
	side := t.TempDir()
	mountOrSkip(t, w.root, side, "", syscall.MS_BIND, "")
	mountOrSkip(t, "", side, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	reader := &tree{TB: t, root: side, words: 1000}
	for range 2 {
		ix, log := reader.open(Options{})
		reader.check(ix)
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		w.check(writer)
		reader.check(ix)
		h, err := ix.Health(t.Context())
		w.must(err)
		if l := log.all(); !strings.HasPrefix(h.Path, cache) || len(l) != 1 {
			t.Errorf("served from %s, warnings %q", h.Path, l)
		}
		reader.close(ix)
	}
}

func TestADiskWithoutRoomIsReadOn(t *testing.T) {
	if os.Getenv(processMayMount) == "" {
		t.Parallel()
		inOwnMounts(t)
		return
	}
	w := newTree(t, 20)
	disk := t.TempDir()
	mountOrSkip(t, "none", disk, "tmpfs", 0, "size=2m")
	w.must(os.CopyFS(disk, os.DirFS(w.root)))
	w = &tree{TB: t, root: disk, words: w.words}
	ix, _ := w.open(Options{})
	w.check(ix)
	filling, err := os.Create(w.abs("filling"))
	w.must(err)
	for block := make([]byte, 4096); err == nil; {
		_, err = filling.Write(block)
	}
	w.must(filling.Close())
	if page, err := findPage(t.Context(), ix, Query{Limit: 5}); err != nil || len(page.Rows) != 5 || page.Next != "" {
		t.Errorf("%d rows, cursor %q, %v", len(page.Rows), page.Next, err)
	}
	w.remove(".wrangler/issues/DOC-0000.md")
	w.remove(".wrangler/issues/DOC-0005.md")
	w.check(ix)
	second, _ := w.open(Options{})
	w.check(second)
	w.close(ix)
	w.close(second)

	w.remove("filling")
	third, log := w.open(Options{})
	if at := w.servedFrom(third); at != w.abs(DefaultPath) || len(log.all()) > 0 {
		t.Errorf("with room again it is served from %s, warnings %q", at, log.all())
	}
}

// The same files under another device number: an overlay that is mounted again.
func TestAnOverlayThatIsMountedAgainKeepsItsIndex(t *testing.T) {
	if os.Getenv(processMayMount) == "" {
		t.Parallel()
		inOwnMounts(t)
		return
	}
	lower, apart, w := newTree(t, 30), t.TempDir(), &tree{TB: t, root: t.TempDir()}
	path := apart + "/index.db"
	var generation, cursor string
	var device uint64
	for n := range 3 {
		if n > 0 { // takes the number that the overlay had
			mountOrSkip(t, "none", t.TempDir(), "tmpfs", 0, "")
		}
		mountOrSkip(t, "overlay", w.root, "overlay", 0, "lowerdir="+lower.root+":"+apart)
		ix, log := w.open(Options{Path: path})
		w.check(ix)
		stat, err := ix.ws.Stat(".wrangler/issues/DOC-0000.md")
		w.must(err)
		if stat.Device == device {
			t.Error("the device has the number it had: the test proves nothing")
		}
		page, err := findPage(t.Context(), ix, Query{Cursor: cursor, Limit: 5})
		if err != nil || len(page.Rows) != 5 {
			t.Errorf("mount %d: %d rows, %v", n, len(page.Rows), err)
		}
		if n > 0 && ix.engine.build.generation != generation {
			t.Errorf("mount %d: the index was built again: %q", n, log.all())
		}
		generation, cursor, device = ix.engine.build.generation, page.Next, stat.Device
		w.close(ix)
		w.must(syscall.Unmount(w.root, 0))
	}
}

// An overlay copies a file of the lower folder up when it is first written to, and the folder
// when the first of its files is: the watches of both are on the overlay's own.
func TestEveryChangeOnAnOverlayIsSeenByTheNextRead(t *testing.T) {
	if os.Getenv(processMayMount) == "" {
		t.Parallel()
		inOwnMounts(t)
		return
	}
	lower, apart, w := newTree(t, 40), &tree{TB: t, root: t.TempDir()}, &tree{TB: t, root: t.TempDir()}
	apart.mkdir("upper")
	apart.mkdir("work")
	w.words = lower.words
	mountOrSkip(t, "overlay", w.root, "overlay", 0,
		"userxattr,lowerdir="+lower.root+",upperdir="+apart.abs("upper")+",workdir="+apart.abs("work"))
	w.followOthers(t)
	if _, err := os.Stat(apart.abs("upper/.wrangler/issues")); err != nil {
		t.Error("nothing was copied up: the test proves nothing")
	}
}
