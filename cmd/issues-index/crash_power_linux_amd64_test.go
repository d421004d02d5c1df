package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"issues-index/store/storetest"
)

// TestCrashWithThePower has the power fail under two servers and commands that write: whatever of
// the cache has reached the disk, the next commands work, and every document that was
// acknowledged is there.
func TestCrashWithThePower(t *testing.T) {
	if !storetest.Long() {
		t.Skip("it takes minutes: run it with -long")
	}
	disk := newDisk(t)
	random := rand.New(rand.NewPCG(20261124, 2))
	disk.mount()
	c := newCrashSite(t, filepath.Join(disk.folder, "workspace"))
	unix.Sync()
	acknowledged := map[string]bool{}
	for round := range 50 {
		if random.IntN(3) == 0 {
			c.must(os.RemoveAll(c.cache()))
		}
		disk.failUnder(c, random, acknowledged)
		disk.mount()
		c.recovers(aServer)
		documents := readAll(t, c.root)
		for id := range acknowledged {
			if documents[id] == nil {
				t.Errorf("%s was acknowledged, and is lost", id)
			}
		}
		if t.Failed() {
			t.Fatalf("after %d power losses", round+1)
		}
	}
	t.Logf("%d documents", len(acknowledged))
}

// A disk is a file with a file system of its own.
type disk struct {
	testing.TB
	image, folder string
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	dir := t.TempDir()
	d := &disk{t, filepath.Join(dir, "image"), filepath.Join(dir, "disk")}
	for _, args := range [][]string{
		{"truncate", "--size=256M", d.image}, {"mkfs.ext4", "-q", d.image}, {"mkdir", d.folder},
		{"mount", "-o", "loop", d.image, d.folder}, {"umount", d.folder},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no file system can be made here: %v %v: %s", args, err, out)
		}
	}
	t.Cleanup(func() { _ = exec.Command("umount", d.folder).Run() }) // it may have been already
	return d
}

func (d *disk) mount() {
	d.Helper()
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.folder).CombinedOutput(); err != nil {
		d.Fatalf("mount: %v: %s", err, out)
	}
}

// failUnder has two servers and a shell write, lets the power fail, and notes the ids of the
// documents that were acknowledged before.
func (d *disk) failUnder(c *crashSite, random *rand.Rand, acknowledged map[string]bool) {
	d.Helper()
	var writers sync.WaitGroup
	var mu sync.Mutex
	failed := make(chan struct{})
	for range 2 {
		a, err := newAgent("t", exec.Command("issues-index", "serve", "--workspace", c.root))
		if err != nil {
			d.Fatal(err)
		}
		writers.Go(func() {
			for {
				answer, err := a.call("issues_create", map[string]any{"title": "Made before a power loss", "description": "Text.", "allowDuplicateTitle": true})
				var made struct{ ID string }
				if err != nil || answer.IsError || answer.decode(&made) != nil {
					break
				}
				mu.Lock()
				acknowledged[made.ID] = true
				mu.Unlock()
			}
			<-failed
			_ = a.process.Process.Kill() // its disk is gone
			a.end()
		})
	}
	writers.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-failed:
				return
			default:
				_ = c.command(victims[n%len(victims)]).Run() // it fails with the power
			}
		}
	})
	time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
	folder, err := os.Open(d.folder)
	if err != nil {
		d.Fatal(err)
	}
	// ext4 stops at once, and writes nothing more, not even its log: EXT4_IOC_SHUTDOWN,
	// _IOR('X', 125, __u32), with EXT4_GOING_FLAGS_NOLOGFLUSH.
	const shutDown, withoutLog = 0x8004587d, 2
	err = unix.IoctlSetPointerInt(int(folder.Fd()), shutDown, withoutLog)
	close(failed)
	writers.Wait()
	_ = folder.Close() // it was only looked at
	if err != nil {
		d.Fatal(err)
	}
	if out, err := exec.Command("umount", d.folder).CombinedOutput(); err != nil {
		d.Fatalf("umount: %v: %s", err, out)
	}
}
