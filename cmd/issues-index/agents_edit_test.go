//go:build !windows

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"issues-index/store/markdown"
	"issues-index/store/storetest"
)

const editedID = "ISS-000001"

// editedSections is a document with a section for each agent and a list of boxes.
func editedSections(t *testing.T, agents, boxes int) (root string) {
	t.Helper()
	root = t.TempDir()
	var text strings.Builder
	fmt.Fprintf(&text, "---\nid: %s\ntitle: Shared\nstatus: open\n---\n# Shared\n", editedID)
	for i := range agents {
		fmt.Fprintf(&text, "\n## Agent %d\n\nLog of %d.\n", i, i)
	}
	text.WriteString("\n## Boxes\n\n" + strings.Repeat("- [ ] box\n", boxes))
	dir := filepath.Join(root, ".wrangler", "issues")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, editedID+".md"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestTwoServersEditOneText has two servers, each in its own process, change sections of
// one document and boxes of one list, by turns as they come. No edit is lost.
func TestTwoServersEditOneText(t *testing.T) {
	const agents = 2
	edits := 40 // of both
	if storetest.Long() {
		edits = 1000
	}
	root := editedSections(t, agents, edits/2)
	var group sync.WaitGroup
	var servers [agents]*agent
	for i := range servers {
		servers[i] = startAgent(t, root)
	}
	for i, a := range servers {
		group.Go(func() {
			for n := range edits / agents {
				edit := map[string]any{"op": "append_section", "section": fmt.Sprintf("Agent %d", i), "text": fmt.Sprintf("- entry %d-%d", i, n)}
				if n%2 == 0 {
					edit = map[string]any{"op": "check", "section": "Boxes", "boxes": []int{n + i + 1}}
				}
				a.must(t, "issues_edit", map[string]any{"id": editedID, "edits": []any{edit}}, nil)
			}
		})
	}
	group.Wait()
	for _, a := range servers {
		a.end()
	}

	body := readAll(t, root)[editedID].Body
	for i := range agents {
		h, err := markdown.Find(markdown.Outline(body), fmt.Sprintf("Agent %d", i))
		if err != nil {
			t.Fatal(err)
		}
		section := markdown.Lines(body, h.Line, h.EndLine)
		var want []string
		for n := 1; n < edits/agents; n += 2 {
			want = append(want, fmt.Sprintf("- entry %d-%d\n", i, n))
		}
		if !strings.Contains(section, strings.Join(want, "")) {
			t.Errorf("lost in the section of agent %d:\n%s", i, section)
		}
	}
	if n := markdown.CountBoxes(body); n.Total != edits/2 || n.Checked != n.Total {
		t.Errorf("%d of %d boxes are checked", n.Checked, n.Total)
	}
}

// TestStaleEditsOfTwoServersAreConflicts has two servers edit what they have read last:
// an edit lands when nobody has changed the document since, and is a CONFLICT otherwise.
// So the versions that landed follow each other, each once.
func TestStaleEditsOfTwoServersAreConflicts(t *testing.T) {
	const agents = 2
	edits := 30 // of both
	if storetest.Long() {
		edits = 1000
	}
	root := editedSections(t, agents, 1)
	first := readAll(t, root)[editedID].Version
	var mu sync.Mutex
	next := make(map[string]string) // the version that an edit of a version made
	stale := 0
	var group sync.WaitGroup
	var servers [agents]*agent
	for i := range servers {
		servers[i] = startAgent(t, root)
	}
	for i, a := range servers {
		group.Go(func() {
			version := first
			for n := range edits / agents {
				answer, err := a.call("issues_edit", map[string]any{"id": editedID, "op": "append", "text": fmt.Sprintf("entry %d-%d.", i, n), "ifVersion": version})
				var now struct {
					Version string
					Issue   struct{ Version string }
				}
				switch {
				case err != nil:
					t.Error(err)
					return
				case answer.Meta.Error.Code == "CONFLICT":
					mu.Lock()
					stale++
					mu.Unlock()
					a.must(t, "issues_get", map[string]any{"id": editedID, "fields": []string{"title"}}, &now)
					if now.Issue.Version == version {
						t.Errorf("an edit of the current version %s was refused: %s", version, answer.text())
					}
					version = now.Issue.Version
					continue
				case answer.IsError:
					t.Error(answer.text())
					return
				}
				if err := answer.decode(&now); err != nil {
					t.Error(err)
				}
				mu.Lock()
				if other := next[version]; other != "" {
					t.Errorf("two edits of version %s landed: %s and %s", version, other, now.Version)
				}
				next[version] = now.Version
				mu.Unlock()
				version = now.Version
			}
		})
	}
	group.Wait()
	for _, a := range servers {
		a.end()
	}

	t.Logf("%d edits landed, %d were stale", len(next), stale)
	doc, version, landed := readAll(t, root)[editedID], first, 0
	for next[version] != "" {
		version = next[version]
		landed++
	}
	if landed != len(next) || version != doc.Version || strings.Count(doc.Body, "entry ") != landed || landed+stale != edits {
		t.Errorf("%d edits follow each other, %d landed, %d were stale, %d are in the text", landed, len(next), stale, strings.Count(doc.Body, "entry "))
	}
}
