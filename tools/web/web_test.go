package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"issues-index/index"
	"issues-index/index/db"
	"issues-index/index/sqlfile"
	"issues-index/store"
	"issues-index/tools/dashboard"
	"issues-index/tools/transport"
)

// files are the documents and other files of a workspace, by path.
type files map[string]string

// A testSite is the site of a workspace, as a server on the loopback interface has it.
type testSite struct {
	http.Handler
	root  string
	pages *Pages
}

func serve(t testing.TB, f files) *testSite {
	t.Helper()
	root := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(root, ".wrangler", "issues"), 0o755))
	for name, text := range f {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		check(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	return serveRoot(t, root)
}

func serveRoot(t testing.TB, root string) *testSite {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root})
	check(t, err)
	t.Cleanup(func() { ws.Close() })
	ix, err := index.Open(t.Context(), ws, index.Options{Path: db.MemoryPath})
	check(t, err)
	t.Cleanup(func() { ix.Close() })
	_, err = ix.Health(t.Context()) // which waits until all files are read
	check(t, err)
	mux := http.NewServeMux()
	figures := func(context.Context) (dashboard.Backend, func()) {
		return dashboard.Backend{Index: ix, Root: root}, func() {}
	}
	calls := dashboard.New(t.Context(), figures, dashboard.NewMetrics(), "1.0")
	calls.Register(mux)
	pages := New(Options{
		Figures: calls,
		Acquire: func(context.Context) (*index.Index, func(), error) { return ix, func() {}, nil },
		Me:      func(context.Context) string { return "ann" }, Log: slog.New(slog.DiscardHandler),
	})
	pages.Register(mux)
	return &testSite{transport.Guard(transport.ListenOptions{}, slog.New(slog.DiscardHandler), mux), root, pages}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *testSite) get(t testing.TB, target string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, http.NoBody)
	r.Host = "localhost:8080"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// page is the text of a page that must be found.
func (s *testSite) page(t testing.TB, target string) string {
	t.Helper()
	w := s.get(t, target)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d\n%s", target, w.Code, w.Body)
	}
	return w.Body.String()
}

// issue is a document of the issues; fields are lines of its frontmatter.
func issue(n int, title, body string, fields ...string) (name, text string) {
	return fmt.Sprintf(".wrangler/issues/ISS-%06d-x.md", n),
		fmt.Sprintf("---\nid: ISS-%06d\ntitle: %s\n%s\n---\n%s", n, title, strings.Join(fields, "\n"), body)
}

// sample is a workspace of documents that are linked with each other.
func sample() files {
	f := files{}
	add := func(n int, title, body string, fields ...string) {
		name, text := issue(n, title, body, fields...)
		f[name] = text
	}
	add(1, "Write the parser", "Then ISS-000002, [its notes](ISS-000003-x.md#Why) and [[ISS-000004]]. Not `ISS-000002`.\n\n- [x] first\n- [ ] second\n", "status: open", "priority: high", "labels: [api]")
	add(2, "Use the parser", "", "status: open", "dependsOn: [ISS-000001, ISS-000099]")
	add(3, "Round one", "## Why\n", "status: in_progress", "assignee: ann", "dependsOn: [ISS-000004]")
	add(4, "Round two", "", "status: open", "dependsOn: [ISS-000003]")
	wide := strings.Repeat("wide_", 100)
	add(5, "Old", "### Table\n\n| a | b |\n|---|---|\n| "+wide+" | c |\n\n```\n"+wide+"\n```\n", "status: closed", "assignee: "+wide)
	f[".wrangler/views.yaml"] = "hot:\n  where: priority = high\nboards:\n  mine:\n    columns:\n      - {name: Mine, where: assignee = @me}\n"
	f[".wrangler/sessions/2026-01-22-abc1234-0a1b/context.json"] = `{"id":"2026-01-22-abc1234-0a1b","status":"running","currentPhase":"plan","tasksPending":["write"]}`
	return f
}

