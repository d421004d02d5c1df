package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// A victim is a command that is killed in a workspace of ten documents.
type victim struct {
	name  string
	state cacheState
	args  []string
	input string
}

// A cacheState is what a victim finds.
type cacheState int

const (
	warm    cacheState = iota // the index is as the documents are
	cold                      // there is no cache
	changed                   // a document has so many other words that the index is checkpointed
)

var (
	aList     = victim{"a list", warm, []string{"list", "--limit", "10000"}, ""}
	aRebuild  = victim{"a rebuild", warm, []string{"rebuild"}, ""}
	aClaim    = victim{"a claim", warm, []string{"claim"}, ""}
	aServer   = victim{"a server", warm, []string{"serve"}, conversation}
	theRecord = victim{"the record of calls", warm, []string{"telemetry"}, ""}
)

// victims open, build, check, change and close every file that the program keeps in its
// cache.
var victims = []victim{
	{"a first list", cold, aList.args, ""}, aList, aRebuild,
	{"a search", warm, []string{"search", "text"}, ""},
	{"a new document", warm, []string{"new", "One more"}, ""},
	{"a change", warm, []string{"set", "ISS-000002", "priority=high"}, ""},
	{"an undo", warm, []string{"undo"}, ""},
	{"a first claim", cold, aClaim.args, ""}, aClaim,
	{"a release", warm, []string{"release", "ISS-000003"}, ""},
	{"a closing", warm, []string{"done", "ISS-000004"}, ""},
	{"a reopening", warm, []string{"reopen", "ISS-000004"}, ""},
	{"a deletion", warm, []string{"delete", "ISS-000006", "--yes"}, ""},
	{"a note", warm, []string{"append", "ISS-000007", "More."}, ""},
	{"a tick", warm, []string{"tick", "ISS-000007", "1"}, ""},
	{"a dependency", warm, []string{"dep", "add", "ISS-000001", "ISS-000002"}, ""},
	{"a document", warm, []string{"show", "ISS-000001"}, ""},
	{"ready work", warm, []string{"ready"}, ""},
	{"a count", warm, []string{"stats"}, ""},
	{"the beginning of a conversation", warm, []string{"prime"}, ""},
	{"a check", warm, []string{"check"}, ""},
	{"health", warm, []string{"health"}, ""},
	{"a query", warm, []string{"sql", "SELECT count(*) FROM documents"}, ""},
	{"a checkpoint", changed, aList.args, ""},
	{"a first server", cold, aServer.args, conversation}, aServer, theRecord,
}

// conversation is what a client says to a server before it closes its input.
const conversation = greeting + calls

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"crash","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

