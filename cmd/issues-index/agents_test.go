package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"issues-index/store"
	"issues-index/store/storetest"
)

const (
	agentCount  = 4
	sharedCount = 6 // documents that all agents change
)

// TestAgentsAgainstModel has four servers, each in its own process, do random
// operations on one workspace at once. What they acknowledge is a model of the
// workspace, and at the end the files and every server agree with it: no id
// was given out twice, no update was lost, no write was forgotten.
func TestAgentsAgainstModel(t *testing.T) {
	t.Parallel()
	operations := 15
	if storetest.Long() {
		operations = 500
	}
	const seed = 20260215
	root := t.TempDir()
	shared := make([]string, sharedCount)
	for i := range shared {
		shared[i] = fmt.Sprintf("ISS-%06d", i+1)
		plant(t, root, shared[i])
	}
	agents, callers := make([]*agent, agentCount), make([]toolCaller, agentCount)
	for i := range agents {
		agents[i] = startAgent(t, root)
		callers[i] = agents[i]
	}
	users := make([]*user, agentCount)
	var group sync.WaitGroup
	for i := range users {
		users[i] = &user{
			t: t, number: i, agents: callers, shared: shared,
			random: rand.New(rand.NewPCG(seed, uint64(i))), model: newModel(),
		}
		group.Go(func() {
			for n := range operations {
				users[i].operate(n)
			}
		})
	}
	group.Wait()

	documents := settle(t, root, shared, users)
	agents = append(agents, startAgent(t, root)) // one that has seen nothing of it
	for i, a := range agents {
		var list struct{ TotalCount int }
		a.must(t, "issues_list", map[string]any{"limit": 1}, &list)
		if list.TotalCount != len(documents) {
			t.Errorf("server %d lists %d documents, there are %d", i, list.TotalCount, len(documents))
		}
		for id, doc := range documents {
			if text := a.must(t, "issues_get", map[string]any{"id": id, "fields": []string{"title", "labels"}}, nil); !strings.Contains(text, doc.Title) {
				t.Errorf("server %d shows of %s: %s", i, id, text)
			}
		}
		logged := a.end()
		if !a.process.ProcessState.Success() || strings.Contains(logged, "locked") || strings.Contains(logged, "level=ERROR") {
			t.Errorf("server %d: %v\n%s", i, a.process.ProcessState, logged)
		}
	}
}

// settle compares the files with what all users were told, and returns the documents.
func settle(t *testing.T, root string, planted []string, users []*user) map[string]*store.Document {
	t.Helper()
	ids := slices.Clone(planted)
	conflicts := 0
	known := make(map[string]bool)
	for _, u := range users {
		conflicts += u.conflicts
		for id, o := range u.model.own {
			if known[id] || slices.Contains(planted, id) {
				t.Errorf("the id %s was given out twice", id)
			}
			if known[id] = true; !o.deleted {
				ids = append(ids, id)
			}
		}
	}
	t.Logf("%d documents, %d conflicts", len(ids), conflicts)
	documents := readAll(t, root)
	if got, want := slices.Sorted(maps.Keys(documents)), slices.Sorted(slices.Values(ids)); !slices.Equal(got, want) {
		t.Errorf("on disk are %v, acknowledged are %v", got, want)
	}
	for _, doc := range documents {
		if len(doc.Problems) > 0 { // such as a closed one outside archived/
			t.Errorf("%s: %s", doc.Path, doc.Problems[0].Message)
		}
	}
	for _, u := range users {
		u.model.check(t, documents)
	}
	return documents
}

// A model is what one user was told of the documents.
type model struct {
	fields map[string]map[string]string // of shared documents, by id: the last value of each field that is the user's alone
	labels map[string][]string          // that he added to shared documents
	keys   map[string][]string          // of wranglerContext that he set there
	own    map[string]*owned            // documents that he created, by id
}

type owned struct {
	path    string
	note    string // of its completion, "" while it is open
	deleted bool
}

func newModel() model {
	return model{fields: map[string]map[string]string{}, labels: map[string][]string{}, keys: map[string][]string{}, own: map[string]*owned{}}
}

// check compares the documents with the model.
func (m model) check(t *testing.T, documents map[string]*store.Document) {
	t.Helper()
	for id, fields := range m.fields {
		doc := documents[id]
		if doc == nil {
			t.Errorf("%s is gone", id)
			continue
		}
		got := map[string]string{
			"title": doc.Title, "status": doc.Status, "priority": doc.Priority, "assignee": doc.Assignee,
			"project": doc.Project, "description": strings.TrimSpace(doc.Body),
		}
		for field, want := range fields {
			if got[field] != want {
				t.Errorf("lost: %s of %s is %q, acknowledged was %q", field, id, got[field], want)
			}
		}
	}
	for id, labels := range m.labels {
		for _, label := range labels {
			if !slices.Contains(documents[id].Labels, label) {
				t.Errorf("lost: label %s of %s", label, id)
			}
		}
	}
	for id, keys := range m.keys {
		var context map[string]json.RawMessage
		if err := json.Unmarshal(documents[id].Context, &context); err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if context[key] == nil {
				t.Errorf("lost: key %s of %s", key, id)
			}
		}
	}
	for id, o := range m.own {
		doc := documents[id]
		if o.deleted != (doc == nil) {
			t.Errorf("%s: deleted %t, on disk %t", id, o.deleted, doc != nil)
		}
		if doc == nil {
			continue
		}
		if doc.Path != o.path || (doc.Status == "closed") != (o.note != "") || !strings.Contains(doc.Body, o.note) {
			t.Errorf("%s: path %s, status %s, want path %s, note %q:\n%s", id, doc.Path, doc.Status, o.path, o.note, doc.Body)
		}
	}
}

// plant puts an issue into a workspace as a person would.
func plant(t *testing.T, root, id string) {
	t.Helper()
	dir := filepath.Join(root, ".wrangler", "issues")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("---\nid: %s\ntitle: Shared %s # planted\nstatus: open\nlabels: [shared]\n---\nText of %s.\n", id, id, id)
	if err := os.WriteFile(filepath.Join(dir, id+"-shared.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readAll reads every document from its file, by id, and fails the test for one
// that is not whole and for an id that two have.
func readAll(t *testing.T, root string) map[string]*store.Document {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	listing, err := ws.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	documents := make(map[string]*store.Document, len(listing.Files))
	for _, f := range listing.Files {
		doc, _, err := ws.Load(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range doc.Problems {
			if problem.Frozen() {
				t.Errorf("%s: %s", f.Path, problem.Message)
			}
		}
		if other := documents[doc.ID]; other != nil {
			t.Errorf("%s and %s have one id", other.Path, doc.Path)
		}
		documents[doc.ID] = doc
	}
	return documents
}
