package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/db"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/store/mirror"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// A hubFixture is a client of a hub with the workspaces api and web, which have documents of the
// same ids, and of the machine with the files of api.
type hubFixture struct {
	*toolstest.Client
	owner *tools.Server
	api   *store.Workspace
	dir   string
	// change is what becomes of the calls on their way, nil for nothing.
	change func(request string) string
}

func newHub(t *testing.T) *hubFixture {
	t.Helper()
	h := &hubFixture{dir: t.TempDir()}
	root, web := t.TempDir(), t.TempDir()
	for i := 1; i <= 9; i++ {
		id := fmt.Sprintf("ISS-%06d", i)
		more := map[int]string{3: "dependsOn: [ISS-000004]\n", 7: "parent: ISS-000008\n", 8: "dependsOn: [ISS-000009]\n"}[i]
		for _, in := range []string{root, web} {
			toolstest.Write(t, in, ".wrangler/issues/"+id+".md", fmt.Sprintf("---\nid: %s\ntitle: Rain %d\nstatus: open\n%s---\n\n- [ ] Look\n", id, i, more))
		}
	}
	for i := range 2 {
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/shared-%d.md", i), "---\nid: ISS-000020\ntitle: Shared\nstatus: open\n---\n")
	}
	h.api = h.copies(t, root, "api")
	h.copies(t, web, "web")
	mirrored := hubWorkspace(t, h.dir)
	set := func(ix *index.Index) tools.Toolset {
		return tools.PerWorkspace(ix, false, Toolset)
	}
	own, all := indexOf(t, h.api), indexOf(t, mirrored)
	bound := func(b tools.WorkspaceBinding) (tools.WorkspaceBinding, error) {
		b.Settings, b.Lease, b.Release = answer.Defaults(), time.Hour, func() {}
		return b, nil
	}
	var err error
	if h.owner, err = tools.NewServer(tools.Config{Toolsets: []tools.Toolset{set(own)}}); err != nil {
		t.Fatal(err)
	}
	owners := &tools.Owners{
		Call: func(ctx context.Context, _ mirror.Branch, request []byte) ([]byte, error) {
			if h.change != nil {
				request = []byte(h.change(string(request)))
			}
			return h.owner.AnswerForwarded(ctx, tools.ForwardedTo{
				Bind: func(context.Context) (tools.WorkspaceBinding, error) {
					return bound(tools.WorkspaceBinding{Index: own})
				},
				Publish: func(context.Context) (uint64, error) { return 1, nil },
			}, request), nil
		},
		Wait:     func(context.Context, uint64) error { h.copies(t, root, "api"); return nil },
		Patience: time.Minute,
		Branches: func() (lines []mirror.Branch) { return []mirror.Branch{lineOf("api"), lineOf("web")} },
		Heard:    func(mirror.Branch) time.Time { return time.Time{} },
	}
	h.Client = toolstest.NewClient(t, tools.Config{
		Toolsets: []tools.Toolset{set(all)}, Session: "s",
		Workspaces: func(_ context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
			return bound(tools.WorkspaceBinding{Index: all, Within: ask.Workspace, Owners: owners})
		},
	})
	return h
}

func lineOf(workspace string) mirror.Branch {
	return mirror.Branch{Workspace: workspace, Name: mirror.Main}
}