func TestPagesSayWhatTheWorkspaceHas(t *testing.T) {
	s := serve(t, sample())
	for target, wants := range map[string][]string{
		"/":                        {"<b>5</b> documents", "Ready", `href="/d/ISS-000001"`, "In progress", "Round one"},
		"/list":                    {"4 documents.", "Write the parser", "Open <span class=\"n\">4<"},
		"/list?view=all":           {"5 documents.", "Old"},
		"/list?view=done":          {"1 document.", "Old"},
		"/list?view=mine":          {"1 document.", "Round one"},
		"/list?where=is:ready":     {"1 document.", "Write the parser"},
		"/list?view=hot":           {"1 document.", "Write the parser", `aria-current="page">Hot</a>`},
		"/list?where=label:nosuch": {"No document matches", "view=all"},
		"/search?q=parser":         {"2 documents with", "Use the parser"},
		"/search":                  {"Every word must occur"},
		"/board":                   {">Ready <", ">In progress <", ">Closed <", "2 not ready"},
		"/board?board=mine":        {">Mine <", "Round one"},
		"/d/ISS-000001":            {"Write the parser", `aria-label="box 2"`, "Holds up", "1/2", `href="/list?view=all&amp;where=labels`},
		"/d/iss-1":                 {"Write the parser"},
		"/d?path=.wrangler/issues/ISS-000001-x.md": {"Write the parser"},
		"/d/ISS-000002":                     {"Waits for", "ISS-000099", "unknown", "waits for ISS-000001", "Mentioned in"},
		"/graph":                            {"3 documents waiting", "close a circle", "<svg", "ISS-000099"},
		"/agents":                           {"2026-01-22-abc1234-0a1b", "running", "No document was closed today."},
		"/problems":                         {"Waiting for an unknown document", "Use the parser"},
		"/sessions/2026-01-22-abc1234-0a1b": {"write", "plan"},
		"/app.js":                           {"use strict"},
		"/style.css":                        {"light-dark("},
		"/icons.svg":                        {`id="s-ready"`},
	} {
		text := s.page(t, target)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not have %q", target, want)
			}
		}
	}
}

func TestErrorsArePagesThatSayWhatToDo(t *testing.T) {
	s := serve(t, sample())
	for target, want := range map[string]struct {
		code int
		says string
	}{
		"/nothing":                 {404, "There is no such page"},
		"/d/ISS-000077":            {404, "ISS-000077"},
		"/d/":                      {404, "There is no such page"},
		"/d?path=../../etc/passwd": {400, "class=\"hint\""},
		"/d?path=/etc/passwd":      {400, "class=\"hint\""},
		"/list?where=priority+%3D": {400, "column"},
		"/list?view=nosuch":        {400, "no view is called &#39;nosuch&#39;"},
		"/list?cursor=abc":         {400, "cursor"},
		"/board?board=nosuch":      {404, "no board of this name"},
		"/graph?under=ISS-000077":  {404, "ISS-000077"},
		"/sessions/nosuch":         {404, "no such session"},
	} {
		w := s.get(t, target)
		if w.Code != want.code || !strings.Contains(w.Body.String(), want.says) || !strings.Contains(w.Body.String(), "<nav") {
			t.Errorf("%s: %d\n%s", target, w.Code, w.Body)
		}
	}
}

func TestTextNamesDocumentsByLinks(t *testing.T) {
	text := serve(t, sample()).page(t, "/d/ISS-000001")
	for _, want := range []string{
		`Then <a href="/d/ISS-000002">ISS-000002</a>`, `<a href="/d/ISS-000003#h-why">its notes</a>`, `[[<a href="/d/ISS-000004">ISS-000004</a>]]`, `<code>ISS-000002</code>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not have %s:\n%s", want, text)
		}
	}
}

func TestTextsCanBeReadByHeadingsAndKeys(t *testing.T) {
	const text = "### Why\n\n##### Deep\n\n## Then\n\n> #### Quoted\n\n    code\n\n| a |\n|---|\n| b |\n\n`<pre>` <table class=x>\n\n# Last\n\n### Below\n"
	name, document := issue(1, "Levels", text)
	page := serve(t, files{name: document}).page(t, "/d/ISS-000001")
	var headings []string
	for _, found := range regexp.MustCompile(`<h(\d) id="h-([a-z]+)"`).FindAllStringSubmatch(page, -1) {
		headings = append(headings, found[1]+" "+found[2])
	}
	if got, want := strings.Join(headings, ", "), "2 why, 3 deep, 2 then, 3 quoted, 2 last, 3 below"; got != want {
		t.Errorf("the headings are %s, not %s", got, want)
	}
	for _, want := range []string{`<pre tabindex="0"><code>code`, `<table tabindex="0">`, `<code>&lt;pre&gt;</code>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the text does not have %s:\n%s", want, page)
		}
	}
}

