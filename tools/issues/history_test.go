package issues

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index/documents"
	"issues-index/store/storetest"
	"issues-index/tools/toolstest"
)

// A change of the repository that the history of tools is tried on: all files afterwards.
type commitOf struct {
	author, message string
	parents         []int // from 1
	files           map[string]string
}

// commit puts commits into a new repository at root, whose last one is checked out. Their
// times are a day apart.
func commit(t *testing.T, root string, commits []commitOf) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	var in bytes.Buffer
	for i, c := range commits {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter %s <a@example.org> %d +0000\ndata %d\n%s\n", i+1, c.author, 1_767_225_600+86_400*i, len(c.message), c.message)
		for n, parent := range c.parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(n, 1)], parent)
		}
		fmt.Fprint(&in, "deleteall\n")
		for _, name := range slices.Sorted(maps.Keys(c.files)) {
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(c.files[name]), c.files[name])
		}
	}
	git := func(input []byte, args ...string) {
		t.Helper()
		run := exec.Command("git", args...)
		run.Dir, run.Stdin = root, bytes.NewReader(input)
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git(nil, "init", "--quiet", "--initial-branch=main")
	git(in.Bytes(), "fast-import", "--quiet", "--force")
	git(nil, "reset", "--quiet", "--hard", "main")
}

// historyTime is when the file was changed that is not committed.
var historyTime = time.Date(2026, 1, 9, 0, 0, 0, 0, time.UTC)

func historied(status, title, text string) string {
	return "---\nid: ISS-000001\ntitle: " + title + "\ntype: issue\nstatus: " + status + "\n---\n\n" + text
}

// withHistory serves a workspace whose first document was renamed, merged, broken and
// archived, and whose second one is gone.
func withHistory(t *testing.T) fixture {
	t.Helper()
	const old, now, archived = ".wrangler/issues/ISS-000001-find.md", ".wrangler/issues/ISS-000001-find-all.md", ".wrangler/issues/archived/ISS-000001-find-all.md"
	const text = "## Steps\n\n- [ ] read\n- [ ] write\n\n## Notes\n"
	read := strings.Replace(text, "[ ] read", "[x] read", 1)
	gone := strings.Replace(historied("open", "Gone", "text\n"), "ISS-000001", "ISS-000002", 1)
	noted := read + "\nbecause\n"
	root := t.TempDir()
	commit(t, root, []commitOf{
		{"Ann", "one", nil, map[string]string{old: historied("open", "Find", text), ".wrangler/issues/ISS-000002-gone.md": gone}},
		{"Ann", "two", []int{1}, map[string]string{old: historied("in_progress", "Find", read)}},
		{"\x1b[31mEve\x07", "three\x1b[2J", []int{2}, map[string]string{now: historied("in_progress", "Find all\u202e", noted)}},
		{"Bob", "side", []int{2}, map[string]string{old: historied("blocked", "Find", read)}},
		{"Ann", "merge", []int{3, 4}, map[string]string{now: strings.Replace(historied("blocked", "Find all", noted), "type:", "labels: [a]\ntype:", 1)}},
		{"Ann", "broken", []int{5}, map[string]string{now: "---\nid: [\n---\n"}},
		{"Ann", "done", []int{6}, map[string]string{archived: historied("closed", "Find all", noted)}},
	})
	storetest.WriteFiles(t, root, map[string]string{archived: historied("closed", "Find all", noted+"\nafterwards\n")})
	at := filepath.Join(root, filepath.FromSlash(archived))
	if err := os.Chtimes(at, historyTime, historyTime); err != nil {
		t.Fatal(err)
	}
	return serve(t, root)
}

func TestHistoryAnswers(t *testing.T) {
	f := withHistory(t)
	transcript := converse(t, f, "issues_history", []string{
		`{"id": "ISS-000001"}`,
		`{"id": "1", "field": "status"}`,
		`{"issueId": "iss-1", "field": "checkboxes"}`,
		`{"id": "ISS-000001", "since": "2026-01-06"}`,
		`{"id": "ISS-000001", "limit": 1}`,
		`{"id": "ISS-000001", "field": "colour"}`,
		`{"id": "ISS-000002"}`,
		`{"id": "ISS-000003"}`,
		`{"id": "ISS-000001", "cursor": "nothing"}`,
		`{"id": "ISS-000001", "since": "some day"}`,
		`{}`,
	})
	toolstest.Same(t, filepath.Join("testdata", "answers", "issues_history.txt"), transcript)
}

