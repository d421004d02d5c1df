package issues

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// planned is a document with boxes in two sections.
const planned = `---
id: ISS-000001
title: Release the parser
status: open
updatedAt: 2026-02-15T10:00:00.000Z
createdAt: 2026-02-10
---
## Tasks

- [x] Write the grammar
- [ ] Write **tests**
  - [ ] with CRLF

` + "```\n- [ ] code\n```" + `

## Acceptance

1. [X] All samples parse
2. [ ] No sample is slow
`

func boxed(t *testing.T) fixture {
	t.Helper()
	root := t.TempDir()
	toolstest.Write(t, root, ".wrangler/issues/ISS-000001-release-the-parser.md", planned)
	toolstest.Write(t, root, ".wrangler/issues/ISS-000002-all-done.md", "---\nid: ISS-000002\ntitle: All done\nupdatedAt: 2026-02-14\ncreatedAt: 2026-02-14\n---\n- [x] One\n")
	toolstest.Write(t, root, ".wrangler/issues/ISS-000003-no-box.md", "---\nid: ISS-000003\ntitle: No box\nupdatedAt: 2026-02-13\ncreatedAt: 2026-02-13\n---\nA parser.\n")
	return serve(t, root)
}

// TestAnswersAboutBoxes records what an agent reads of boxes. The calls follow each other
// in one workspace.
func TestAnswersAboutBoxes(t *testing.T) {
	t.Parallel()
	f := boxed(t)
	var transcript []byte
	for _, c := range [][2]string{
		{"issues_list", `{}`},
		{"issues_list", `{"boxes": "open"}`},
		{"issues_list", `{"boxes": "open", "format": "minimal"}`},
		{"issues_list", `{"boxes": "open", "format": "full"}`},
		{"issues_list", `{"boxes": "done"}`},
		{"issues_search", `{"query": "parser", "filters": {"boxes": "open"}}`},
		{"issues_stats", `{"groupBy": "status", "boxes": "open"}`},
		{"issues_get", `{"id": "ISS-000001"}`},
		{"issues_get", `{"id": "ISS-000001", "fields": ["boxes"]}`},
		{"issues_get", `{"id": "ISS-000003", "fields": ["boxes"]}`},
		{"issues_get_batch", `{"ids": ["ISS-000001", "ISS-000002"], "fields": ["title", "boxes"]}`},
		{"issues_update", `{"id": "ISS-000001", "status": "cancelled"}`},
		{"issues_update", `{"id": "ISS-000001", "status": "closed"}`},
		{"issues_update", `{"id": "ISS-000001", "priority": "low"}`},
		{"issues_update_batch", `{"updates": [{"id": "ISS-000001", "status": "open"}, {"id": "ISS-000001", "status": "closed"}, {"id": "ISS-000002", "status": "closed"}]}`},
		{"issues_update", `{"id": "ISS-000001", "status": "open"}`},
		{"issues_mark_complete", `{"id": "ISS-000001"}`},
	} {
		transcript = append(transcript, "# "+c[0]+"\n\n"...)
		transcript = append(transcript, converse(t, f, c[0], []string{c[1]})...)
	}
	toolstest.Same(t, filepath.Join("testdata", "answers", "boxes.txt"), versions.ReplaceAll(moments.ReplaceAll(transcript, []byte("TIME")), []byte("${1}VERSION")))
}

func TestALongListOfBoxesFitsTheBudget(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "- [ ] Step %d of a long plan that one document has\n", i+1)
	}
	toolstest.Write(t, root, ".wrangler/issues/ISS-000001-plan.md", "---\nid: ISS-000001\ntitle: Plan\n---\n"+text.String())
	f := serve(t, root)
	read, shown := toolstest.Must[struct {
		Issue documentView
		Note  string
	}](t, f.Client, "issues_get", map[string]any{"id": "ISS-000001", "fields": []string{"boxes"}})
	if n := len(read.Issue.BoxList); read.Issue.Boxes != "0/3000" || n < 10 || n >= 3000 || !strings.Contains(read.Note, "boxList") || len(shown) > 10_000 {
		t.Errorf("%d bytes with %d boxes, %q", len(shown), n, read.Note)
	}
	done, _ := toolstest.Must[struct{ Note string }](t, f.Client, "issues_mark_complete", map[string]any{"id": "ISS-000001"})
	if !strings.Contains(done.Note, `3000 boxes are still open: 1 "Step 1 of`) || !strings.Contains(done.Note, " and 2995 more") || strings.Contains(done.Note, "Step 6") {
		t.Errorf("got %q", done.Note)
	}
}
