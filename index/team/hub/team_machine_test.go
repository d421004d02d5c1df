package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/edit"
	"issues-index/index/team/nats"
	publishing "issues-index/index/team/publish"
	"issues-index/index/team/share"
	"issues-index/store"
)

const documentsDir = ".wrangler/issues"

// A simMachine is one machine with one clone of a workspace and a server. One goroutine uses it.
type simMachine struct {
	*simulation
	number          int
	workspace, root string
	skew            time.Duration // of its clock
	choose          *rand.Rand
	wires           *wires
	writes          int // numbers what it writes

	// kept is what the files have to be, as far as it is known: what was acknowledged, and
	// what was done by hand. What is nil is gone.
	kept map[string][]byte
	// claims are the holders of what was claimed here and not ended, by the ids.
	claims map[string]string

	server *simServer // nil while it is stopped
}

// A simServer is what runs on a machine until it is killed.
type simServer struct {
	ctx       context.Context
	cancel    context.CancelFunc
	team      *nats.TeamConnection
	current   *index.Current
	ix        *index.Index
	release   func()
	writer    *edit.Writer
	publisher *publishing.Publisher
	running   sync.WaitGroup
}

// documentName is the name of the file that every clone begins with.
func documentName(n int) string { return fmt.Sprintf("%s/ISS-%06d-start.md", documentsDir, n) }

func newSimMachine(s *simulation, number int) *simMachine {
	m := &simMachine{
		simulation: s, number: number, workspace: workspaceName(number % s.size.workspaces), root: s.TempDir(),
		skew:   time.Duration(number%7-3) * 5 * time.Hour,
		choose: rand.New(rand.NewPCG(*teamSeed, uint64(number)+1)), wires: s.newWires(),
		kept: map[string][]byte{}, claims: map[string]string{},
	}
	ok(s, os.MkdirAll(filepath.Join(m.root, documentsDir), 0o777))
	for i := range s.size.documents {
		m.put(documentName(i+1), fmt.Appendf(nil, "---\nid: ISS-%06d\ntitle: Start %d\nstatus: open\n---\n", i+1, i+1))
	}
	return m
}

// put writes a file by hand.
func (m *simMachine) put(path string, data []byte) {
	if err := os.WriteFile(filepath.Join(m.root, path), data, 0o666); err != nil {
		m.Error(err)
	}
	m.kept[path] = data
}

// start starts a server from the files.
func (m *simMachine) start() error {
	run := &simServer{}
	run.ctx, run.cancel = context.WithCancel(context.Background())
	var err error
	if run.team, err = nats.Connect(run.ctx, m.wires.options(fmt.Sprint("machine", m.number), m.key(m.workspace))); err != nil {
		return err
	}
	now := func() time.Time { return time.Now().Add(m.skew) }
	ws, err := store.Open(store.Options{Root: m.root, Getenv: func(string) string { return "" }, Now: now})
	if err != nil {
		return err
	}
	run.current, err = index.Serve(run.ctx, ws, index.Options{Now: now, Team: claims.TeamOptions{
		Team: func(context.Context) (share.Team, error) { return run.team, nil }, Workspace: m.workspace, Timeout: m.size.timeout,
	}})
	if err != nil {
		return err
	}
	if run.ix, run.release, err = run.current.Acquire(run.ctx); err != nil {
		return err
	}
	run.writer = edit.New(run.ix, edit.LockWait)
	run.publisher = publishing.New(publishing.Options{Team: run.team, Index: run.current, Workspace: m.workspace, Now: now})
	run.running.Go(func() { run.publisher.Run(run.ctx) })
	m.server = run
	return nil
}

// stop ends the server. Nothing that it says at its end is heard when the wires are cut.
func (m *simMachine) stop() {
	run := m.server
	if run == nil {
		return
	}
	run.cancel()
	err := run.team.Close()
	run.running.Wait()
	run.release()
	if err := errors.Join(err, run.current.Close()); err != nil {
		m.Errorf("machine %d stops: %v", m.number, err)
	}
	m.server = nil
}

// cut cuts the machine off.
func (m *simMachine) cut() {
	m.met.add(func(n *meetingCounts) { n.cuts++ })
	m.wires.disconnect(m.choose.IntN(2) == 0)
}

// mend connects the machine again.
func (m *simMachine) mend() { m.wires.mend(false) }

// killDuring kills the server in the middle of an operation, and starts another one.
func (m *simMachine) killDuring(operation func(ctx context.Context)) {
	m.met.add(func(n *meetingCounts) { n.kills++ })
	done := make(chan struct{})
	go func() {
		defer close(done)
		operation(m.server.ctx)
	}()
	select {
	case <-done:
	case <-time.After(time.Duration(m.choose.IntN(8000)) * time.Microsecond): // anywhere in it
	}
	cut := m.wires.cut
	m.wires.disconnect(false)
	m.server.cancel()
	<-done
	m.stop()
	if !cut {
		m.wires.mend(true)
	}
	if err := m.start(); err != nil {
		m.Errorf("machine %d starts again: %v", m.number, err)
	}
}

// documents are the files that are there.
func (m *simMachine) documents() (paths []string) {
	err := fs.WalkDir(os.DirFS(m.root), documentsDir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".md") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		m.Errorf("machine %d: %v", m.number, err)
	}
	return paths
}

// idAt is the id of the document in a file: its number, or for one that was made by hand the
// name of the file.
func idAt(path string) string {
	name := filepath.Base(path)
	if isNumbered(name) {
		return name[:len("ISS-000000")]
	}
	return strings.TrimSuffix(name, ".md")
}

func isNumbered(id string) bool { return strings.HasPrefix(id, "ISS-") }

// holder is one of the two holders of a machine.
func (m *simMachine) holder(of int) string { return fmt.Sprintf("m%d-%d", m.number, of) }