// copies makes the folder of a workspace in the mirror what its files are now.
func (h *hubFixture) copies(t *testing.T, root, name string) *store.Workspace {
	t.Helper()
	ws := h.api
	if ws == nil || name != "api" {
		ws = hubWorkspace(t, root)
	}
	w, err := mirror.NewCopyWriter(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	there := map[string]bool{}
	put := func(path string, data []byte, err error) {
		if there[path] = true; err == nil {
			err = w.Put(lineOf(name), path, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	manifest, err := ws.Manifest().Bytes()
	put(mirror.ManifestPath, manifest, err)
	for _, path := range documentPaths(t, root) {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		put(path, data, err)
	}
	for _, path := range documentPaths(t, filepath.Join(h.dir, name)) {
		if !there[path] {
			if err := w.Delete(lineOf(name), path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Mark(); err != nil {
		t.Fatal(err)
	}
	return ws
}

func hubWorkspace(t *testing.T, root string) *store.Workspace {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Getwd: os.Getwd})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func indexOf(t *testing.T, ws *store.Workspace) *index.Index {
	t.Helper()
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: index.ModeVerify, Path: db.MemoryPath})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

// anID is an id, or a path, of a document, with what is before it.
var anID = regexp.MustCompile(`[a-z0-9@:/.-]*(?:ISS-\d+|shared-\d)(?:[a-z-]*\.md)?`)

// TestWritesAtAHubAnswerWithItsIDs holds each tool that writes to the ids of the hub: whatever an
// answer names can be passed to issues_get there as it is, and is a document of api.
func TestWritesAtAHubAnswerWithItsIDs(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	covered := map[string]bool{}
	for _, c := range []struct {
		tool, arguments string
		names           []string // besides others
		gone            string   // an id that the hub has no longer, or never had
	}{
		{"issues_create", `{"title": "New", "description": "Text", "workspace": "api"}`, []string{"api:ISS-000021", "api/.wrangler/issues/ISS-000021-new.md"}, ""},
		{"issues_create", `{"title": "new", "description": "Text", "workspace": "api"}`, []string{"api:ISS-000021"}, ""},
		{"issues_create", `{"title": "Newer", "description": "Text", "dependsOn": ["api:77"], "workspace": "api"}`, nil, "api:77"},
		{"issues_update", `{"id": "api:ISS-000001", "title": "Snow", "addDependsOn": ["api:2"], "parent": "api:5"}`,
			[]string{"dependsOn: (none) → api:ISS-000002", `parentTaskId: (none) → "api:ISS-000005"`, "path: api/.wrangler/issues/ISS-000001.md"}, ""},
		{"issues_update", `{"id": "1", "workspace": "api", "status": "open", "title": "Ice"}`, []string{"Updated api:ISS-000001"}, ""},
		{"issues_update", `{"id": "api/.wrangler/issues/ISS-000002.md", "dependsOn": ["ISS-000001"]}`, []string{"api:ISS-000002 → api:ISS-000001 → api:ISS-000002"}, ""},
		{"issues_update", `{"id": "api:ISS-000020", "title": "x"}`, []string{"api/.wrangler/issues/shared-0.md", "api/.wrangler/issues/shared-1.md"}, "api:ISS-000020"},
		{"issues_update", `{"id": "api:ISS-000010", "title": "x"}`, []string{"Did you mean api:ISS-0000"}, "api:ISS-000010"},
		{"issues_update", `{"id": "api:ISS-000005", "title": "x", "ifVersion": "aaaaaaaaaa"}`, []string{"issues_get {id: 'api:ISS-000005'}"}, ""},
		{"issues_update", `{"id": "api:ISS-000005", "parent": "api:ISS-000099"}`, nil, "api:ISS-000099"},
		{"issues_update_batch", `{"updates": [{"id": "api:5", "status": "closed"}, {"id": "api:ISS-000010", "status": "closed"}, {"id": "api/.wrangler/issues/ISS-000006.md", "labels": ["x"]}]}`,
			[]string{"api:5 ", "now api/.wrangler/issues/archived/ISS-000005.md", "api/.wrangler/issues/ISS-000006.md "}, "api:ISS-000010"},
		{"issues_update_batch", `{"updates": [{"id": "api:ISS-000010", "status": "closed"}]}`, nil, "api:ISS-000010"},
		{"issues_edit", `{"id": "api:ISS-000006", "edits": [{"op": "check", "boxes": ["1"]}]}`, []string{"Edited api:ISS-000006"}, ""},
		{"issues_edit", `{"id": "api:ISS-000006", "edits": [{"op": "append"}]}`, []string{"api:ISS-000006"}, ""},
		{"issues_labels", `{"operation": "add", "issueId": "api:ISS-000006", "labels": ["y"]}`, []string{"Updated api:ISS-000006", `"issueId":"api:ISS-000006"`}, ""},
		{"issues_labels", `{"operation": "list", "issueId": "api:6"}`, []string{"Labels of api:ISS-000006", `"issueId":"api:ISS-000006"`}, ""},
		{"issues_labels", `{"operation": "list", "issueId": "api:ISS-000010"}`, nil, "api:ISS-000010"},
		{"issues_projects", `{"operation": "add", "issueId": "api:ISS-000006", "project": "p"}`, []string{"Updated api:ISS-000006"}, ""},
		{"issues_metadata", `{"operation": "set", "issueId": "api:ISS-000006", "key": "k", "value": 1}`, []string{"Updated api:ISS-000006"}, ""},
		{"issues_metadata", `{"operation": "get", "issueId": "api:ISS-000006"}`, []string{"wranglerContext of api:ISS-000006"}, ""},
		{"issues_metadata", `{"operation": "get", "issueId": "api:ISS-000006", "key": "none"}`, []string{"wranglerContext of api:ISS-000006"}, ""},
		{"issues_claim", `{"operation": "claim", "id": "api:ISS-000003"}`, []string{"Claimed api:ISS-000003", "waits for api:ISS-000004", "path: api/.wrangler/issues/ISS-000003.md"}, ""},
		{"issues_claim", `{"operation": "claim", "id": "api:ISS-000007"}`, []string{"api:ISS-000008 above it waits for api:ISS-000009"}, ""},
		{"issues_claim", `{"operation": "claim", "id": "api:ISS-000003", "agentId": "other"}`, []string{"api:ISS-000003 is claimed by"}, ""},
		{"issues_claim", `{"operation": "release", "id": "api:ISS-000007"}`, []string{"Released api:ISS-000007"}, ""},
		{"issues_claim", `{"operation": "renew", "id": "api:ISS-000006"}`, []string{"claim on api:ISS-000006", "id: 'api:ISS-000006'"}, ""},
		{"issues_claim", `{"operation": "next", "workspace": "api", "filters": {"labels": ["x"]}}`, []string{"Claimed api:ISS-000006"}, ""},
		{"issues_mark_complete", `{"id": "api:ISS-000006"}`, []string{"Completed api:ISS-000006", "path: api/.wrangler/issues/archived/ISS-000006.md"}, ""},
		{"issues_delete", `{"id": "api:ISS-000004", "confirm": false}`, []string{"{id: 'api:ISS-000004', confirm: true}"}, ""},
		{"issues_delete", `{"id": "api:ISS-000004", "confirm": true}`, []string{"Deleted api:ISS-000004", "still wait for 'api:ISS-000004', which is gone: api:ISS-000003"}, "api:ISS-000004"},
	} {
		covered[c.tool] = true
		got := h.Call(t, c.tool, json.RawMessage(c.arguments))
		said := strings.ReplaceAll(got.Text()+"\n"+string(got.Structured), "(e.g., ISS-000099, not 000099)", "")
		if got.IsError && got.Meta.Error.Code == "INTERNAL_ERROR" || strings.Contains(said, "in the workspace") {
			t.Errorf("%s %s answers %s", c.tool, c.arguments, said)
		}
		for _, name := range c.names {
			if !strings.Contains(said, name) {
				t.Errorf("%s %s: %q is not in %s", c.tool, c.arguments, name, said)
			}
		}
		for _, id := range anID.FindAllString(said, -1) {
			isGone := c.gone != "" && (id == c.gone || id == "api/.wrangler/issues/"+strings.TrimPrefix(c.gone, "api:")+".md")
			if id = strings.TrimSuffix(id, "."); isGone || strings.HasPrefix(id, "pi:") { // at the beginning of a sentence
				continue
			}
			read := h.Call(t, "issues_get", map[string]any{"id": id})
			if read.IsError || !strings.Contains(read.Text(), "path: api/") {
				t.Errorf("%s %s names %s: %s\n%s", c.tool, c.arguments, id, said, read.Text())
			}
		}
	}
	for _, tool := range h.List(t) {
		if !*tool.Annotations["readOnlyHint"] && !covered[tool.Name] {
			t.Errorf("no call of %s", tool.Name)
		}
	}
}

func TestAnswersOfOlderOwnersSayWhichWorkspaceTheyAreAbout(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.change = func(request string) string { return strings.Replace(request, `,"line":"api"`, "", 1) } // which it ignores
	if text := h.Call(t, "issues_update", map[string]any{"id": "api:ISS-000001", "title": "Snow"}).Text(); !strings.HasPrefix(text, "Updated ISS-000001\n") || !strings.Contains(text, "\nNote: in the workspace api.") {
		t.Errorf("%s", text)
	}
}

// The ids that reads show are those that writes show, also within a workspace.
func TestReadsWithinAWorkspaceOfAHubHaveItsIDs(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	for tool, arguments := range map[string]map[string]any{
		"issues_get":  {"id": "ISS-000001", "workspace": "api"},
		"issues_list": {"workspace": "api"},
	} {
		if text := h.Call(t, tool, arguments).Text(); !strings.Contains(text, "api:ISS-000001") || strings.Contains(text, "web:") {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// Claims of others are told of by the ids of the hub, too.
func TestClaimsAreToldOfAtAHubByItsIDs(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	write := func(holder, tool string, arguments map[string]any) string {
		h.change = func(request string) string {
			return strings.Replace(request, `"holder":"agent/s"`, `"holder":"`+holder+`"`, 1)
		}
		return h.Call(t, tool, arguments).Text()
	}
	write("bob", "issues_claim", map[string]any{"operation": "claim", "id": "api:1"})
	for _, text := range []string{
		write("ann", "issues_claim", map[string]any{"operation": "claim", "id": "api:1"}),
		write("ann", "issues_update", map[string]any{"id": "api:1", "title": "Snow"}),
	} {
		if !strings.Contains(text, "pi:ISS-000001 is claimed by bob") {
			t.Errorf("%s", text)
		}
	}
	if text := write("ann", "issues_update", map[string]any{"id": "api:1", "status": "open"}); !strings.Contains(text, "has ended the claim of bob on api:ISS-000001") {
		t.Errorf("%s", text)
	}
	if text := write("bob", "issues_update", map[string]any{"id": "api:2", "title": "Hail"}); !strings.Contains(text, "the claim of bob on api:ISS-000001 ended") {
		t.Errorf("%s", text)
	}
}
