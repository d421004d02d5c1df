//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// sameQueries has every construct of the language of criteria.
var sameQueries = []string{
	"status = open",
	"status != closed and priority >= high",
	"status in (open, in_progress)",
	"status = todo",
	"priority < medium or priority = critical",
	"not (type = issue or labels = api)",
	"labels = api not labels != bug",
	"label:api label:bug",
	"labels = empty",
	"assignee = empty and type = issue",
	"assignee = ann",
	"title ~ cache",
	"title !~ cache",
	"estimate > 3",
	"estimate = empty or estimate <= 2",
	"Due_Date < 2026-03-05",
	"due-date = 2026-03-03",
	"updated >= 2026-02-10 updated < 2026-02-20",
	"created = 2026-01-07",
	"closed < today",
	"updated < -7d",
	"is:ready",
	"is:blocked",
	"not is:ready and not is:blocked and status = open",
	"is:closable",
	"has:boxes",
	"has:open-boxes is:ready",
	"parent:ISS-1",
	"under:ISS-000001",
	"blocks:12",
	"mentions:12",
	"cache",
	"cache \"goes before\" -draft",
	"cache or is:ready",
	"is:ready sort priority desc, updated",
	"type = issue sort estimate, id desc",
	"sort title",
}

const queriedDocuments = 60

