package workspaces

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// mayMount says that this process has mounts of its own.
const mayMount = "WORKSPACES_TEST_MAY_MOUNT"

// TestWhatIsMountedOverARootIsServed runs in a process that may mount what nobody else sees.
func TestWhatIsMountedOverARootIsServed(t *testing.T) {
	if os.Getenv(mayMount) == "" {
		apart := func(cmd *exec.Cmd) *exec.Cmd {
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			}
			cmd.Env = append(os.Environ(), mayMount+"=1")
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
		return
	}
	w := newWorld(t, false)
	for _, root := range []string{w.add("start/inner"), w.start} {
		own := filepath.Base(root)
		disk := w.add("disk-" + own)
		w.expect(named(root), own)
		for range 2 {
			if err := syscall.Mount(disk, root, "", syscall.MS_BIND, ""); err != nil {
				t.Skip("no mounts here:", err)
			}
			w.expect(named(root), "disk-"+own)
			w.write(root, "ISS-000002", "mounted")
			w.expect(named(root), "disk-"+own+" mounted")
			w.must(os.Remove(filepath.Join(root, ".wrangler", "issues", "ISS-000002.md")))
			w.must(syscall.Unmount(root, syscall.MNT_DETACH))
			w.expect(named(root), own)
		}
	}
}
