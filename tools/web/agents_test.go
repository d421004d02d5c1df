package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/edit"
	"issues-index/store/cachedir"
	"issues-index/tools"
	"issues-index/tools/dashboard"
	"issues-index/tools/telemetry"
)

// agentsSite serves a workspace with a record of calls, whose file is at a path; "" is telemetry that is
// off.
func agentsSite(t *testing.T, f files, record string) (*testSite, *index.Index) {
	t.Helper()
	s := editable(t, f)
	ix, release, err := s.pages.Acquire(t.Context())
	check(t, err)
	t.Cleanup(release)
	backend := dashboard.Backend{Index: ix, Root: s.root}
	if record != "" {
		backend.Calls = &telemetry.Log{Paths: []string{record}}
	}
	s.pages.Figures = dashboard.New(t.Context(), func(context.Context) (dashboard.Backend, func()) { return backend, func() {} }, dashboard.NewMetrics(), "1.0")
	return s, ix
}

// record writes calls into a record at a path.
func record(t *testing.T, path string, calls ...tools.Call) {
	t.Helper()
	r := telemetry.New(telemetry.Options{
		Place: func(context.Context) (*cachedir.Dir, string, error) {
			dir, err := cachedir.Open(filepath.Dir(path), 0o777)
			return dir, filepath.Base(path), err
		},
		Settings: func() telemetry.RecorderSettings {
			return telemetry.RecorderSettings{Enabled: true, MaxAge: 30 * 24 * time.Hour, MaxSize: 50_000_000}
		},
	})
	defer r.Close()
	for _, c := range calls {
		r.Record(c)
	}
	check(t, r.Flush(t.Context()))
}

// mustClaim claims a document for a holder, until after a time.
func mustClaim(t *testing.T, ix *index.Index, id, holder string, length time.Duration) {
	t.Helper()
	_, err := edit.New(ix, edit.LockWait).Claim(t.Context(), edit.DocumentRef{ID: id}, edit.ClaimRequest{Holder: holder, Length: length})
	check(t, err)
}

// lapse makes every claim of a holder lapse.
func lapse(t *testing.T, ix *index.Index, holder string) {
	t.Helper()
	all, err := ix.Leases().OfHolder(t.Context(), holder)
	check(t, err)
	for _, one := range all {
		_, err = ix.Leases().Extend(t.Context(), one, claims.MinLength, false, time.Now().Add(-time.Hour))
		check(t, err)
	}
}

var (
	tags   = regexp.MustCompile(`<[^>]*>`)
	blanks = regexp.MustCompile(`\s+`)
)

// readText is the text of a page without its tags.
func readText(page string) string {
	_, page, _ = strings.Cut(page, "<main")
	return blanks.ReplaceAllString(tags.ReplaceAllString(page, " "), " ")
}

