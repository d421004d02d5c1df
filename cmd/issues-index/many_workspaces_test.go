//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// maxManyMemory is how much memory a server may have with 20 workspaces open, in KiB.
const maxManyMemory = 200 << 10

// One server has many workspaces open, in little memory, and answers none with what was there
// before a change. With -long they are 20 workspaces of 1,000 documents and 1,000 changes.
func TestManyWorkspacesOfOneServer(t *testing.T) {
	workspaces, documents, changes := 5, 40, 100
	if storetest.Long() {
		workspaces, documents, changes = 20, 1000, 1000
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	start := realTempDir(t)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(start, "xdg"))
	random := rand.New(rand.NewPCG(17, uint64(changes)))
	words := strings.Fields("watch frontmatter cursor outline budget chunk index lease stale title merge worktree board")
	titles := make([]map[string]string, workspaces) // by id
	file := func(i int, id string) string {
		return filepath.Join(start, fmt.Sprintf("w%02d", i), ".wrangler", "issues", id+"-x.md")
	}
	put := func(i int, id, title string) {
		t.Helper()
		var text strings.Builder
		for range 120 {
			text.WriteString(words[random.IntN(len(words))] + " ")
		}
		document := fmt.Sprintf("---\nid: %s\ntitle: %s\nstatus: open\nlabels: [%s]\n---\n%s\n", id, title, words[random.IntN(len(words))], &text)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file(i, id)), 0o755), os.WriteFile(file(i, id), []byte(document), 0o644)); err != nil {
			t.Fatal(err)
		}
		titles[i][id] = title
	}
	if err := os.Mkdir(filepath.Join(start, ".wrangler"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range workspaces {
		titles[i] = map[string]string{}
		for n := range documents {
			put(i, fmt.Sprintf("ISS-%06d", n+1), fmt.Sprintf("Begun %d of %d", n, i))
		}
	}

	s := converseIn(ctx, t, start)
	ask := func(i int, tool string, arguments map[string]any) (string, bool) {
		arguments["workspace"] = fmt.Sprintf("w%02d", i)
		return s.answer(t, tool, arguments)
	}
	count := regexp.MustCompile(`open (\d+)|(\d+) open|open: (\d+)`)
	counts := func(i int) {
		t.Helper()
		text, isError := ask(i, "issues_stats", map[string]any{"groupBy": "status"})
		if found := count.FindStringSubmatch(text); isError || found == nil || strings.Join(found[1:], "") != strconv.Itoa(len(titles[i])) {
			t.Fatalf("workspace %d of %d documents answers %s", i, len(titles[i]), text)
		}
	}
	var slowest time.Duration
	for i := range workspaces {
		began := time.Now()
		counts(i)
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("the slowest first call of a workspace of %d documents, without an index: %v; memory %d KiB", documents, slowest, residentMemory(t, s))

	ids := 0
	for range changes {
		i := random.IntN(workspaces)
		id := fmt.Sprintf("ISS-%06d", random.IntN(documents)+1)
		ids++
		switch title := fmt.Sprintf("Changed %d", ids); random.IntN(4) {
		case 0:
			id = fmt.Sprintf("ISS-%06d", documents+ids)
			put(i, id, title)
		case 1:
			if err := os.Remove(file(i, id)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			delete(titles[i], id)
		default:
			put(i, id, title)
		}
		text, isError := ask(i, "issues_get", map[string]any{"id": id})
		if title, there := titles[i][id]; isError == there || !strings.Contains(text, title) {
			t.Fatalf("workspace %d: %s with the title %q is answered with %s", i, id, title, text)
		}
		if ids%10 == 0 {
			counts(random.IntN(workspaces))
		}
	}
	memory := residentMemory(t, s)
	t.Logf("after %d changes: memory %d KiB", changes, memory)
	if memory > maxManyMemory {
		t.Errorf("the server has %d KiB of memory, more than %d", memory, maxManyMemory)
	}
	s.end(t)
}

// residentMemory is how much memory a server has, in KiB.
func residentMemory(t *testing.T, s *server) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`).FindSubmatch(status)
	if found == nil {
		t.Skipf("the system does not say how much memory a process has: %s", status)
	}
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kib
}
