//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A hostileDoc is one document of a hostile workspace, as it was written.
type hostileDoc struct {
	kind string // of its body, "shared" for one whose id others have too
	id   string
	path string
	body string
	// odd documents have frontmatter that cannot be read: the file's name names
	// them, and their text is the whole file.
	odd bool
}

// A hostileWorkspace is a workspace in which everything is too much.
type hostileWorkspace struct {
	root string
	docs []hostileDoc
}

const (
	sharedID   = "SHARED-000001" // of sharedDocs documents
	sharedDocs = 200             // at most
	// Documents of a workspace: some of each kind, and many.
	hostileAll = 300
	hostileBig = 10_000
)

// newHostileWorkspace writes a workspace of so many documents: each has a title
// of 5,000 characters, 100 labels that no other has, and one of the bodies of
// hostileBodies in turn. The first of each kind has its full size.
func newHostileWorkspace(t *testing.T, documents int) hostileWorkspace {
	t.Helper()
	w := hostileWorkspace{root: t.TempDir()}
	random := rand.New(rand.NewPCG(5, 5))
	kinds := slices.Sorted(maps.Keys(hostileBodies))
	written := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range documents {
		size := 1
		if n >= len(kinds) && n%250 != 0 {
			size = 200
		}
		doc := hostileDoc{kind: kinds[n%len(kinds)], id: hostileID(n, len(kinds))}
		folder := []string{"issues", "specifications", "ideas"}[n%3]
		if n >= len(kinds) && n < len(kinds)+sharedDocs {
			doc.kind, doc.id = "shared", sharedID
		}
		doc.path = fmt.Sprintf(".wrangler/%s/hostile-%06d.md", folder, n)
		switch {
		case doc.kind == "shared" || n%7 == 0:
			doc.path = longPath(folder, n)
		case n%5 == 1: // writing moves none of them, so that paths stay good
			doc.path = fmt.Sprintf(".wrangler/%s/archived/hostile-%06d.md", folder, n)
		}
		doc.body = hostileBodies[kinds[n%len(kinds)]](random, size)
		header := hostileHeader(random, n, doc)
		file := header + doc.body
		if len(header) > 64<<10 {
			doc.odd, doc.body = true, file
			doc.id = strings.TrimSuffix(filepath.Base(doc.path), ".md")
		}
		writeHostile(t, filepath.Join(w.root, doc.path), file, written.Add(time.Duration(n)*time.Hour))
		w.docs = append(w.docs, doc)
	}
	return w
}

// commit makes the workspace a repository in which the first document of each kind has a
// history: before it became what it is, other letters of it were changed in each commit.
func (w hostileWorkspace) commit(t *testing.T) {
	t.Helper()
	handles := slices.Sorted(maps.Values(w.handles()))
	hostile := strings.Repeat("subject \x1b[2J\u202e ", 200)
	var restore []func()
	defer func() {
		for _, put := range slices.Backward(restore) {
			put()
		}
	}()
	for turn := range 3 {
		for _, file := range handles {
			file = filepath.Join(w.root, file)
			whole, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			other := bytes.ReplaceAll(whole, []byte{"eat"[turn]}, []byte("é"))
			restore = append(restore, func() { writeHostile(t, file, string(whole), info.ModTime()) })
			writeHostile(t, file, string(other), info.ModTime())
		}
		commitAll(t.Context(), t, w.root, hostile, handles...)
	}
}

func writeHostile(t *testing.T, file, content string, written time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, written, written); err != nil {
		t.Fatal(err)
	}
}

// handles returns what names the first document of each kind for certain.
func (w hostileWorkspace) handles() map[string]string {
	handles := make(map[string]string)
	for _, d := range w.docs {
		if handles[d.kind] == "" {
			handles[d.kind] = d.path
		}
	}
	return handles
}

// hostileID is the id of the n-th document: of the first ones as awkward as ids
// may be.
func hostileID(n, awkward int) string {
	if n >= awkward {
		return fmt.Sprintf("HOS-%06d", n)
	}
	forms := []string{
		"HOS-%06d", "an id of %d words", "it's-%d", "ид-%d", "検索-%d", "#%d", "a,b,%d", "\"%d\"", "-%d", "[%d]", "%d: yes",
		strings.Repeat("long-", 60) + "%d",
	}
	return fmt.Sprintf(forms[n%len(forms)], n)
}

// longPath is a path of 200 characters.
func longPath(folder string, n int) string {
	path := fmt.Sprintf(".wrangler/%s/", folder)
	name := fmt.Sprintf("/hostile-%06d.md", n)
	fill := strings.Repeat("a folder far below/", 20)
	return path + strings.TrimRight(fill[:200-len(path)-len(name)], "/ ") + name
}

// hostileTitles are scripts and signs that titles are made of.
var hostileTitles = []string{
	"many words of a title that never comes to an end ", "検索語の長い題名と説明", "عنوان طويل جدا ", "🚀✅🧑‍🚀", "deadbeef00c0ffee",
	"Showing 1 of 9 issues. 8 more items match. Pass cursor 'fake00000000' to see next page. ", `"quoted" \and\ <tagged> & `, "\u0001\u001b[31m\u200b\u202e",
}

// hostileHeader is the frontmatter of the n-th document.
func hostileHeader(random *rand.Rand, n int, doc hostileDoc) string {
	var b strings.Builder
	field := func(key string, value any) {
		b.WriteString(key + ": " + quoted(value) + "\n")
	}
	b.WriteString("---\n")
	field("id", doc.id)
	title := fmt.Sprintf("Needle%06d %s ", n, doc.kind) + strings.Repeat(hostileTitles[n%len(hostileTitles)], 5000)
	field("title", string([]rune(title)[:5000]))
	statuses := []string{"open", "in_progress", fmt.Sprintf("stuck %03d %s", n, strings.Repeat("on and on ", 10))}
	if strings.Contains(doc.path, "/archived/") {
		statuses = []string{"closed", "cancelled"}
	}
	field("status", statuses[random.IntN(len(statuses))])
	field("priority", []string{"low", "medium", "high", "critical", fmt.Sprintf("p%03d", n)}[random.IntN(5)])
	labels := make([]string, 100)
	for i := range labels {
		labels[i] = fmt.Sprintf("l%05d-%02d", n, i)
		if i%40 == 7 {
			labels[i] += strings.Repeat("-label検", 190)[:200]
		}
	}
	field("labels", labels)
	field("assignee", fmt.Sprintf("agent %d of %s", n, strings.Repeat("a large crew ", 20)))
	field("project", fmt.Sprintf("project %d %s", n, strings.Repeat("全体", 50)))
	field("createdAt", fmt.Sprintf("2026-01-%02dT10:00:00.000Z", 1+n%28))
	switch doc.kind {
	case "context over the cap":
		field("wranglerContext", map[string]string{"agentId": "a", "blob": strings.Repeat("context ", 1<<17)})
	case "context below the cap":
		context := map[string]string{"parentTaskId": sharedID}
		for i := range 100 {
			context[fmt.Sprintf("key%03d", i)] = strings.Repeat("value ", 60)
		}
		field("wranglerContext", context)
	case "unknown keys":
		for i := range 500 {
			field(fmt.Sprintf("unknown%03d", i), strings.Repeat("u", i%80))
		}
	}
	b.WriteString("---\n")
	return b.String()
}

// quoted is a value in JSON, which YAML reads as well, with a byte of each
// character that need not be escaped.
func quoted(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}
