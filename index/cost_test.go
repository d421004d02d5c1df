package index_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/issues"
	"issues-index/tools/toolstest"
)

// A served workspace, whose calls tell of their statements.
type served struct {
	*index.Index
	root   string
	server *tools.Server
}

// manyDocuments is how many documents a large workspace of a test has.
func manyDocuments() int {
	if storetest.Long() {
		return 2000
	}
	return 300
}

// serveDocuments serves a new workspace of so many documents, all of its values
// alike at any size: each status, priority, label and project has its share.
func serveDocuments(t testing.TB, documents int) *served {
	t.Helper()
	root := t.TempDir()
	writeDocuments(t, root, documents)
	return serveRoot(t, root, index.ModeWatch)
}

// watched skips a test of a workspace whose files are watched where that is not possible.
func (s *served) watched(t *testing.T) {
	t.Helper()
	if h, err := s.Health(t.Context()); err != nil || h.Freshness != index.ModeWatch.String() {
		t.Skipf("files are not watched here: %v, %+v", err, h)
	}
}

func writeDocuments(t testing.TB, root string, documents int) {
	t.Helper()
	for _, folder := range []string{"issues/archived", "specifications/archived", "ideas/archived"} {
		if err := os.MkdirAll(filepath.Join(root, ".wrangler", folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i <= documents; i++ {
		path, text := paperNumber(i)
		if err := os.WriteFile(filepath.Join(root, ".wrangler", path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// serveRoot serves a workspace until the end of the test.
func serveRoot(t testing.TB, root string, mode index.Mode) *served {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	server, err := tools.NewServer(tools.Config{Name: "cost", Version: "0", Toolsets: []tools.Toolset{issues.Toolset(ix)}})
	if err != nil {
		t.Fatal(err)
	}
	return &served{ix, root, server}
}

// paperNumber is a document's path below .wrangler and its text.
func paperNumber(i int) (path, text string) {
	kind, folder, prefix := "issue", "issues", "ISS"
	if i%10 == 5 {
		kind, folder, prefix = "specification", "specifications", "SPEC"
	}
	status := []string{"open", "in_progress", "closed", "cancelled", "open"}[i%5]
	if status == "closed" || status == "cancelled" {
		folder += "/archived"
	}
	labels := fmt.Sprintf("[l%d, all]", i%7)
	if i == 11 {
		labels = "[rare]"
	}
	if i%13 == 0 {
		labels = "[]"
	}
	text = fmt.Sprintf("---\nid: %s-%06d\ntitle: Paper %d\ntype: %s\nstatus: %s\npriority: %s\nlabels: %s\nproject: p%d\nassignee: a%d\n"+
		"createdAt: '2026-01-10T09:%02d:00.000Z'\nupdatedAt: '2026-02-15T10:%02d:30.000Z'\nwranglerContext:\n  parentTaskId: SPEC-000005\n---\n",
		prefix, i, i, kind, status, []string{"low", "medium", "high"}[i%3], labels, i%4, i%6, i%60, (i*7)%60)
	for j := range 20 {
		text += fmt.Sprintf("Line %d of paper says that cache goes before word%d, word%d and the 全文検索機能.\n", j, (i*j)%97, (i+j)%89)
	}
	if i%3 == 0 {
		text += "\n- [x] One box\n- [ ] Another box\n"
	}
	if i == 7 {
		text += "Here is the zyxomatic one.\n"
	}
	return fmt.Sprintf("%s/%s-%06d-paper.md", folder, prefix, i), text
}

// call calls a tool and returns the statements that the index ran for it. The
// answer has to be a success, or else the refusal that is expected.
func (s *served) call(t *testing.T, tool, arguments, refusal string) []string {
	t.Helper()
	var statements []string
	s.ask(index.Observed(t.Context(), func(query string) { statements = append(statements, query) }), t, tool, arguments, refusal)
	return statements
}

// ask is call, without counting.
func (s *served) ask(ctx context.Context, t *testing.T, tool, arguments, refusal string) {
	t.Helper()
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
	encoded, err := json.Marshal(toolstest.Send(ctx, s.server, json.RawMessage(message)))
	if err != nil {
		t.Fatal(err)
	}
	answer := string(encoded)
	if failed := strings.Contains(answer, `"isError":true`); failed != (refusal != "") || !strings.Contains(answer, refusal) {
		t.Fatalf("%s %s: %s", tool, arguments, answer)
	}
}

// toolNames are the tools that the server lists.
func (s *served) toolNames(t *testing.T) []string {
	t.Helper()
	answer, err := json.Marshal(toolstest.Send(t.Context(), s.server, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)))
	if err != nil {
		t.Fatal(err)
	}
	var listed struct {
		Result struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &listed); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// A costed is a call of a tool. In its arguments {n} is another number each time.
type costed struct {
	name, tool, arguments string
	refusal               string // "" for a success
	grows                 string // why it reads more in a larger workspace, "" when it must not
}

var costedCalls = []costed{
	{name: "list", tool: "issues_list", arguments: `{"limit":20}`},
	{name: "list of 100", tool: "issues_list", arguments: `{"limit":100}`},
	{name: "list, first page written anew", tool: "issues_list", arguments: `{"limit":{n}}`},
	{name: "list, by facets that few have", tool: "issues_list", arguments: `{"status":["in_progress"],"priority":["high"],"type":"issue","limit":5}`},
	{name: "list, by a facet that many have", tool: "issues_list", arguments: `{"status":["open"],"limit":5}`},
	{name: "list, by a label", tool: "issues_list", arguments: `{"labels":["all"],"limit":5}`},
	{name: "list, by a rare label", tool: "issues_list", arguments: `{"labels":["rare"],"limit":5}`},
	{name: "list, by project", tool: "issues_list", arguments: `{"project":"p1","limit":5}`},
	{name: "list, by assignee and parent", tool: "issues_list", arguments: `{"assignee":"a1","parentTaskId":"SPEC-000005","limit":5}`},
	{name: "list, with open boxes", tool: "issues_list", arguments: `{"boxes":"open","limit":5}`},
	{name: "list, ready work", tool: "issues_list", arguments: `{"ready":true,"limit":5}`},
	{name: "list, by criteria", tool: "issues_list", arguments: `{"where":"is:ready assignee = a1","limit":5}`},
	{name: "search, rare word", tool: "issues_search", arguments: `{"query":"zyxomatic"}`},
	{name: "search, word of every document", tool: "issues_search", arguments: `{"query":"cache {n}","limit":5}`, grows: "it ranks them all"},
	{name: "search, rare word in issues", tool: "issues_search", arguments: `{"query":"zyxomatic","filters":{"types":["issue"]}}`},
	{name: "search, phrase", tool: "issues_search", arguments: `{"query":"\"the zyxomatic\""}`},
	{name: "search, part of a word", tool: "issues_search", arguments: `{"query":"yxomati"}`},
	{name: "get", tool: "issues_get", arguments: `{"id":"ISS-000007"}`},
	{name: "get, by its path", tool: "issues_get", arguments: `{"id":".wrangler/issues/ISS-000006-paper.md"}`},
	{name: "get, unknown id", tool: "issues_get", arguments: `{"id":"ISS-999999"}`, refusal: "NOT_FOUND"},
	{name: "history, without a repository", tool: "issues_history", arguments: `{"id":"ISS-000007"}`, refusal: "CONFIGURATION_ERROR"},
	{name: "get, three at once", tool: "issues_get_batch", arguments: `{"ids":["ISS-000001","ISS-000021","ISS-000031"]}`},
	{name: "stats by status", tool: "issues_stats", arguments: `{"groupBy":"status"}`},
	{name: "stats by label", tool: "issues_stats", arguments: `{"groupBy":"label"}`},
	{name: "stats by project, of a label", tool: "issues_stats", arguments: `{"groupBy":"project","labels":["l1"]}`},
	{name: "labels", tool: "issues_labels", arguments: `{"operation":"list"}`},
	{name: "projects", tool: "issues_projects", arguments: `{"operation":"list"}`},
	{name: "metadata", tool: "issues_metadata", arguments: `{"operation":"get","issueId":"ISS-000007"}`},
	{name: "all_complete", tool: "issues_all_complete", arguments: `{}`},
	{name: "all_complete, of a parent", tool: "issues_all_complete", arguments: `{"parentTaskId":"SPEC-000005"}`},
	{name: "create", tool: "issues_create", arguments: `{"title":"New {n}","description":"Words of number {n}.","labels":["made"]}`},
	{name: "update", tool: "issues_update", arguments: `{"id":"ISS-000001","assignee":"agent {n}"}`},
	{name: "update of the text", tool: "issues_update", arguments: `{"id":"ISS-000001","description":"Other text {n}."}`},
	{name: "edit of the text", tool: "issues_edit", arguments: `{"id":"ISS-000001","edits":[{"op":"append","text":"Note {n}."}]}`},
	{name: "close", tool: "issues_mark_complete", arguments: `{"id":"ISS-{closing}"}`},
	{name: "update, two at once", tool: "issues_update_batch", arguments: `{"updates":[{"id":"ISS-000001","assignee":"b{n}"},{"id":"ISS-000006","assignee":"c{n}"}]}`},
	// Every document has an assignee here, and no index has a person's by their creation.
	{name: "claim the next", tool: "issues_claim", arguments: `{"operation":"next","filters":{"assignee":"a1"}}`, grows: "it sorts what is ready, of one priority and assigned to one person"},
	{name: "delete", tool: "issues_delete", arguments: `{"id":"ISS-{deleted}","confirm":true}`},
}

// round is the arguments of the n-th call. What is closed and deleted is there in
// every workspace of at least 100 documents, another one each time.
func (c costed) round(n int) string {
	return strings.NewReplacer("{n}", fmt.Sprint(6+n), "{closing}", fmt.Sprintf("%06d", 10+10*n), "{deleted}", fmt.Sprintf("%06d", 14+10*n)).
		Replace(c.arguments)
}

// statementCounts are how many statements each call usually takes, once it has
// been made before. On a busy machine what happens in the background falls into a
// call more often than not, or two changes are taken in at once. So a number that is
// known to be usual counts when it is seen at all.
func (s *served) statementCounts(t *testing.T, calls []costed, usual map[string]int) map[string]int {
	t.Helper()
	const rounds, atMost = 5, 9
	counts := map[string]int{}
	for _, c := range calls {
		want, known := usual[c.name]
		var each []int
		for n := 0; n < rounds || known && n < atMost && !slices.Contains(each, want); n++ {
			s.call(t, "issues_stats", `{"groupBy":"type"}`, "") // takes in what the last change has left to follow
			each = append(each, len(s.call(t, c.tool, c.round(n), c.refusal)))
		}
		slices.Sort(each)
		counts[c.name] = each[len(each)/2]
		if known && slices.Contains(each, want) {
			counts[c.name] = want
		}
	}
	return counts
}

// usualCounts are those of a golden file, none when it is to be written.
func usualCounts(t *testing.T, name string) map[string]int {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		return nil
	}
	golden, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	usual := map[string]int{}
	for line := range strings.Lines(string(golden)) {
		number, call, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		usual[call] = n
	}
	return usual
}

// growth says which calls take another number of statements in a larger workspace.
func growth(few, many map[string]int) (complaints []string) {
	for name, n := range few {
		if many[name] != n {
			complaints = append(complaints, fmt.Sprintf("%s: %d statements in a small workspace, %d in a large one", name, n, many[name]))
		}
	}
	return complaints
}

// TestStatementsOfEveryTool counts what a call asks of SQLite. A change that makes
// a call ask more shows in the golden file, and has to be worth it.
func TestStatementsOfEveryTool(t *testing.T) {
	t.Parallel()
	small, large := serveDocuments(t, 100), serveDocuments(t, manyDocuments())
	small.watched(t)
	usual := usualCounts(t, "statements.golden")
	few, many := small.statementCounts(t, costedCalls, usual), large.statementCounts(t, costedCalls, usual)
	for _, complaint := range growth(few, many) {
		t.Error(complaint)
	}

	var b strings.Builder
	for _, c := range costedCalls {
		fmt.Fprintf(&b, "%3d %s\n", few[c.name], c.name)
	}
	compareGolden(t, "statements.golden", b.String())

	t.Run("leaves out no tool", func(t *testing.T) {
		for _, tool := range small.toolNames(t) {
			if !slices.ContainsFunc(costedCalls, func(c costed) bool { return c.tool == tool }) {
				t.Errorf("nothing is counted of %s", tool)
			}
		}
	})

	t.Run("sees a planted call that asks more the more documents there are", func(t *testing.T) {
		planted := func(documents int) []costed {
			ids := make([]string, documents/50)
			for i := range ids {
				ids[i] = fmt.Sprintf("%q", fmt.Sprintf("ISS-%06d", 21+10*i))
			}
			return []costed{{name: "planted", tool: "issues_get_batch", arguments: `{"ids":[` + strings.Join(ids, ",") + `]}`}}
		}
		if len(growth(small.statementCounts(t, planted(100), nil), large.statementCounts(t, planted(manyDocuments()), nil))) != 1 {
			t.Error("it is not seen")
		}
	})
}

// Whoever gives a call up has it ask nothing more, at whichever of its statements that is.
func TestACallThatIsGivenUpAsksNothingMore(t *testing.T) {
	t.Parallel()
	s := serveDocuments(t, 100)
	s.watched(t) // a comparison of files goes on for other calls
	for _, c := range costedCalls {
		switch c.tool {
		case "issues_list", "issues_search", "issues_get", "issues_get_batch", "issues_stats", "issues_labels", "issues_projects", "issues_metadata", "issues_all_complete":
		default:
			continue // a change that has begun is finished, or taken back
		}
		for n, all := 1, 2; n < all; n++ {
			s.call(t, "issues_stats", `{"groupBy":"type"}`, "") // takes in what is left to follow
			ctx, cancel := context.WithCancel(t.Context())
			var statements []string
			ctx = index.Observed(ctx, func(query string) {
				if statements = append(statements, query); len(statements) == n {
					cancel()
				}
			})
			message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.tool, c.round(n))
			toolstest.Send(ctx, s.server, json.RawMessage(message))
			cancel()
			if len(statements) > n {
				t.Errorf("%s, given up at statement %d, asks %d more, the first of them %s", c.name, n, len(statements)-n, statements[n])
			}
			all = len(s.call(t, c.tool, c.round(n), c.refusal))
		}
	}
}

// compareGolden holds what was counted to a file.
func compareGolden(t *testing.T, name, counted string) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(counted), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if counted != string(want) {
		t.Errorf("the counts are not those of %s (UPDATE_GOLDEN=1 rewrites it). They are\n%s", golden, counted)
	}
}

// beginsReading is what the first statement of a reading has, after the files have been compared.
const beginsReading = "SELECT generation, rev"

// Each question for itself would have every file compared with the index.
func TestFindEachAsksAsOfOneMoment(t *testing.T) {
	s := serveDocuments(t, 30)
	var queries []index.Query
	for n := range 20 {
		queries = append(queries, index.Query{Search: true, Text: fmt.Sprintf(`"Paper %d"`, n+1), Limit: 2})
	}
	moments := 0
	ctx := index.Observed(t.Context(), func(query string) {
		if strings.Contains(query, beginsReading) {
			moments++
		}
	})
	pages, err := s.FindEach(ctx, queries)
	if err != nil || len(pages) != len(queries) || moments != 1 {
		t.Fatalf("%d pages as of %d moments: %v", len(pages), moments, err)
	}
	for i, q := range queries {
		alone, err := s.Find(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if got := pages[i]; got.Total != alone.Total || len(got.Rows) != len(alone.Rows) || got.Rows[0].Path != alone.Rows[0].Path || got.Next != "" {
			t.Errorf("%s: %+v, alone %+v", q.Text, got, alone)
		}
	}
}
