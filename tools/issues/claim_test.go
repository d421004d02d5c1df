package issues

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/db"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// A claimFixture is a workspace with agents of several sessions, and a clock that the test
// moves.
type claimFixture struct {
	root  string
	ix    *index.Index
	clock *time.Time
}

func claimsIn(t *testing.T, documents ...string) claimFixture {
	t.Helper()
	root := t.TempDir()
	for i, fields := range documents {
		id := fmt.Sprintf("ISS-%06d", i+1)
		toolstest.Write(t, root, ".wrangler/issues/"+id+".md", fmt.Sprintf("---\nid: %s\ntitle: Number %d\n%s\n---\nText.\n", id, i+1, fields))
	}
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: index.ModeVerify, Path: db.MemoryPath})
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
	return claimFixture{root, ix, &now}
}

// agent is a client in a session of its own.
func (f claimFixture) agent(t *testing.T, session string) *toolstest.Client {
	t.Helper()
	return toolstest.NewClientNamed(t, "Tester  ONE", tools.Config{Session: session, Toolsets: []tools.Toolset{Toolset(f.ix)}})
}

type object = map[string]any

func callClaim(t *testing.T, c *toolstest.Client, arguments object) (claimAnswer, string) {
	t.Helper()
	return toolstest.Must[claimAnswer](t, c, claimName, arguments)
}

func TestClaimNext(t *testing.T) {
	f := claimsIn(t, "priority: low", "priority: high\nlabels: [search]", "dependsOn: [ISS-000001]")
	one, two := f.agent(t, "s1"), f.agent(t, "s2")
	got, text := callClaim(t, one, object{"operation": "next"})
	if got.ID != "ISS-000002" || got.Holder != "tester-one/s1" || got.Until != "2026-03-10T16:00:00Z" || got.Fence == 0 || got.Version == "" {
		t.Errorf("%+v", got)
	}
	want := fmt.Sprintf("Claimed ISS-000002 high \"Number 2\", until 2026-03-10T16:00:00Z (any write of yours renews it).\n"+
		"holder: tester-one/s1\nfence: %d\npath: .wrangler/issues/ISS-000002.md\nversion: %s", got.Fence, got.Version)
	if text != want {
		t.Errorf("%q, want %q", text, want)
	}
	if got, _ := callClaim(t, two, object{"operation": "next", "agentId": "Code Reviewer"}); got.ID != "ISS-000001" || got.Holder != "tester-one/s2/code-reviewer" {
		t.Errorf("%+v", got)
	}
	idle, text := callClaim(t, two, object{"operation": "next"})
	if idle.ID != "" || idle.Waiting != 1 || idle.Claimed != 2 ||
		text != "Nothing is ready: 1 waits for others (issues_list {blocked: true}), 2 are claimed (issues_list {status: ['in_progress']})." {
		t.Errorf("%+v, %s", idle, text)
	}
	t.Run("takes filters inside an object and outside of one", func(t *testing.T) {
		for _, arguments := range []object{
			{"operation": "next", "filters": object{"labels": []string{"search"}}},
			{"operation": "next", "labels": []string{"search"}},
			{"operation": "next", "filters": object{"priority": []string{"high"}}},
			{"operation": "next", "filters": object{"where": "priority < critical and assignee = @me or label:search"}},
			{"operation": "next", "where": "label:search is:ready"},
		} {
			f := claimsIn(t, "priority: critical", "priority: high\nlabels: [search]")
			if got, _ := callClaim(t, f.agent(t, "s1"), arguments); got.ID != "ISS-000002" {
				t.Errorf("%v: %+v", arguments, got)
			}
		}
	})
	t.Run("answers in under 300 tokens, whatever the title", func(t *testing.T) {
		f := claimsIn(t, "title: "+strings.Repeat("長い ", 300), "assignee: somebody", "dependsOn: [ISS-000001]")
		_, text := callClaim(t, f.agent(t, "s1"), object{"operation": "next"})
		_, idle := callClaim(t, f.agent(t, "s1"), object{"operation": "next"})
		for _, text := range []string{text, idle} {
			if tokens := answer.Estimate(len(text)); tokens > 300 {
				t.Errorf("%d tokens: %s", tokens, text)
			}
		}
	})
}

