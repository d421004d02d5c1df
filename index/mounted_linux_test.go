package index

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
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
	out, err := apart(exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
