package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"issues-index/store/storetest"
)

// TestWindowsProgramsTogether has two servers, the commands of one process and those of a process
// each write to one workspace at once: no write is lost, no id is given out twice, and undo takes
// back the last command alone.
func TestWindowsProgramsTogether(t *testing.T) {
	writes := 6
	if storetest.Long() {
		writes = 200
	}
	root := t.TempDir()
	plant(t, root, "ISS-000001")
	var (
		mu     sync.Mutex
		labels []string
		titles = map[string]string{} // by id
	)
	note := func(label, id, title string) {
		mu.Lock()
		defer mu.Unlock()
		if labels = append(labels, label); titles[id] != "" {
			t.Errorf("%s is the id of %q and %q", id, titles[id], title)
		}
		titles[id] = title
	}
	command := func(run func(args ...string) string, side string) {
		for n := range writes {
			label, title := fmt.Sprintf("%s-%d", side, n), fmt.Sprintf("%s makes %d", side, n)
			run("set", "1", "labels+="+label)
			id, _, _ := strings.Cut(run("new", title), " ")
			note(label, id, title)
		}
	}
	var group sync.WaitGroup
	var servers []*agent
	for _, side := range []string{"first", "second"} {
		a := startAgent(t, root)
		servers = append(servers, a)
		group.Go(func() {
			for n := range writes {
				label, title := fmt.Sprintf("%s-%d", side, n), fmt.Sprintf("%s makes %d", side, n)
				add := map[string]any{"operation": "add", "issueId": "ISS-000001", "labels": []string{label}}
				a.must(t, "issues_labels", add, nil)
				var made struct{ ID string }
				a.must(t, "issues_create", map[string]any{"title": title, "description": "Text."}, &made)
				note(label, made.ID, title)
			}
		})
	}
	group.Go(func() {
		command(func(args ...string) string {
			p := runIn(t, root, args...)
			if p.code != 0 {
				t.Errorf("%v: %s%s", args, p.out, p.errOut)
			}
			return p.out
		}, "third")
	})
	group.Go(func() {
		c := &crashSite{TB: t, root: root}
		command(func(args ...string) string {
			out, err := c.command(victim{args: args}).Output()
			if err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
			return string(out)
		}, "fourth")
	})
	group.Wait()

	documents := readAll(t, root)
	if len(documents) != 1+4*writes {
		t.Errorf("%d documents of %d", len(documents), 1+4*writes)
	}
	for id, title := range titles {
		if documents[id] == nil || documents[id].Title != title {
			t.Errorf("%s is not %q", id, title)
		}
	}
	for _, label := range labels {
		if !slices.Contains(documents["ISS-000001"].Labels, label) {
			t.Errorf("the label %s is lost", label)
		}
	}

	runIn(t, root, "set", "2", "project=of-the-command")
	servers[0].must(t, "issues_update", map[string]any{"id": "ISS-000003", "project": "of-the-server"}, nil)
	if p := runIn(t, root, "undo"); p.code != 0 {
		t.Errorf("%s%s", p.out, p.errOut)
	}
	documents = readAll(t, root)
	two, three := documents["ISS-000002"].Project, documents["ISS-000003"].Project
	if two != "" || three != "of-the-server" {
		t.Errorf("undo left the projects %q and %q", two, three)
	}
	for _, a := range servers {
		a.must(t, "issues_get", map[string]any{"id": "ISS-000002"}, nil)
		if logged := a.end(); strings.Contains(logged, "level=ERROR") {
			t.Error(logged)
		}
	}
}
