//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/hub"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/auth"
	"issues-index/tools/config"
	"issues-index/tools/toolstest"
)

// The documents of the hubs of these tests, by their paths. A document of web has the words
// zanzibar and quagga, and is linked with one of api in every way.
var (
	apiDocuments = map[string]string{
		"ISS-000001-rain.md": "id: ISS-000001\ntitle: Rain\nstatus: open\ndependsOn: ['web:ISS-000002']\nblocks: ['web:ISS-000003']\nrelatesTo: ['web:ISS-000002']\n---\n\nSee web:ISS-000002 and [this](../../../web/.wrangler/issues/ISS-000002-zanzibar.md).\n",
		"ISS-000003-snow.md": "id: ISS-000003\ntitle: Snow\nstatus: open\nparent: 'web:ISS-000002'\nlabels: [cold]\n---\n\n# Snow\n\n- [ ] Look\n",
		"ISS-000004-hail.md": "id: ISS-000004\ntitle: Hail\nstatus: in_progress\nassignee: ann\n---\n",
	}
	webDocuments = map[string]string{
		"ISS-000002-zanzibar.md": "id: ISS-000002\ntitle: Zanzibar quagga\nstatus: open\npriority: critical\nassignee: quagga\nproject: quagga\nlabels: [quagga]\nestimate: 12\nformerIds: [ISS-000009]\ndependsOn: ['api:ISS-000001']\nparent: 'api:ISS-000003'\nwranglerContext: {agentId: quagga}\n---\n\n# Quagga\n\nA zanzibar of quagga, see api:ISS-000001.\n",
		"ISS-000003-zanzibar.md": "id: ISS-000003\ntitle: Quagga\nstatus: open\nparent: 'api:ISS-000003'\n---\n\nquagga\n",
	}
)

// A confinedHub is a hub as its clients see it.
type confinedHub struct {
	*testing.T
	dir    string
	server *tools.Server
	pool   *workspacePool
	files  string // of the workspace api, whose owner answers calls
}

// A calledTeam answers calls itself.
type calledTeam struct {
	share.Team
	answer func(context.Context, mirror.Branch, []byte) []byte
}

func (c calledTeam) Call(ctx context.Context, line mirror.Branch, request []byte) ([]byte, error) {
	return c.answer(ctx, line, request), nil
}

// newConfinedHub has a hub with the workspaces, lines of which are given by their documents.
func newConfinedHub(t *testing.T, lines map[string]map[string]string) *confinedHub {
	t.Helper()
	h := &confinedHub{T: t, dir: filepath.Join(realTempDir(t), "hub"), files: filepath.Join(realTempDir(t), "api")}
	log := slog.New(slog.DiscardHandler)
	engine := sharetest.NewEngine(nil)
	team := engine.Connect()
	kept, err := hub.New(hub.Options{Team: team, Dir: h.dir})
	h.must(err)
	for name, documents := range lines {
		for path, text := range documents {
			h.put(name, path, text)
		}
	}
	for path, text := range lines["api"] {
		h.must(os.MkdirAll(filepath.Join(h.files, ".wrangler/issues"), 0o700))
		h.must(os.WriteFile(filepath.Join(h.files, ".wrangler/issues", path), []byte("---\n"+text), 0o600))
	}
	getenv := func(name string) string {
		return map[string]string{"ISSUES_INDEX_TOOLSETS": "issues,resources,prompts", config.UserFileVariable: os.DevNull}[name]
	}
	p := &program{in: os.Stdin, getwd: os.Getwd, out: io.Discard, errOut: io.Discard, getenv: getenv, workspace: h.dir}
	current, live := h.serve(p, h.dir)
	h.pool = p.workspacePool(current, live, nil, log)
	offered := offers(live, h.pool, connectors{index: current.Served()}, log)
	service := &hubService{Hub: kept, team: team, wait: 0, log: log, end: func() {}}
	service.offer(&offered, current, live, h.pool)
	t.Cleanup(func() { service.stop(); h.pool.Close(); service.close() })
	h.server, err = tools.NewServer(offered)
	h.must(err)

	own, ownLive := h.serve(p, h.files)
	owner, err := tools.NewServer(offers(ownLive, p.workspacePool(own, ownLive, nil, log), connectors{index: own.Served()}, log))
	h.must(err)
	service.team = calledTeam{team, func(ctx context.Context, line mirror.Branch, request []byte) []byte {
		if line.String() != "api" {
			t.Errorf("a call was sent to the machine with the files of %s", line)
		}
		return owner.AnswerForwarded(ctx, tools.ForwardedTo{
			Bind: func(ctx context.Context) (tools.WorkspaceBinding, error) {
				ix, release, err := own.Acquire(ctx)
				return tools.WorkspaceBinding{Index: ix, Settings: ownLive.Settings(), Lease: time.Hour, Release: release}, err
			},
			Publish: func(context.Context) (uint64, error) { return 0, nil },
		}, request)
	}}
	return h
}