func TestAgentsShowWhoWorksOnWhat(t *testing.T) {
	f := sample()
	name, text := issue(6, "Lapsed work", "", "status: open")
	f[name] = text
	name, text = issue(7, "Finished work", "- [x] all\n", "status: open")
	f[name] = text
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s, ix := agentsSite(t, f, path)
	mustClaim(t, ix, "ISS-000001", "claude-code/k2xq", 0)
	mustClaim(t, ix, "ISS-000004", "claude-code/6vfm", 0)
	mustClaim(t, ix, "ISS-000006", "codex/9d1e", 0)
	lapse(t, ix, "codex/9d1e")
	mustClaim(t, ix, "ISS-000002", "ada@desk", 0)
	_, err := edit.New(ix, edit.LockWait).Complete(t.Context(), edit.DocumentRef{ID: "ISS-000007"}, "")
	check(t, err)
	call := func(client string, ago time.Duration) tools.Call {
		return tools.Call{Time: time.Now().Add(-ago), Tool: "issues_list", Client: client, Bytes: 2000, Original: 8000, Tokens: 600, Latency: 2 * time.Millisecond}
	}
	record(t, path, call("claude-code 2.1.0", time.Second), call("claude-code 2.1.0", 2*time.Second), call("claude-code 2.0.0", 3*time.Second),
		call("gemini-cli 0.5", 3*time.Second), call("yesterday 1", 100*time.Hour))

	page := s.page(t, "/agents")
	said := readText(page)
	for _, want := range []string{
		"3 at work", "1 idle", "1 claim lapsed", "Write the parser", "Round two", "ISS-000001", "1/2", "3 calls in the last hour",
		"gemini-cli 0.5 nothing", "Lapsed work codex/9d1e Release", "Finished work", "1/1", "2026-01-22-abc1234-0a1b", "running",
	} {
		if !strings.Contains(said+page, want) {
			t.Errorf("the page does not have %q:\n%s", want, said)
		}
	}
	for why, want := range map[string]string{
		"the calls of a program are those of its sessions together": `rowspan="2"`,
		"an agent is square": `<span class="av bot" aria-hidden="true">CK</span><b>claude-code/k2xq</b>`,
		"a person is round":  `<span class="av" aria-hidden="true">AD</span><b>ada@desk</b>`,
	} {
		if strings.Count(page, want) == 0 {
			t.Errorf("%s: there is no %s", why, want)
		}
	}
	if strings.Contains(said, "yesterday") {
		t.Error("a client is idle that has not called in the last hour")
	}

	t.Run("a lapsed claim is released by one click, and a claim in force is not", func(t *testing.T) {
		form := func(page string) url.Values {
			_, page, _ = strings.Cut(page, `action="/release"`)
			page, _, _ = strings.Cut(page, `</form>`)
			return formOf(t, `<form class="edit"`+page)
		}
		lapsed := form(page)
		mustClaim(t, ix, "ISS-000006", "codex/9d1e", 0) // it is back
		if w := s.post(t, "/release", lapsed); w.Code != http.StatusConflict {
			t.Errorf("a claim in force: %d\n%s", w.Code, w.Body)
		}
		lapse(t, ix, "codex/9d1e")
		w := s.post(t, "/release", form(s.page(t, "/agents")))
		if w.Code != http.StatusSeeOther || leadsTo(w) != "/agents" {
			t.Fatalf("%d to %s\n%s", w.Code, w.Header().Get("Location"), w.Body)
		}
		page := s.page(t, w.Header().Get("Location"))
		if !strings.Contains(page, "ISS-000006 is open now.") || !strings.Contains(page, "No claim has lapsed.") || !strings.Contains(page, `action="/undo"`) {
			t.Errorf("after it:\n%s", readText(page))
		}
		s.pages.Edit = false
		if strings.Contains(s.page(t, "/agents"), "<form method") {
			t.Error("who may only read has a form that writes")
		}
	})
}

func TestAgentsShowTheFiguresOfARange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s, _ := agentsSite(t, sample(), path)
	var calls []tools.Call
	for i := range 30 {
		c := tools.Call{Time: time.Now().Add(-time.Duration(i) * time.Second), Tool: "issues_list", Client: "test 1", Outcome: tools.OutcomePaginated,
			Bytes: 2000, Original: 8000, Tokens: 600, Budget: 4000, Over: i < 10, Latency: 2 * time.Millisecond}
		if i >= 20 {
			c.Time, c.Outcome, c.Failed, c.Tool = c.Time.Add(-240*time.Hour), tools.Outcome(tools.CodeIssueNotFound), true, "issues_get"
		}
		calls = append(calls, c)
	}
	record(t, path, calls...)
	hour, month := s.page(t, "/agents"), s.page(t, "/agents?range=30d")
	for text, wants := range map[string][]string{
		readText(hour): {
			"Calls 20 0 with an error", "Reduction 75 % 40 kB of 160 kB", "Paginated 100 % 20 answers", "Size 2 kB median; p95 2 kB", "Latency 2 ms median; p95 2 ms",
			"Oversized 50 % if uncut; 10 sent so", "issues_list 20 0 2 kB 2 kB 600 2 ms 2 ms 75 %",
			"Alert: 50 % of the last hour's 20 answers would have been larger than their budget: more than 5 %.",
		},
		readText(month): {"Calls 30 10 with an error", "issues_get 10 10"},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("there is no %q in\n%s", want, text)
			}
		}
	}
	charts := regexp.MustCompile(`<svg viewBox="0 0 300 64" [^>]*aria-label="([^"]{20,})">(<g><title>[^<]+</title><rect )`).FindAllString(hour, -1)
	if len(charts) != 6 {
		t.Errorf("%d charts have a text and bars: %q", len(charts), charts)
	}
	if w := s.get(t, "/agents?range=1y"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "30d") {
		t.Errorf("an unknown range: %d", w.Code)
	}
}

