package index

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"issues-index/store/storetest"
)

// withWatches lets the system grant a process so many watches and no more: a
// user namespace of its own has a limit of its own.
func withWatches(limit int) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		cmd.Env = append(cmd.Env, processWatches+"="+strconv.Itoa(limit))
	}
}

func TestWatchLimit(t *testing.T) {
	t.Parallel()
	probe := exec.CommandContext(t.Context(), "true")
	withWatches(1)(probe)
	if err := probe.Run(); err != nil {
		t.Skip("no user namespace of its own for a process here:", err)
	}
	polls := func(t *testing.T, p *process) {
		t.Helper()
		p.send(request{Do: "ask"})
		r := p.receive()
		if d := difference(r.Answers, asRead(p.texts(), nil)); d != "" {
			t.Fatal(d)
		}
		if strings.Count(r.Log, "watching files is not possible") != 1 {
			t.Errorf("the log says:\n%s", r.Log)
		}
		if r.Health.Freshness != "poll" || !strings.Contains(r.Health.Reason, "no space left on device") {
			t.Fatalf("health says %+v", r.Health)
		}
	}

	// The tree has eight folders that are watched: the root, .wrangler and six with
	// documents.
	for _, limit := range storetest.FewOf([]int{0, 1, 3, 5, 7}, 2) {
		t.Run("of "+strconv.Itoa(limit)+" leads to polling from the start", func(t *testing.T) {
			w := newTree(t, 10)
			p := w.spawn(ModeWatch, withWatches(limit))
			polls(t, p)
			w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
			polls(t, p)
			p.send(request{Do: "grant", Words: []string{"8"}})
			p.receive()
			p.send(request{Do: "ask"})
			if r := p.receive(); r.Health.Freshness != "watch" {
				t.Errorf("with 8 watches, health says %+v", r.Health)
			}
			p.stop()
		})
	}

	t.Run("reached while serving leads to polling from then on", func(t *testing.T) {
		w := newTree(t, 10)
		p := w.spawn(ModeWatch, withWatches(11))
		p.send(request{Do: "ask"})
		if r := p.receive(); r.Health.Freshness != "watch" {
			t.Fatalf("health says %+v", r.Health)
		}
		w.mkdir(".wrangler/issues/1/2/3/4/5")
		w.write(".wrangler/issues/1/2/3/4/5/deep.md", w.text("DEEP-001"))
		polls(t, p)
		w.write(".wrangler/issues/1/2/3/4/5/deep.md", w.text("DEEP-001"))
		polls(t, p)
		p.stop()
	})
}
