//go:build !windows

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/storetest"
	"issues-index/tools/answer"
)

// A client that sees only one channel can follow the answers. It counts the documents,
// lists each exactly once, finds one by a search, and reads the text of a document byte
// for byte, however long it is.
func TestDiscover(t *testing.T) {
	if !storetest.Long() {
		t.Skip("this takes long: -long")
	}
	for _, c := range []struct {
		name string
		open func(t *testing.T) (root string, readings []string)
	}{
		{"hostile workspace", func(t *testing.T) (string, []string) {
			w := newHostileWorkspace(t, hostileAll)
			return w.root, hostileReadings(w)
		}},
		{"real workspace", func(t *testing.T) (string, []string) {
			root := corpusCopy(t)
			return root, documentsOf(t, root)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, readings := c.open(t)
			sets := toolsetsOf(t, root, index.ModeWatch)
			for _, e := range []eyes{textEyes{}, objectEyes{}} {
				t.Run(fmt.Sprintf("%s alone", e.output()), func(t *testing.T) {
					s := &seeker{witness: newWitness(t, e.output(), answer.Defaults(), sets), eyes: e, root: root}
					s.discover(t, readings)
				})
			}
		})
	}
}

// hostileReadings are the documents to read to their end: the first of each kind.
func hostileReadings(w hostileWorkspace) []string {
	seen := make(map[string]bool)
	var paths []string
	for _, d := range w.docs {
		if seen[d.kind] {
			continue
		}
		seen[d.kind] = true
		paths = append(paths, d.path)
	}
	return paths
}

// A seeker goes by what it sees.
type seeker struct {
	*witness
	eyes eyes
	root string
}

// see calls a tool, which must succeed, and keeps what the seeker's host shows.
func (s *seeker) see(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	reply := s.ask(t, tool, arguments)
	if reply.IsError {
		t.Fatalf("%s %s: %s", tool, brief(arguments), reply.Text())
	}
	return s.eyes.shown(reply)
}

func (s *seeker) discover(t *testing.T, readings []string) {
	t.Helper()
	total := s.eyes.total(t, s.see(t, "issues_stats", map[string]any{"groupBy": "type"}))
	if want := len(documentsOf(t, s.root)); total != want {
		t.Fatalf("counted %d documents, there are %d", total, want)
	}
	for _, format := range []string{"summary", "minimal", "full"} {
		names := s.listAll(t, map[string]any{"format": format})
		if len(names) != total {
			t.Errorf("%s: listed %d documents of %d", format, len(names), total)
		}
		if format != "summary" { // its rows name shared ids by their paths
			continue
		}
		if unique := slices.Compact(slices.Sorted(slices.Values(names))); len(unique) != total {
			t.Errorf("the %d documents of the list have %d names", total, len(unique))
		}
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(names))[:10] {
			s.read(t, names[i], 3)
		}
	}
	for _, path := range readings {
		s.findAndRead(t, path)
	}
}

// listAll follows a list to its end.
func (s *seeker) listAll(t *testing.T, arguments map[string]any) []string {
	t.Helper()
	var all []string
	for {
		names, cursor := s.eyes.page(t, s.see(t, "issues_list", arguments))
		all = append(all, names...)
		if cursor == "" {
			return all
		}
		if len(names) == 0 || len(all) > 2*hostileBig {
			t.Fatalf("%d documents after a page of %d, and it goes on", len(all), len(names))
		}
		arguments = map[string]any{"cursor": cursor}
	}
}

// findAndRead looks for a document by the first words of its title, takes the
// hit that is at this path, and reads it.
func (s *seeker) findAndRead(t *testing.T, path string) {
	t.Helper()
	doc := s.load(t, path)
	words := titleWords.FindAllString(doc.Title, 4)
	query := "title:" + strings.Join(words, " title:")
	names, _ := s.eyes.page(t, s.see(t, "issues_search", map[string]any{"query": query, "limit": 100}))
	for _, name := range names {
		if name == doc.ID || name == path {
			s.read(t, name, 1<<30)
			return
		}
	}
	t.Errorf("%s: the search for %s found %v", path, query, names)
}

var titleWords = regexp.MustCompile(`[\pL\d]+`)

// read reads a document, at most so many parts of it, and compares what it got
// with the file's text.
func (s *seeker) read(t *testing.T, name string, parts int) {
	t.Helper()
	path := name
	if !strings.HasSuffix(name, ".md") {
		path = s.pathOf(t, name)
	}
	body := s.load(t, path).Body
	var joined strings.Builder
	arguments := map[string]any{"id": name}
	for n := 0; n < parts; n++ {
		text, cursor := s.eyes.part(t, s.see(t, "issues_get", arguments))
		joined.WriteString(text)
		if cursor == "" {
			if joined.String() != body {
				t.Errorf("%s: the parts have %d bytes, the text %d; they differ from byte %d on", name, joined.Len(), len(body), differ(joined.String(), body))
			}
			return
		}
		if !strings.HasPrefix(body, joined.String()) {
			t.Errorf("%s: part %d is not the text; they differ from byte %d on", name, n, differ(joined.String(), body))
			return
		}
		arguments = map[string]any{"id": name, "cursor": cursor}
	}
}

func differ(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (s *seeker) load(t *testing.T, path string) *store.Document {
	t.Helper()
	ws, err := store.Open(store.Options{Root: s.root, Getenv: func(string) string { return "" }, Getwd: os.Getwd})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	doc, _, err := ws.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(s.root, path))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(file), doc.Body) {
		t.Fatalf("%s: the text is not the end of the file", path)
	}
	return doc
}

// pathOf finds the file of a document by its id, which no other has.
func (s *seeker) pathOf(t *testing.T, id string) string {
	t.Helper()
	for _, path := range documentsOf(t, s.root) {
		if doc := s.load(t, path); doc.ID == id {
			return path
		}
	}
	t.Fatalf("no document has the id %s", id)
	return ""
}

// documentsOf returns the paths of a workspace's documents.
func documentsOf(t *testing.T, root string) []string {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Getwd: os.Getwd})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	listing, err := ws.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, file := range listing.Files {
		paths = append(paths, file.Path)
	}
	return paths
}

// corpusCopy is a copy of a real workspace, which lies beside the repository on
// some machines only.
func corpusCopy(t *testing.T) string {
	t.Helper()
	from := filepath.Join(repositoryRoot, "..", "shared", "corpora", "samjhecht-wrangler")
	if _, err := os.Stat(from); err != nil {
		t.Skipf("no real workspace to test on: %v", err)
	}
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return root
}