func TestHistoryWithoutARepository(t *testing.T) {
	f := open(t, "testdata/workspace")
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(f.root))
	toolstest.Same(t, filepath.Join("testdata", "answers", "issues_history_none.txt"),
		converse(t, f, "issues_history", []string{`{"id": "ISS-000001"}`, `{"id": "ISS-000099"}`}))
}

func TestHistoryPagesHaveEveryEntryOnce(t *testing.T) {
	f := withHistory(t)
	queries := []map[string]any{
		{}, {"field": "status"}, {"field": "text"}, {"since": "2026-01-03"}, {"field": "status", "since": "2026-01-03"},
	}
	for _, asked := range storetest.FewOf(queries, 2) {
		whole := map[string]any{"id": "ISS-000001"}
		maps.Copy(whole, asked)
		type answer struct {
			History    []json.RawMessage
			NextCursor string
		}
		call := func(arguments map[string]any) (a answer) {
			t.Helper()
			given := f.Call(t, "issues_history", arguments)
			if err := json.Unmarshal(given.Structured, &a); err != nil {
				t.Fatalf("%v: %s", err, given.Text())
			}
			return a
		}
		want := call(whole).History
		var got []json.RawMessage
		first := maps.Clone(whole)
		first["limit"] = 1
		for page := call(first); ; page = call(map[string]any{"id": "ISS-000001", "cursor": page.NextCursor, "limit": 1}) {
			if len(page.History) > 1 {
				t.Fatal("a page has more than its limit")
			}
			if got = append(got, page.History...); page.NextCursor == "" {
				break
			}
		}
		if fmt.Sprintf("%s", got) != fmt.Sprintf("%s", want) {
			t.Errorf("%v: pages have\n%s\nwant\n%s", asked, got, want)
		}
	}
	if refused := f.Call(t, "issues_history", map[string]any{"id": "ISS-000001", "cursor": "x~~status", "field": "title"}); !strings.Contains(refused.Text(), "another field") {
		t.Error(refused.Text())
	}
}

func TestLongHistoriesFit(t *testing.T) {
	root := t.TempDir()
	var commits []commitOf
	for i := range 120 {
		text := strings.Repeat(fmt.Sprintf("## Section %d %s\n\ntext %d\n\n", i, strings.Repeat("long ", 30), i), 1+i%40)
		doc := historied("open", strings.Repeat("title ", 30)+fmt.Sprint(i), text)
		c := commitOf{strings.Repeat("Ann ", 50), "m", nil, map[string]string{".wrangler/issues/ISS-000001-a.md": doc}}
		if i > 0 {
			c.parents = []int{i}
		}
		commits = append(commits, c)
	}
	commit(t, root, commits)
	f := serve(t, root)
	seen, next := 0, ""
	for {
		arguments := map[string]any{"id": "ISS-000001", "limit": 100}
		if next != "" {
			arguments["cursor"] = next
		}
		given := f.Call(t, "issues_history", arguments)
		if len(given.Text()) > 10_000 || len(given.Structured) > 10_000 {
			t.Fatalf("%d bytes and %d", len(given.Text()), len(given.Structured))
		}
		var page struct {
			History    []struct{ Changes []string }
			NextCursor string
		}
		if err := json.Unmarshal(given.Structured, &page); err != nil || len(page.History) == 0 {
			t.Fatalf("%v: %s", err, given.Text())
		}
		seen += len(page.History)
		if next = page.NextCursor; next == "" {
			break
		}
	}
	if seen != len(commits) {
		t.Errorf("%d entries of %d", seen, len(commits))
	}
}

func TestAHistoryThatIsCutOffSaysHowToGoOn(t *testing.T) {
	f := withHistory(t)
	h, err := documents.ReadHistory(t.Context(), f.ix, "ISS-000001")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.CutAt = strings.Repeat("0a", 20)
	if notes := strings.Join(documents.HistoryNotes(h, true, 1, ""), " "); !strings.Contains(notes, "git log 0a0a0a0a0a0a shows it") {
		t.Errorf("%q", notes)
	}
	if notes := documents.HistoryNotes(h, false, 1, ""); len(notes) > 0 {
		t.Errorf("a page that others follow says %q", notes)
	}
}