// TestNothingIsClaimedByAFilterThatLeavesNoneAloud: an agent must not stop while there is work.
func TestNothingIsClaimedByAFilterThatLeavesNoneAloud(t *testing.T) {
	f := claimsIn(t, "labels: [a]", "project: p", "dependsOn: [ISS-000001]\nlabels: [b]")
	c := f.agent(t, "k3f9q2")
	for _, test := range []struct {
		filters object
		want    string
	}{
		{object{"labels": []string{"nope"}}, "Nothing is ready that fits labels. 2 are ready without the filters."},
		{object{"labels": []string{"b"}, "project": "q"}, "Nothing is ready that fits labels, nor project. 2 are ready without the filters."},
		{object{"labels": []string{"a"}, "project": "p"}, "Nothing is ready that fits all filters together. 2 are ready without the filters."},
		{object{"labels": []string{"b"}}, "Nothing is ready that fits labels: 1 waits for others (issues_list {blocked: true}). 2 are ready without the filters."},
	} {
		if got, text := callClaim(t, c, object{"operation": "next", "filters": test.filters}); text != test.want || got.Note != test.want || got.ID != "" {
			t.Errorf("%v: %s\nwant %s", test.filters, text, test.want)
		}
	}
}

func TestClaimRenewAndRelease(t *testing.T) {
	f := claimsIn(t, "", "")
	one, two := f.agent(t, "s1"), f.agent(t, "s2")
	callClaim(t, one, object{"operation": "claim", "id": "iss-1", "leaseMinutes": 30})
	refused := two.Call(t, claimName, object{"operation": "claim", "id": "ISS-000001"})
	if !refused.IsError || refused.Meta.Error.Code != "CONFLICT" || !strings.Contains(refused.Text(), "ISS-000001 is claimed by tester-one/s1 until 2026-03-10 12:30:00 UTC. Nothing was changed.") {
		t.Errorf("%s", refused.Text())
	}
	*f.clock = f.clock.Add(time.Minute)
	if got, text := callClaim(t, one, object{"operation": "renew", "id": 1}); got.Until != "2026-03-10T12:31:00Z" || !strings.HasPrefix(text, "Renewed ISS-000001") {
		t.Errorf("%+v, %s", got, text)
	}
	t.Run("issues_get and issues_list show who works on it, and issues_list finds it", func(t *testing.T) {
		got, text := toolstest.Must[issueAnswer](t, two, "issues_get", object{"id": "ISS-000001", "fields": []string{"status"}})
		if c := got.Issue.Claim; c == nil || c.Holder != "tester-one/s1" || c.Stale || !strings.Contains(text, "\nclaim: tester-one/s1 until 2026-03-10T12:31:00Z") {
			t.Error(text)
		}
		for claimedBy, want := range map[string]int{"tester-one/s1": 1, "Tester One": 1, "tester-one/s2": 0, "tester": 0} {
			got, _ := toolstest.Must[rowsPage](t, two, "issues_list", object{"claimedBy": claimedBy})
			if got.TotalCount != want {
				t.Errorf("of %s it finds %d", claimedBy, got.TotalCount)
			}
		}
		for _, asked := range []object{
			{"claimedBy": "me"}, {"claimedBy": "@me"}, {"assignee": "me"}, {"assignee": "@Me"},
			{"where": "assignee = me"}, {"where": "assignee = @me"}, {"claimedBy": "me", "where": "assignee = @me"},
		} {
			got, text := toolstest.Must[rowsPage](t, one, "issues_list", asked)
			if got.TotalCount != 1 || !strings.Contains(text, " claimed by tester-one/s1 until 2026-03-10T12:31:00Z") {
				t.Errorf("of the caller, %v finds %d: %s", asked, got.TotalCount, text)
			}
		}
	})
	if released := two.Call(t, claimName, object{"operation": "release", "id": "ISS-000001"}); !released.IsError {
		t.Errorf("%s", released.Text())
	}
	_, text := callClaim(t, one, object{"operation": "release", "id": "ISS-000001", "reason": "Needs a decision."})
	if !strings.HasPrefix(text, `Released ISS-000001 "Number 1": it is open and has no assignee.`) {
		t.Error(text)
	}
	_, text = callClaim(t, one, object{"operation": "release", "id": "ISS-000001", "reason": "Not mine at all."})
	if !strings.Contains(text, "The reason was not written down, since it has no holder: issues_edit {op: 'append'} writes it.") {
		t.Error(text)
	}
	if got, _ := callClaim(t, two, object{"operation": "claim", "id": "ISS-000001"}); got.ID == "" {
		t.Errorf("%+v", got)
	}
}