const calls = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"issues_list","arguments":{}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"issues_claim","arguments":{"operation":"next"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"issues_update","arguments":{"id":"ISS-000005","priority":"high"}}}
`

// A crashSite is a workspace whose programs are killed.
type crashSite struct {
	testing.TB
	root      string
	documents map[string]string // their texts before, by path
	words     int               // which of two texts the document with many words has
}

func newCrashSite(t testing.TB, root string) *crashSite {
	t.Helper()
	c := &crashSite{TB: t, root: root, documents: map[string]string{}}
	for n := range 10 {
		id := fmt.Sprintf("ISS-%06d", n+1)
		text := fmt.Sprintf("---\nid: %s\ntitle: Thing %d\nstatus: open\n---\nText of %d.\n\n- [ ] Do it\n", id, n, n)
		c.documents[filepath.Join(root, ".wrangler", "issues", id+"-thing.md")] = text
	}
	c.must(os.MkdirAll(filepath.Join(root, ".wrangler", "issues"), 0o755))
	c.reset()
	return c
}

func (c *crashSite) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *crashSite) cache() string { return filepath.Join(c.root, ".wrangler", "cache") }

// reset gives the workspace the documents that it had.
func (c *crashSite) reset() {
	c.Helper()
	issues := filepath.Join(c.root, ".wrangler", "issues")
	c.must(os.RemoveAll(filepath.Join(issues, "archived")))
	there, err := filepath.Glob(filepath.Join(issues, "*.md"))
	c.must(err)
	for _, path := range there {
		if c.documents[path] == "" {
			c.must(os.Remove(path))
		}
	}
	for path, text := range c.documents {
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			c.must(os.WriteFile(path, []byte(text), 0o644))
		}
	}
}

func (c *crashSite) command(v victim) *exec.Cmd {
	command := exec.Command("issues-index", append(slices.Clone(v.args), "--workspace", c.root)...)
	command.Stdin = strings.NewReader(v.input)
	return command
}

// prepare brings the workspace into the state in which a victim is killed.
func (c *crashSite) prepare(v victim) {
	c.Helper()
	c.reset()
	switch v.state {
	case cold:
		c.must(os.RemoveAll(c.cache()))
	case changed:
		text := []byte("---\nid: ISS-000010\ntitle: Words\nstatus: open\n---\n")
		c.words = 1 - c.words // two texts, so that the vocabulary of the index does not grow on and on
		for random, n := rand.New(rand.NewPCG(1, uint64(c.words))), 0; n < 80_000; n++ {
			text = fmt.Appendf(text, "%x ", random.Uint64())
		}
		c.must(os.WriteFile(filepath.Join(c.root, ".wrangler", "issues", "ISS-000010-thing.md"), text, 0o644))
	}
}

// works holds that a command does its work, with all documents and without a complaint.
func (c *crashSite) works(v victim) {
	c.Helper()
	command := c.command(v)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err := command.Run()
	complaints := slices.DeleteFunc(strings.Split(said.String(), "\n"), func(line string) bool {
		return line == "" || strings.Contains(line, "level=INFO")
	})
	if err != nil || len(complaints) > 0 || strings.Contains(out.String(), `"isError":true`) {
		c.Errorf("%s: %v\n%s%s", strings.Join(v.args, " "), err, &out, &said)
	}
	for _, pattern := range []string{"*.md", "archived/*.md"} {
		documents, err := filepath.Glob(filepath.Join(c.root, ".wrangler", "issues", pattern))
		c.must(err)
		for _, path := range documents {
			if id := filepath.Base(path)[:len("ISS-000001")]; v.name == aList.name && !strings.Contains(out.String(), id) {
				c.Errorf("%s is not listed:\n%s", id, &out)
			}
		}
	}
}

// recovers holds that the commands after a death work, and leave nothing half-made: a list
// as the first one, and in a copy of what the death left a rebuild.
func (c *crashSite) recovers(died victim) {
	c.Helper()
	copied := &crashSite{TB: c.TB, root: filepath.Join(c.TempDir(), "copy"), documents: c.documents}
	c.must(os.CopyFS(copied.root, os.DirFS(c.root)))
	copied.works(aRebuild)
	c.works(aList)
	c.works(aClaim)
	if died.args[0] == aServer.args[0] {
		c.works(aServer)
		// A server that ends waits a moment for its calls to be recorded, and a busy machine takes longer.
		for tries := 0; tries < 5 && c.isUnrecorded(); tries++ {
			c.works(aServer)
		}
		c.works(theRecord)
	}
	for _, s := range []*crashSite{c, copied} {
		all, err := os.ReadDir(s.cache())
		c.must(err)
		for _, entry := range all {
			if strings.Contains(entry.Name(), ".new-") {
				c.Errorf("%s is left", entry.Name())
			}
		}
	}
	c.must(os.RemoveAll(copied.root))
}

func (c *crashSite) isUnrecorded() bool {
	said, _ := c.command(theRecord).CombinedOutput()
	return bytes.Contains(said, []byte("No calls match"))
}

// TestCrashAtAnyMoment kills up to three victims within their first 90 ms: between two system
// calls, too, and while others open the same files.
func TestCrashAtAnyMoment(t *testing.T) {
	t.Parallel()
	rounds := 2
	if storetest.Long() {
		rounds = 2000
	}
	random := rand.New(rand.NewPCG(20261124, 1))
	c := newCrashSite(t, t.TempDir())
	for round := range rounds {
		v := victims[random.IntN(len(victims))]
		c.prepare(v)
		var deaths sync.WaitGroup
		for range 1 + random.IntN(3) {
			program, after := c.command(v), time.Duration(random.IntN(90_000))*time.Microsecond
			c.must(program.Start())
			deaths.Go(func() {
				time.Sleep(after)
				_ = program.Process.Kill() // it may have ended
				_ = program.Wait()         // it was killed
			})
		}
		deaths.Wait()
		c.recovers(v)
		if t.Failed() {
			t.Fatalf("in round %d, of %s", round, v.name)
		}
	}
}

// TestCrashLeavesAnythingInTheCache damages each file that a killed server has left beside
// the index, the leases and the record of calls, and each that it could have left.
func TestCrashLeavesAnythingInTheCache(t *testing.T) {
	t.Parallel()
	c := newCrashSite(t, t.TempDir())
	c.works(aClaim)
	c.works(victim{args: []string{"set", "ISS-000001", "priority=high"}})
	killed := c.command(aServer)
	killed.Stdin = nil
	input, err := killed.StdinPipe()
	c.must(err)
	out, err := killed.StdoutPipe()
	c.must(err)
	c.must(killed.Start())
	go func() { _, _ = io.Copy(io.Discard, out) }() // until it is killed
	_, err = io.WriteString(input, greeting)
	c.must(err)
	for {
		_, err = io.WriteString(input, calls)
		c.must(err)
		if info, err := os.Stat(filepath.Join(c.cache(), "telemetry.db-wal")); err == nil && info.Size() > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.must(killed.Process.Kill())
	_ = killed.Wait() // it was killed

	left := map[string][]byte{}
	for _, database := range []string{"issues-index.db", "leases.db", "telemetry.db"} {
		left[database+"-journal"] = []byte(strings.Repeat("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 64))
	}
	left["issues-index.db.new-0123abcd"], left["issues-index.db.new-0123abcd-journal"] = []byte("half"), []byte("half")
	all, err := os.ReadDir(c.cache())
	c.must(err)
	for _, entry := range all {
		if entry.Type().IsRegular() {
			left[entry.Name()], err = os.ReadFile(filepath.Join(c.cache(), entry.Name()))
			c.must(err)
		}
	}
	damages := map[string]func(data []byte) []byte{
		"doubled":     func(data []byte) []byte { return append(data, data...) },
		"overwritten": func(data []byte) []byte { return bytes.Repeat([]byte("junk"), len(data)/4+1) },
	}
	for length := range 65 {
		if storetest.Long() || length < 10 || length%32 == 0 {
			damages[fmt.Sprintf("cut to %d bytes", length)] = func(data []byte) []byte { return data[:min(length, len(data))] }
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if name == "issues-index.db" || name == "leases.db" || name == "telemetry.db" {
			continue
		}
		for what, damage := range damages {
			if !storetest.Long() && rand.IntN(144) != 0 {
				continue
			}
			c.leave(left, name, damage)
			if c.recovers(aServer); t.Failed() {
				t.Fatalf("%s was %s", name, what)
			}
		}
	}
}

// leave puts back what a server has left in the cache, with one file damaged. The journals
// and files of rebuilds are there only when they are the damaged ones.
func (c *crashSite) leave(left map[string][]byte, damaged string, damage func(data []byte) []byte) {
	c.Helper()
	c.reset()
	for _, path := range slices.Collect(maps.Keys(left)) {
		data := left[path]
		at := filepath.Join(c.cache(), path)
		switch {
		case path == damaged:
			c.must(os.WriteFile(at, damage(slices.Clone(data)), 0o600))
		case strings.Contains(path, "-journal") || strings.Contains(path, ".new-"):
			c.must(os.RemoveAll(at))
		default:
			c.must(os.WriteFile(at, data, 0o600))
		}
	}
}