func TestCursorsPageThroughEveryDocumentOnce(t *testing.T) {
	f := files{}
	const documents = 2*pageRows + 7
	for n := 1; n <= documents; n++ {
		name, text := issue(n, "Same words", "", "status: open")
		f[name] = text
	}
	s := serve(t, f)
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	row := regexp.MustCompile(`<a class="cover" href="/d/([^"]+)"`)
	for _, first := range []string{"/list", "/search?q=words", "/list?where=status+%3D+open"} {
		seen, pages := map[string]bool{}, 0
		for target := first; target != ""; pages++ {
			text := s.page(t, target)
			for _, found := range row.FindAllStringSubmatch(text, -1) {
				if seen[found[1]] {
					t.Errorf("%s shows %s twice", first, found[1])
				}
				seen[found[1]] = true
			}
			target = ""
			if found := next.FindStringSubmatch(text); found != nil {
				target = strings.ReplaceAll(found[1], "&amp;", "&")
			}
		}
		if len(seen) != documents || pages != 3 {
			t.Errorf("%s shows %d documents on %d pages", first, len(seen), pages)
		}
	}
}

func TestDocumentsThatShareAnIDHavePages(t *testing.T) {
	_, text := issue(1, "One", "")
	s := serve(t, files{".wrangler/issues/a.md": text, ".wrangler/issues/b c.md": text})
	list := s.page(t, "/list")
	for _, want := range []string{`/d?path=.wrangler%2Fissues%2Fa.md`, `/d?path=.wrangler%2Fissues%2Fb&#43;c.md`} {
		if !strings.Contains(list, want) {
			t.Errorf("the list does not have %s", want)
		}
	}
	s.page(t, "/d?path=.wrangler%2Fissues%2Fb+c.md")
	if w := s.get(t, "/d/ISS-000001"); w.Code != http.StatusMultipleChoices || !strings.Contains(w.Body.String(), `<a href="/d?path=.wrangler%2Fissues%2Fa.md">`) {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
}

func TestPagesAreBounded(t *testing.T) {
	f := files{}
	long := strings.Repeat("long ", 2000)
	for n := 1; n <= 400; n++ {
		name, text := issue(n, long, "", "status: open", "assignee: "+long, "labels: ["+strings.Repeat("x, ", 100)+long+"]", fmt.Sprintf("dependsOn: [ISS-%06d]", n+1))
		f[name] = text
	}
	var ids []string
	for n := range 300 {
		ids = append(ids, fmt.Sprintf("ISS-%06d", 1000+n))
	}
	for n := 401; n <= 402; n++ {
		name, text := issue(n, "Waits for much", "", "status: open", "priority: critical", "dependsOn: ["+strings.Join(ids, ", ")+"]")
		f[name] = text
	}
	f[".wrangler/issues/ISS-000900-x.md"] = "---\nid: ISS-000900\ntitle: x\n---\n" + strings.Repeat("[a](", 80_000)
	s := serve(t, f)
	for _, target := range []string{"/", "/list", "/search?q=long", "/board", "/graph", "/agents", "/problems", "/d/ISS-000001", "/d/ISS-000900"} {
		const most = 1200 << 10
		if size := len(s.page(t, target)); size > most {
			t.Errorf("%s has %d bytes", target, size)
		}
	}
	if text := s.page(t, "/graph"); !strings.Contains(text, "and 270 more") {
		t.Error("the graph draws all that a document waits for")
	}
	if text := s.page(t, "/d/ISS-000900"); !strings.Contains(text, "Shown as it stands in the file: it is longer than 256 KiB") {
		t.Error("a costly text is rendered")
	}
}

// A browser that goes elsewhere has its page ask nothing more, at whichever statement that is.
func TestAPageThatIsGivenUpAsksNothingMore(t *testing.T) {
	t.Parallel()
	s := serve(t, sample())
	for _, target := range []string{"/", "/list", "/search?q=rain", "/board", "/d/ISS-000001", "/d/ISS-000001/edit", "/graph", "/graph?at=ISS-000003", "/agents", "/problems", "/new"} {
		for n, all := 1, 2; n < all; n++ {
			statements := asked(s, target, n)
			atOnce := 1
			if target == "/" {
				atOnce = 6 // its parts, of which each may have begun a statement
			}
			if len(statements) >= n+atOnce {
				t.Errorf("%s, given up at statement %d, asks %d more, the first of them %s", target, n, len(statements)-n, statements[n])
			}
			all = len(asked(s, target, 0))
		}
	}
}

// asked returns what a page asks of the index when it is given up at its n-th statement, 0 for
// never.
func asked(s *testSite, target string, n int) (statements []string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex
	ctx = sqlfile.WithObserver(ctx, func(query string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(query, "unwatched") {
			return // what brings the index up to date is for the next request, too, and goes on
		}
		if statements = append(statements, query); len(statements) == n {
			cancel()
		}
	})
	r := httptest.NewRequest(http.MethodGet, target, http.NoBody).WithContext(ctx)
	r.Host = "localhost"
	s.ServeHTTP(httptest.NewRecorder(), r)
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(statements)
}