// A claim by id is the caller's decision, also of work that is not ready: the answer says so.
func TestClaimOfWorkThatIsNotReady(t *testing.T) {
	for name, c := range map[string]struct{ fields, note string }{
		"it waits":                      {"dependsOn: [ISS-000002]", "waits for ISS-000002 open"},
		"nobody knows what it awaits":   {"dependsOn: [ISS-000099]", "waits for unknown ISS-000099"},
		"several may be what it awaits": {"dependsOn: [3]", "waits for ambiguous 3"},
		"it is deferred":                {"deferUntil: 2999-01-01", "deferred until 2999-01-01"},
		"its children come first":       {"labels: [epic]", "has 1 unfinished child document"},
		"several reasons":               {"labels: [epic]\ndependsOn: [ISS-000002]", "waits for ISS-000002 open, has 1 unfinished child document"},
		"it is ready":                   {"dependsOn: [ISS-000005]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			child := ""
			if strings.Contains(c.fields, "epic") {
				child = "parent: ISS-000001"
			}
			f := claimsIn(t, c.fields, "", "", child, "status: closed")
			toolstest.Write(t, f.root, ".wrangler/specifications/SPEC-000003.md", "---\nid: SPEC-000003\ntitle: Another 3\n---\n")
			one := f.agent(t, "s1")
			for _, again := range []bool{false, true} {
				got, text := callClaim(t, one, object{"operation": "claim", "id": ".wrangler/issues/ISS-000001.md"})
				if got.ID != "ISS-000001" || (c.note != "") != strings.Contains(text, "not ready: ") || !strings.Contains(text, c.note) {
					t.Errorf("again %t: %s", again, text)
				}
			}
		})
	}
}

func TestTheFormerHolderIsTold(t *testing.T) {
	f := claimsIn(t, "")
	one, two := f.agent(t, "s1"), f.agent(t, "s2")
	callClaim(t, one, object{"operation": "next"})
	*f.clock = f.clock.Add(4 * time.Hour)
	lapsed := "the claim of tester-one/s1 on ISS-000001 lapsed at 2026-03-10T16:00:00Z"
	for n, want := range []bool{true, false} {
		if text := one.Call(t, "issues_list", object{}).Text(); strings.Contains(text, lapsed+"; issues_claim {operation: 'renew', id: 'ISS-000001'} or any write renews it") != want {
			t.Errorf("call %d: %s", n, text)
		}
	}
	*f.clock = f.clock.Add(time.Hour)
	if got, text := callClaim(t, two, object{"operation": "next"}); got.Former != "tester-one/s1" || !strings.Contains(text, "The claim of tester-one/s1 had lapsed: look at what was done already.") {
		t.Errorf("%s", text)
	}
	if answer := one.Call(t, "issues_get", object{"id": "ISS-000099"}); !answer.IsError { // an error tells nothing else
		t.Error(answer.Text())
	}
	for n, want := range []bool{true, false} {
		if text := one.Call(t, "issues_stats", object{"groupBy": "status"}).Text(); strings.Contains(text, lapsed+", and tester-one/s2 holds it now") != want {
			t.Errorf("call %d: %s", n, text)
		}
	}
	if text := one.Call(t, claimName, object{"operation": "renew", "id": "ISS-000001"}).Text(); !strings.Contains(text, "ISS-000001 is claimed by tester-one/s2") {
		t.Error(text)
	}
}