// writeQueried writes documents with links, boxes, keys of their own and words to search
// for.
func writeQueried(t *testing.T, root string) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	pick := func(values ...string) string { return values[r.IntN(len(values))] }
	for i := 1; i <= queriedDocuments; i++ {
		var b strings.Builder
		id, folder := fmt.Sprintf("ISS-%06d", i), "issues"
		typ, status := "issue", pick("open", "open", "open", "in_progress", "closed", "cancelled")
		if i%9 == 0 {
			id, folder, typ = fmt.Sprintf("SPEC-%06d", i), "specifications", "specification"
		}
		if status == "closed" || status == "cancelled" {
			folder += "/archived"
		}
		updated := fmt.Sprintf("2026-02-%02dT10:00:%02d.000Z", 1+r.IntN(28), i)
		if i == 1 {
			updated = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		}
		fmt.Fprintf(&b, "---\nid: %s\ntitle: %s %s %d\ntype: %s\nstatus: %s\n", id, pick("Warm", "Draw", "Clear"), pick("the cache", "the page"), i, typ, status)
		fmt.Fprintf(&b, "createdAt: '2026-01-%02dT09:00:00.000Z'\nupdatedAt: '%s'\n", 1+i%20, updated)
		if status == "closed" {
			b.WriteString("closedAt: '2026-02-27T10:00:00.000Z'\n")
		}
		if i%10 == 7 {
			b.WriteString("deferUntil: 2999-01-01\n")
		}
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, "priority: %s\nlabels: [%s]\n", pick("low", "medium", "high", "critical"), pick("api", "bug", "api, bug", "ui"))
		}
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, "assignee: %s\nestimate: %d\ndueDate: 2026-03-%02d\n", pick("ann", "bob"), r.IntN(6), 1+r.IntN(9))
		}
		if i > 1 && r.IntN(2) == 0 {
			fmt.Fprintf(&b, "dependsOn: [ISS-%06d]\n", 1+r.IntN(i-1))
		}
		if i > 4 && r.IntN(3) == 0 {
			fmt.Fprintf(&b, "wranglerContext:\n  parentTaskId: ISS-%06d\n", 1+r.IntN(4))
		}
		fmt.Fprintf(&b, "---\n%s\n", pick("A draft of the cache.", "What goes before the cache.", "The cache goes before it.", "- [ ] one\n- [x] two", "- [x] one"))
		if i%4 == 0 {
			b.WriteString("\nSee ISS-12.\n")
		}
		file := filepath.Join(root, ".wrangler", folder, id+"-queried.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The same criteria find the same documents on the command line and in a tool, in one
// piece and page by page, written out and as a view of the workspace; with an order of
// their own, in that order.
func TestSameQueryFindsTheSameDocuments(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writeQueried(t, root)
	var views strings.Builder
	for i, query := range sameQueries {
		where, sort, _ := strings.Cut(query, "sort ")
		fmt.Fprintf(&views, "view-%d:\n", i)
		if where != "" {
			fmt.Fprintf(&views, "  where: %q\n", strings.TrimSpace(where))
		}
		if sort != "" {
			fmt.Fprintf(&views, "  sort: %q\n", sort)
		}
	}
	if err := os.WriteFile(filepath.Join(root, ".wrangler", "views.yaml"), []byte(views.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	server := startAgent(t, root)
	defer server.end()

	listed := func(t *testing.T, args ...string) (ids []string) {
		t.Helper()
		got := runIn(t, root, append(args, "--limit", "0", "--json")...)
		var answer struct{ Documents []struct{ ID string } }
		if err := json.Unmarshal([]byte(got.out), &answer); err != nil || got.code != 0 {
			t.Fatalf("%q: exit %d, %v\n%s%s", args, got.code, err, got.out, got.errOut)
		}
		for _, d := range answer.Documents {
			ids = append(ids, d.ID)
		}
		return ids
	}
	paged := func(t *testing.T, tool string, arguments map[string]any) (ids []string) {
		t.Helper()
		for {
			var page struct {
				Issues     []struct{ ID string }
				NextCursor string
			}
			server.must(t, tool, arguments, &page)
			for _, d := range page.Issues {
				ids = append(ids, d.ID)
			}
			if page.NextCursor == "" {
				return ids
			}
			arguments = map[string]any{"cursor": page.NextCursor}
		}
	}

	for i, query := range sameQueries {
		if !storetest.Long() && rand.IntN(4) > 0 {
			continue
		}
		t.Run(query, func(t *testing.T) {
			want := listed(t, "list", "--where", query)
			if len(want) == 0 || len(want) == queriedDocuments && !strings.HasPrefix(query, "sort") {
				t.Errorf("it finds %d of %d documents, and shows nothing", len(want), queriedDocuments)
			}
			ordered := strings.Contains(query, "sort ")
			same := func(how string, got []string) {
				t.Helper()
				want := slices.Clone(want)
				if !ordered {
					slices.Sort(want)
					slices.Sort(got)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s found %q, the command %q", how, got, want)
				}
			}
			same("issues_list", paged(t, "issues_list", map[string]any{"where": query, "limit": 7}))
			same("a view of the command", listed(t, "list", fmt.Sprintf("@view-%d", i)))
			same("a view of issues_list", paged(t, "issues_list", map[string]any{"view": fmt.Sprintf("view-%d", i), "limit": 50}))
		})
	}

	for _, c := range []struct {
		command   []string
		arguments map[string]any
	}{
		{[]string{"ready"}, map[string]any{"ready": true}},
		{[]string{"blocked"}, map[string]any{"blocked": true}},
		{[]string{"list", "@ready"}, map[string]any{"view": "ready"}},
		{[]string{"list", "@recent"}, map[string]any{"view": "recent"}},
		{[]string{"list", "--status", "todo", "--label", "api"}, map[string]any{"status": "open", "labels": []string{"api"}}},
		{[]string{"list", "--under", "1"}, map[string]any{"under": "ISS-000001"}},
		{[]string{"list", "--updated-after", "2026-02-10", "--where", "is:ready"}, map[string]any{"updatedAfter": "2026-02-10", "where": "is:ready"}},
	} {
		command, tool := listed(t, c.command...), paged(t, "issues_list", c.arguments)
		slices.Sort(command)
		slices.Sort(tool)
		if !slices.Equal(command, tool) || len(tool) == 0 {
			t.Errorf("%q found %q, issues_list %v found %q", c.command, command, c.arguments, tool)
		}
	}
}