func (h *confinedHub) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// serve serves a folder.
func (h *confinedHub) serve(p *program, root string) (*index.Current, *config.Live) {
	h.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	h.must(err)
	current, err := index.Serve(h.Context(), ws, index.Options{Mode: index.ModeVerify})
	h.must(err)
	h.Cleanup(func() { h.must(current.Close()) })
	live, err := config.Open(config.LiveOptions{Options: p.configOptions(root)})
	h.must(err)
	return current, live
}

// put publishes a document to the hub.
func (h *confinedHub) put(line, path, text string) {
	h.Helper()
	l, _ := mirror.ParseBranch(line)
	w, err := mirror.NewCopyWriter(h.dir)
	h.must(err)
	h.must(w.Put(l, mirror.ManifestPath, []byte(`{"format":1,"collections":[{"type":"issue","dir":".wrangler/issues","archive":".wrangler/issues/archived"}],"layout":{}}`)))
	h.must(w.Put(l, ".wrangler/issues/"+path, []byte("---\n"+text)))
	h.must(w.Mark())
	then := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) // what an answer says of a file's time
	h.must(os.Chtimes(filepath.Join(h.dir, line, ".wrangler/issues", path), then, then))
	h.must(w.Close())
}

// as is the context of a request with a token for some workspaces.
func (h *confinedHub) as(only ...string) context.Context {
	subject := &auth.Principal{Name: "agent", Scopes: auth.Scopes(), Workspaces: only}
	return auth.With(h.Context(), subject)
}

// ask returns the answer to a request as it is sent.
func (h *confinedHub) ask(ctx context.Context, method string, params map[string]any) string {
	h.Helper()
	return h.askOf(ctx, &toolstest.Conn{Known: tools.Client{Shared: true, Session: "s"}}, method, params)
}

func (h *confinedHub) askOf(ctx context.Context, client *toolstest.Conn, method string, params map[string]any) string {
	h.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	h.must(err)
	answer, err := json.Marshal(client.Send(ctx, h.server, message))
	h.must(err)
	return string(answer)
}