// Whoever changes what another has claimed is told so, and its holder what has become of it.
func TestAChangeUnderTheClaimOfAnother(t *testing.T) {
	const held = "ISS-000001 is claimed by tester-one/s1 until 2026-03-10T16:00:00Z"
	const over = "this has ended the claim of tester-one/s1 on ISS-000001, which counted until 2026-03-10T16:00:00Z"
	const was = "the claim of tester-one/s1 on ISS-000001 ended at 2026-03-10T12:00:00Z: tester-one/s2 "
	for name, c := range map[string]struct {
		tool      string
		arguments object
		note      string // to the one who writes
		told      string // to the holder, with the next call
		renew     string
	}{
		"a field":        {"issues_update", object{"id": "ISS-000001", "priority": "high"}, held, "", "Renewed ISS-000001"},
		"the text":       {"issues_edit", object{"id": "ISS-000001", "edits": []object{{"op": "append", "text": "More."}}}, held, "", "Renewed ISS-000001"},
		"a label":        {"issues_labels", object{"operation": "add", "issueId": "ISS-000001", "labels": []string{"new"}}, held, "", "Renewed ISS-000001"},
		"one of several": {"issues_update_batch", object{"updates": []object{{"id": "ISS-000001", "priority": "high"}, {"id": "ISS-000002", "priority": "high"}}}, held, "", "Renewed ISS-000001"},
		"nothing":        {"issues_update", object{"id": "ISS-000001", "priority": "low"}, "", "", "Renewed ISS-000001"},
		"completion": {"issues_mark_complete", object{"id": "ISS-000001"}, over, was + "set it closed",
			"ISS-000001 is closed; tester-one/s2 ended your claim at 2026-03-10 12:00:00 UTC. Nothing was changed. Take other work with issues_claim {operation: 'next'}"},
		"a status": {"issues_update", object{"id": "ISS-000001", "status": "open", "assignee": ""}, over, was + "set it open",
			"You hold no claim on ISS-000001: it is open; tester-one/s2 ended your claim at 2026-03-10 12:00:00 UTC. Nothing was changed. Claim it with"},
		"an assignee": {"issues_update", object{"id": "ISS-000001", "assignee": "cleo"}, over, was + "set it in_progress and assigned it to cleo",
			"ISS-000001 is in progress without a claim, assigned to cleo; tester-one/s2 ended your claim at 2026-03-10 12:00:00 UTC."},
		"deletion": {"issues_delete", object{"id": "ISS-000001", "confirm": true}, over, was + "deleted it", "Issue ISS-000001 not found"},
	} {
		t.Run(name, func(t *testing.T) {
			f := claimsIn(t, "priority: low", "")
			one, two := f.agent(t, "s1"), f.agent(t, "s2")
			callClaim(t, one, object{"operation": "claim", "id": "ISS-000001"})
			answer := two.Call(t, c.tool, c.arguments)
			if answer.IsError || strings.Count(answer.Text(), "claim") != strings.Count(c.note, "claim") || !strings.Contains(answer.Text(), c.note) {
				t.Errorf("the writer reads %s", answer.Text())
			}
			if text := one.Call(t, claimName, object{"operation": "renew", "id": "ISS-000001"}).Text(); !strings.Contains(text, c.renew) {
				t.Errorf("renew: %s", text)
			}
			for call, want := range []string{c.told, ""} {
				text := one.Call(t, "issues_list", object{"status": "cancelled"}).Text()
				if strings.Contains(text, "the claim of") != (want != "") || !strings.Contains(text, want) {
					t.Errorf("call %d of the holder: %s", call, text)
				}
			}
			if text := one.Call(t, claimName, object{"operation": "renew", "id": "ISS-000001"}).Text(); !strings.Contains(text, c.renew) {
				t.Errorf("renew, after it was told: %s", text)
			}
		})
	}
	t.Run("release says it when no note does", func(t *testing.T) {
		f := claimsIn(t, "")
		one, two := f.agent(t, "s1"), f.agent(t, "s2")
		callClaim(t, one, object{"operation": "next"})
		two.Call(t, "issues_mark_complete", object{"id": "ISS-000001"})
		for range 2 {
			text := one.Call(t, claimName, object{"operation": "release", "id": "ISS-000001"}).Text()
			if !strings.HasPrefix(text, "No changes to ISS-000001. It was not claimed: it is closed.") || strings.Count(text, was+"set it closed") != 1 {
				t.Error(text)
			}
		}
	})
}

// Whatever writes renews, and reading does not.
func TestWhichToolsRenew(t *testing.T) {
	for tool, c := range map[string]struct {
		arguments object
		renews    bool
	}{
		"issues_update":        {object{"id": "ISS-000002", "priority": "high"}, true},
		"issues_update_batch":  {object{"updates": []object{{"id": "ISS-000002", "priority": "high"}}}, true},
		"issues_labels":        {object{"operation": "add", "issueId": "ISS-000002", "labels": []string{"a"}}, true},
		"issues_projects":      {object{"operation": "add", "issueId": "ISS-000002", "project": "a"}, true},
		"issues_metadata":      {object{"operation": "set", "issueId": "ISS-000002", "key": "a", "value": 1}, true},
		"issues_mark_complete": {object{"id": "ISS-000002"}, true},
		"issues_create":        {object{"title": "New", "description": "Text"}, true},
		"issues_delete":        {object{"id": "ISS-000002", "confirm": true}, true},
		"issues_claim":         {object{"operation": "next"}, true},
		"issues_get":           {object{"id": "ISS-000001"}, false},
		"issues_list":          {object{}, false},
		"issues_search":        {object{"query": "text"}, false},
	} {
		t.Run(tool, func(t *testing.T) {
			f := claimsIn(t, "", "")
			one := f.agent(t, "s1")
			callClaim(t, one, object{"operation": "claim", "id": "ISS-000001"})
			*f.clock = f.clock.Add(2 * time.Hour)
			if answer := one.Call(t, tool, c.arguments); answer.IsError {
				t.Fatal(answer.Text())
			}
			leases, err := f.ix.Leases().OfHolder(t.Context(), "tester-one/s1")
			if err != nil || len(leases) == 0 {
				t.Fatal(leases, err)
			}
			if renewed := leases[0].Renewed.Equal(*f.clock); renewed != c.renews {
				t.Errorf("renewed: %t", renewed)
			}
		})
	}
}