// What is wrong with the record of calls leaves the rest of the page.
func TestAgentsAreShownWithoutARecordOfCalls(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "telemetry.db")
	check(t, os.WriteFile(foreign, []byte("no database, but a text that is long enough to be looked at as one\n"), 0o644))
	for why, c := range map[string]struct{ path, says string }{
		"telemetry is off":           {"", "Telemetry is switched off"},
		"no call yet":                {filepath.Join(t.TempDir(), "no", "folder", "telemetry.db"), "No calls in this time range."},
		"the file cannot be read":    {foreign, "The calls on record cannot be read"},
		"the file is not one at all": {t.TempDir(), "The calls on record cannot be read"},
	} {
		s, ix := agentsSite(t, sample(), c.path)
		mustClaim(t, ix, "ISS-000001", "claude-code/k2xq", 0)
		said := readText(s.page(t, "/agents"))
		for _, want := range []string{c.says, "1 at work", "claude-code/k2xq Write the parser"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: there is no %q in\n%s", why, want, said)
			}
		}
	}
}

// What is wrong with the index leaves the figures of calls.
func TestAgentsAreShownWithoutAnIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s, ix := agentsSite(t, sample(), path)
	record(t, path, tools.Call{Time: time.Now(), Tool: "issues_list", Client: "test 1"})
	check(t, ix.Close())
	page := s.page(t, "/agents")
	if said := readText(page); !strings.Contains(page, `role="alert"`) || !strings.Contains(said, "issues_list 1 0") {
		t.Error(said)
	}
}

func TestAgentsSayWhatToDoFirst(t *testing.T) {
	s, _ := agentsSite(t, files{}, filepath.Join(t.TempDir(), "telemetry.db"))
	if said := readText(s.page(t, "/agents")); !strings.Contains(said, "No agent has called yet") || !strings.Contains(said, "issues-index init --client claude") {
		t.Error(said)
	}
	s, ix := agentsSite(t, sample(), "")
	mustClaim(t, ix, "ISS-000001", "claude-code/k2xq", 0)
	if said := readText(s.page(t, "/agents")); strings.Contains(said, "No agent has called yet") {
		t.Error(said)
	}
}

func TestEachTableOfAgentsIsBoundedAndSaysSo(t *testing.T) {
	f := files{}
	for n := 1; n <= 2*agentRows+20; n++ {
		name, text := issue(n, "Work", "", "status: open")
		f[name] = text
	}
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s, ix := agentsSite(t, f, path)
	var calls []tools.Call
	for n := 1; n <= 2*agentRows+20; n++ {
		holder := fmt.Sprintf("agent-%d/x", n%3)
		if n > agentRows+10 {
			holder = "gone/x"
		}
		mustClaim(t, ix, fmt.Sprintf("ISS-%06d", n), holder, 0)
		calls = append(calls, tools.Call{Time: time.Now(), Tool: "issues_list", Client: fmt.Sprintf("idle-%d 1", n)})
	}
	lapse(t, ix, "gone/x")
	record(t, path, calls...)
	page := s.page(t, "/agents")
	if rows := strings.Count(page, `<th scope="row" class="c-t">`); rows != 2*agentRows || !strings.Contains(page, "and 10 more claims") {
		t.Errorf("%d rows", rows)
	}
	if forms := strings.Count(page, `action="/release"`); forms != agentRows || !strings.Contains(page, "60 claims") && !strings.Contains(page, "<b>60</b> claims") {
		t.Errorf("%d lapsed claims", forms)
	}
}

func TestFormerPathsLeadToTheAgents(t *testing.T) {
	s, _ := agentsSite(t, sample(), "")
	for target, want := range map[string]string{"/sessions": "/agents#sessions", "/figures": "/agents#figures"} {
		if w := s.get(t, target); w.Code != http.StatusSeeOther || w.Header().Get("Location") != want || !strings.Contains(s.page(t, "/agents"), `id="`+want[len("/agents#"):]+`"`) {
			t.Errorf("%s: %d to %q", target, w.Code, w.Header().Get("Location"))
		}
	}
}

// Clients choose their names, and ask for tools that are none.
func TestHostileNamesOfClientsAreInert(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s, ix := agentsSite(t, sample(), path)
	var calls []tools.Call
	for _, p := range payloads {
		calls = append(calls, tools.Call{Time: time.Now(), Tool: p, Client: p + " 1"})
	}
	record(t, path, calls...)
	mustClaim(t, ix, "ISS-000001", claims.HolderName(payloads...), 0)
	page := s.page(t, "/agents")
	for _, what := range harmful(t, page) {
		t.Errorf("the page has %s", what)
	}
	if !strings.Contains(page, "&lt;script&gt;alert(1)&lt;/script&gt; 1") {
		t.Error("the page does not show the names")
	}
}