func (h *confinedHub) call(ctx context.Context, tool string, arguments map[string]any) string {
	h.Helper()
	return h.ask(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// hostileReferences name the document of another workspace, whatever an argument is.
var hostileReferences = []string{
	"web:ISS-000002", "web/.wrangler/issues/ISS-000002-zanzibar.md", "ISS-000002", "web", "zanzibar",
	"WEB:iss-2", "web:2", "2", "ISS-000009", "ISS-000002-zanzibar", "../web/.wrangler/issues/ISS-000002-zanzibar.md", "web@main", "issues://web/ISS-000002",
}

// hostileCriteria look for it in every other way.
var hostileCriteria = []string{
	"workspace:web", "not workspace:api", "line:main", "id:web:ISS-000002", "parent:web:ISS-000002", "under:web:ISS-000002", "zanzibar", "estimate:12", "assignee:zanzibar sort priority",
	"web", "path:web", "is:ready or workspace:web",
}

// validArguments are those of calls that are answered, by their tools.
var validArguments = map[string]map[string]any{
	"issues_create":        {"title": "New", "description": "Text"},
	"issues_search":        {"query": "rain"},
	"issues_get":           {"id": "ISS-000001"},
	"issues_get_batch":     {"ids": []string{"ISS-000001", "ISS-000003"}},
	"issues_update":        {"id": "ISS-000003", "priority": "low"},
	"issues_update_batch":  {"updates": []any{map[string]any{"id": "web:ISS-000002", "priority": "low"}, map[string]any{"id": "ISS-000003", "parent": "web:ISS-000002"}}},
	"issues_edit":          {"id": "ISS-000003", "edits": []any{map[string]any{"op": "check", "boxes": []string{"1"}}}},
	"issues_delete":        {"id": "ISS-000099", "confirm": true},
	"issues_labels":        {"operation": "list"},
	"issues_projects":      {"operation": "list"},
	"issues_metadata":      {"operation": "get", "issueId": "ISS-000003"},
	"issues_mark_complete": {"id": "ISS-000099"},
	"issues_claim":         {"operation": "next"},
	"issues_stats":         {},
	"issues_history":       {"id": "ISS-000001"},
}

// varying is what differs from one hub, and one run, to another in any case.
var varying = regexp.MustCompile(`20\d\d-\d\d-\d\dT[\d:.]+Z|20\d\d-\d\d-\d\d [\d:]+ UTC|version[":\\ ]+[a-z2-7]{10}|[Ff]ence[":\\ ]+\d+|[Cc]ursor[": '\\]+[A-Za-z0-9_-]{6,}|"(budgetRemaining|budgetUsed|estimatedTokens)":[\d.]+`)

// TestTokensForAWorkspaceReachNothingElseAtAHub asks two hubs everything that can be asked with a
// token for api. One has another workspace, too, the other has none: their answers have to be the
// same, byte for byte. So nothing tells, in whatever way, what there is beside api.
func TestTokensForAWorkspaceReachNothingElseAtAHub(t *testing.T) {
	t.Parallel()
	with := newConfinedHub(t, map[string]map[string]string{"api": apiDocuments, "api@mac-7k2q": {"ISS-000004-hail.md": apiDocuments["ISS-000004-hail.md"]}, "web": webDocuments})
	without := newConfinedHub(t, map[string]map[string]string{"api": apiDocuments, "api@mac-7k2q": {"ISS-000004-hail.md": apiDocuments["ISS-000004-hail.md"]}})
	asked := 0
	same := func(method string, params map[string]any) {
		t.Helper()
		asked++
		got, want := varying.ReplaceAllString(with.ask(with.as("api"), method, params), "…"), varying.ReplaceAllString(without.ask(without.as("api"), method, params), "…")
		if strings.Contains(strings.ToLower(got), "quagga") || got != want {
			t.Errorf("%s %v\ngot  %s\nwant %s", method, params, got, want)
		}
	}
	references, criteria := hostileReferences, hostileCriteria
	if !storetest.Long() {
		references, criteria = references[:2], criteria[:3]
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct {
					Properties map[string]struct{ Type string }
				}
			}
		}
	}
	with.must(json.Unmarshal([]byte(with.ask(with.as("api"), "tools/list", nil)), &list))
	bare := toolstest.NeedsNothing(t, defaultToolsets()...)
	for _, tool := range list.Result.Tools {
		valid, ok := validArguments[tool.Name]
		if !ok && !slices.Contains(bare, tool.Name) {
			t.Errorf("no call of %s is tried", tool.Name)
		}
		try := func(name string, value any) {
			t.Helper()
			arguments := map[string]any{name: value}
			for other, usual := range valid {
				if other != name {
					arguments[other] = usual
				}
			}
			same("tools/call", map[string]any{"name": tool.Name, "arguments": arguments})
		}
		try("workspace", "api")
		for _, name := range slices.Sorted(maps.Keys(tool.InputSchema.Properties)) {
			for _, reference := range references {
				switch tool.InputSchema.Properties[name].Type {
				case "string":
					try(name, reference)
				case "array":
					try(name, []string{reference})
				}
			}
			for _, text := range criteria {
				switch name {
				case "where", "query":
					try(name, text)
				case "filters":
					try(name, map[string]any{"where": text})
				}
			}
		}
	}
	for _, reference := range references {
		for _, workspace := range []string{"here", "api", "web"} {
			same("resources/read", map[string]any{"uri": "issues://" + workspace + "/" + strings.ReplaceAll(reference, "/", "%2F")})
			same("resources/subscribe", map[string]any{"uri": "issues://" + workspace + "/" + reference})
		}
		for _, argument := range []string{"workspace", "id", "label", "heading"} {
			for _, begun := range []string{"", reference[:1]} {
				given := map[string]any{"arguments": map[string]string{"workspace": reference, "id": reference}}
				for _, of := range []map[string]any{{"type": "ref/resource", "uri": "issues://{workspace}/{id}/section/{heading}"}, {"type": "ref/prompt", "name": "triage"}} {
					same("completion/complete", map[string]any{"ref": of, "argument": map[string]any{"name": argument, "value": begun}})
					same("completion/complete", map[string]any{"ref": of, "argument": map[string]any{"name": argument, "value": begun}, "context": given})
				}
			}
		}
	}
	same("resources/list", map[string]any{})
	same("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
	t.Logf("%d questions", asked)
}

func TestTokensForSomeWorkspacesWorkAtAHub(t *testing.T) {
	t.Parallel()
	h := newConfinedHub(t, map[string]map[string]string{"api": apiDocuments, "web": webDocuments, "docs": {"ISS-000001-map.md": "id: ISS-000001\ntitle: Map\nstatus: open\n---\n"}})
	says := func(answer string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(answer, part) {
				t.Errorf("%q is not in %s", part, answer)
			}
		}
	}
	api, two := h.as("api"), h.as("api", "docs")
	for _, arguments := range []map[string]any{{}, {"workspace": "api"}} {
		says(h.call(api, "issues_list", arguments), "3 issues", "api:ISS-000001", "api:ISS-000003")
	}
	says(h.call(api, "issues_get", map[string]any{"id": "1"}), "Rain", "api/.wrangler/issues/ISS-000001-rain.md")
	says(h.call(api, "issues_get", map[string]any{"id": "api:ISS-000001", "workspace": "api"}), "Rain")
	says(h.call(api, "issues_update", map[string]any{"id": "3", "title": "Frost"}), "Updated api:ISS-000003")
	if data, err := os.ReadFile(filepath.Join(h.files, ".wrangler/issues/ISS-000003-snow.md")); err != nil || !strings.Contains(string(data), "title: Frost") {
		t.Errorf("the file is %s, %v", data, err)
	}
	says(h.ask(api, "resources/read", map[string]any{"uri": "issues://here/ISS-000001"}), "title: Rain")
	says(h.ask(api, "resources/read", map[string]any{"uri": "issues://api/ISS-000001"}), "title: Rain")
	says(h.call(two, "issues_list", map[string]any{"workspace": "docs"}), "docs:ISS-000001")
	says(h.call(two, "issues_list", nil), "PERMISSION_DENIED", "pass one of these:", `api\ndocs`)
	for _, wrong := range []context.Context{h.as("nothing"), h.as("api@mac-7k2q"), h.as(filepath.Base(h.dir))} {
		says(h.call(wrong, "issues_list", nil), "PERMISSION_DENIED")
	}
	says(h.call(h.as(filepath.Join(h.dir, "api")), "issues_list", nil), "api:ISS-000001")
	says(h.call(h.as(h.dir), "issues_list", nil), "web:ISS-000002", "api:ISS-000001")

	t.Run("what comes later is seen, and told of", func(t *testing.T) {
		told := make(chan string, 9)
		client := &toolstest.Conn{Known: tools.Client{
			Shared: true, Session: "s", Life: t.Context(), Notify: func(_ string, params any) { told <- fmt.Sprint(params) },
		}}
		for _, id := range []string{"ISS-000001", "ISS-000003"} {
			says(h.askOf(api, client, "resources/subscribe", map[string]any{"uri": "issues://here/" + id}), `"result":{}`)
		}
		h.put("web", "ISS-000001-rain.md", "id: ISS-000001\ntitle: Quagga\nstatus: open\n---\n")
		h.put("web", "ISS-000002-zanzibar.md", "id: ISS-000002\ntitle: More quagga\nstatus: open\n---\n")
		h.put("api", "ISS-000005-fog.md", "id: ISS-000005\ntitle: Fog\nstatus: open\n---\n")
		says(h.call(api, "issues_list", nil), "4 issues", "api:ISS-000005")
		h.put("api", "ISS-000003-snow.md", "id: ISS-000003\ntitle: Sleet\nstatus: open\n---\n")
		says(h.call(api, "issues_get", map[string]any{"id": "3"}), "Sleet")
		says(<-told, "issues://here/ISS-000003") // and of nothing before
	})
	t.Run("a workspace that comes later", func(t *testing.T) {
		late := h.as("late")
		says(h.call(late, "issues_list", nil), "PERMISSION_DENIED")
		h.put("late", "ISS-000001-dawn.md", "id: ISS-000001\ntitle: Dawn\nstatus: open\n---\n")
		says(h.call(late, "issues_list", nil), "late:ISS-000001")
	})
	t.Run("a cursor of another token", func(t *testing.T) {
		cursor := regexp.MustCompile(`"nextCursor":"([^"]+)"`).FindStringSubmatch(h.call(t.Context(), "issues_list", map[string]any{"limit": 1}))
		if cursor == nil {
			t.Fatal("no cursor")
		}
		says(h.call(api, "issues_list", map[string]any{"cursor": cursor[1]}), "INVALID_CURSOR")
	})
	t.Run("pages and figures are refused", func(t *testing.T) {
		pages := forTheirs(h.pool, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a page is shown") }))
		for _, path := range []string{"/", "/metrics", "/api:ISS-000001"} {
			w := httptest.NewRecorder()
			pages.ServeHTTP(w, httptest.NewRequestWithContext(api, http.MethodGet, path, http.NoBody))
			if w.Code != http.StatusForbidden {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	})
}

// The name of a workspace is no path, even where a link has that name.
func TestNamesOfWorkspacesAreNoPaths(t *testing.T) {
	h := newConfinedHub(t, map[string]map[string]string{"api": apiDocuments, "hub": {"ISS-000001-map.md": "id: ISS-000001\ntitle: Map\nstatus: open\n---\n"}})
	elsewhere := t.TempDir()
	h.must(os.Symlink(h.dir, filepath.Join(elsewhere, "hub")))
	t.Chdir(elsewhere)
	if text := h.call(h.as("hub"), "issues_list", nil); !strings.Contains(text, "hub:ISS-000001") || strings.Contains(text, "api:") {
		t.Errorf("%s", text)
	}
	if _, release, err := h.pool.Acquire(t.Context(), workspaces.Ask{Only: []string{"hub"}}); err == nil {
		release()
		t.Error("the hub as a whole is served")
	}
}