func TestClaimRefuses(t *testing.T) {
	f := claimsIn(t, "", "status: in_progress\nassignee: ben", "status: closed", "assignee: ben")
	one := f.agent(t, "s1")
	for _, c := range []struct {
		arguments  object
		code, says string
	}{
		{object{}, "MISSING_REQUIRED_FIELD", "operation"},
		{object{"operation": "steal"}, "VALIDATION_ERROR", "next, claim, renew, release"},
		{object{"operation": "claim"}, "MISSING_REQUIRED_FIELD", "id"},
		{object{"operation": "next", "id": "ISS-000001"}, "VALIDATION_ERROR", "next chooses the issue itself"},
		{object{"operation": "next", "leaseMinutes": 10081}, "VALIDATION_ERROR", "10080"},
		{object{"operation": "next", "leaseMinutes": 0}, "VALIDATION_ERROR", "1"},
		{object{"operation": "next", "filters": object{"status": "open"}}, "VALIDATION_ERROR", "status"},
		{object{"operation": "next", "filters": object{"where": "colour = red"}}, "VALIDATION_ERROR", "column 1"},
		{object{"operation": "next", "filters": object{"where": "is:ready sort updated"}}, "VALIDATION_ERROR", "the highest priority comes first"},
		{object{"operation": "claim", "id": "ISS-000001", "filters": object{"labels": []string{"search"}}}, "VALIDATION_ERROR", "Invalid filters: claim takes the id alone"},
		{object{"operation": "renew", "id": "ISS-000001", "where": "is:ready"}, "VALIDATION_ERROR", "Invalid where: renew takes the id alone"},
		{object{"operation": "claim", "id": "ISS-000099"}, "ISSUE_NOT_FOUND", "ISS-000099"},
		{object{"operation": "claim", "id": "ISS-000002"}, "CONFLICT", "ISS-000002 is in progress without a claim, assigned to ben. Nothing was changed."},
		{object{"operation": "claim", "id": "ISS-000003"}, "CONFLICT", "ISS-000003 is closed. Nothing was changed."},
		{object{"operation": "claim", "id": "ISS-000004"}, "CONFLICT", "ISS-000004 is assigned to ben. Nothing was changed."},
		{object{"operation": "renew", "id": "ISS-000001"}, "CONFLICT", "You hold no claim on ISS-000001: it is open. Nothing was changed."},
		{object{"operation": "claim", "id": "ISS-000001", "ifVersion": "aaaaaaaaaa"}, "CONFLICT", "its version is"},
	} {
		answer := one.Call(t, claimName, c.arguments)
		if !answer.IsError || answer.Meta.Error.Code != c.code || !strings.Contains(answer.Text(), c.says) {
			t.Errorf("%v: %s", c.arguments, answer.Text())
		}
	}
	if _, err := os.Stat(filepath.Join(f.root, filepath.FromSlash(claims.Path))); !os.IsNotExist(err) {
		t.Errorf("a refusal has made the leases: %v", err)
	}
}

// Where the leases cannot be used claims fail with a reason, and everything else works.
func TestWithoutLeases(t *testing.T) {
	f := claimsIn(t, "")
	toolstest.Write(t, f.root, claims.Path, "My thesis.\n")
	one := f.agent(t, "s1")
	answer := one.Call(t, claimName, object{"operation": "next"})
	if !answer.IsError || !strings.Contains(answer.Text(), "'.wrangler/cache/leases.db' was not made by this program, which leaves it alone. Claims do not work, everything else does.") {
		t.Errorf("%s", answer.Text())
	}
	for tool, arguments := range map[string]object{
		"issues_get": {"id": "ISS-000001"}, "issues_list": {}, "issues_update": {"id": "ISS-000001", "priority": "high"}, "issues_stats": {"groupBy": "status"},
	} {
		if answer := one.Call(t, tool, arguments); answer.IsError || !strings.Contains(answer.Text(), "claims could not be read") {
			t.Errorf("%s: %s", tool, answer.Text())
		}
	}
	if text, err := os.ReadFile(filepath.Join(f.root, filepath.FromSlash(claims.Path))); err != nil || string(text) != "My thesis.\n" {
		t.Errorf("%q, %v", text, err)
	}
}
