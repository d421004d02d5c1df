package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"issues-index/store/storetest"
)

// TestKilledServer kills a busy server at a random moment, again and again: all
// that it acknowledged, up to its last word, is on disk, every document is
// whole, there is one of each, and the next server shows just them and tidies
// up.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	rounds := 5
	if storetest.Long() {
		rounds = 100
	}
	root := t.TempDir()
	killServers(t, root, rounds, []string{"issues-index"})

	last := startAgent(t, root)
	last.must(t, "issues_stats", map[string]any{"groupBy": "status"}, nil)
	if logged := last.end(); strings.Contains(logged, "level=ERROR") {
		t.Error(logged)
	}
	for _, pattern := range []string{"*", "*/*"} {
		left, err := filepath.Glob(filepath.Join(root, ".wrangler", pattern, ".issues-index-*.tmp"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// killServers kills a busy server in each round; the programs take turns. After each round all that
// was acknowledged is on disk.
func killServers(t *testing.T, root string, rounds int, programs []string) {
	random := rand.New(rand.NewPCG(20260215, 7))
	shared := []string{"ISS-000001", "ISS-000002", "ISS-000003"}
	for _, id := range shared {
		plant(t, root, id)
	}
	told := &acknowledged{created: map[string]string{}, completed: map[string]bool{}, deleted: map[string]bool{}, labels: map[string][]string{}}
	for round := range rounds {
		a := startAgentOf(t, programs[round%len(programs)], root)
		var listed struct{ TotalCount int }
		a.must(t, "issues_list", map[string]any{"limit": 1}, &listed)
		if documents := readAll(t, root); listed.TotalCount != len(documents) {
			t.Errorf("round %d: the server lists %d documents, there are %d", round, listed.TotalCount, len(documents))
		}
		told.acks, told.last = 0, 3+random.IntN(40)
		var group sync.WaitGroup
		const workers = 6
		for worker := range workers {
			seed := random.Uint64()
			group.Go(func() {
				w := &busy{told: told, agent: a, shared: shared, random: rand.New(rand.NewPCG(seed, 1))}
				if err := w.work(fmt.Sprintf("r%d-w%d", round, worker)); !errors.Is(err, errDied) {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		group.Wait()
		a.end()
		told.check(t, root)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d rounds, %d documents created, %d completed, %d deleted", rounds, len(told.created), len(told.completed), len(told.deleted))
}

// What the servers acknowledged, over all rounds. The server of a round is
// killed at its last acknowledgement.
type acknowledged struct {
	mu        sync.Mutex
	acks      int // in this round
	last      int
	created   map[string]string // titles by id
	completed map[string]bool
	deleted   map[string]bool
	started   []string // ids that a deletion was asked for, answered or not
	labels    map[string][]string
}

// note remembers an acknowledgement, and kills the server when it was the last
// that it is to live to see. Other requests are under way then.
func (k *acknowledged) note(a *agent, remember func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	remember()
	if k.acks++; k.acks == k.last {
		_ = a.process.Process.Kill() // SIGKILL
	}
}

// check compares what is on disk with what was acknowledged.
func (k *acknowledged) check(t *testing.T, root string) {
	t.Helper()
	documents := readAll(t, root)
	for id, title := range k.created {
		doc := documents[id]
		switch {
		case k.deleted[id] && doc != nil:
			t.Errorf("%s was deleted, and is there", id)
		case doc == nil && !slices.Contains(k.started, id):
			t.Errorf("%s was created, and is not there", id)
		case doc != nil && doc.Title != title:
			t.Errorf("%s has the title %q, want %q", id, doc.Title, title)
		case doc != nil && k.completed[id] && (doc.Status != "closed" || !strings.Contains(doc.Path, "/archived/")):
			t.Errorf("%s was completed, and is %s at %s", id, doc.Status, doc.Path)
		}
	}
	for id, labels := range k.labels {
		for _, label := range labels {
			if !slices.Contains(documents[id].Labels, label) {
				t.Errorf("%s has lost the label %s", id, label)
			}
		}
	}
}

// busy is one of those who keep a server busy.
type busy struct {
	told   *acknowledged
	agent  *agent
	shared []string
	random *rand.Rand
}

// work changes documents until the server dies.
func (w *busy) work(mark string) error {
	var own []string
	for n := 0; ; n++ {
		label := fmt.Sprintf("%s-%d", mark, n)
		switch dice := w.random.IntN(10); {
		case dice < 3 || len(own) == 0:
			var made struct{ ID string }
			if err := w.do("issues_create", map[string]any{"title": label, "description": strings.Repeat("Text. ", 500)}, &made, func() {
				w.told.created[made.ID] = label
			}); err != nil {
				return err
			}
			own = append(own, made.ID)
		case dice < 7:
			id := w.shared[w.random.IntN(len(w.shared))]
			if err := w.do("issues_labels", map[string]any{"operation": "add", "issueId": id, "labels": []string{label}}, nil, func() {
				w.told.labels[id] = append(w.told.labels[id], label)
			}); err != nil {
				return err
			}
		case dice < 9:
			id := own[w.random.IntN(len(own))]
			if err := w.do("issues_mark_complete", map[string]any{"id": id, "note": label}, nil, func() { w.told.completed[id] = true }); err != nil {
				return err
			}
		default:
			id := own[len(own)-1]
			own = own[:len(own)-1]
			w.told.mu.Lock()
			w.told.started = append(w.told.started, id)
			w.told.mu.Unlock()
			if err := w.do("issues_delete", map[string]any{"id": id, "confirm": true}, nil, func() { w.told.deleted[id] = true }); err != nil {
				return err
			}
		}
	}
}

// do calls a tool and remembers what it acknowledged.
func (w *busy) do(tool string, arguments map[string]any, into any, remember func()) error {
	answer, err := w.agent.call(tool, arguments)
	if err != nil {
		return err
	}
	if answer.IsError {
		return fmt.Errorf("%s %v: %s", tool, arguments, answer.text())
	}
	if into != nil {
		if err := answer.decode(into); err != nil {
			return err
		}
	}
	w.told.note(w.agent, remember)
	return nil
}
