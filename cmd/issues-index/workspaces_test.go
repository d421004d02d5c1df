//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/config"
)

// A workspaceWorld is a folder with projects of a user's. In base are
//
//	a            the project that the server is started in, a git repository
//	a-tree       a worktree of it
//	a/.trees/no  a worktree of it, inside, on a branch without .wrangler
//	b, c         projects that the user's own configuration names, c later
//	other        a project that nobody has allowed
//	link         a symbolic link to it, as is a/out
//	forged       a project with a .git of its own that a's repository names as a worktree
//	posing       a project whose .git leads to a's worktree, which does not lead back
//
// and a session of a has a worktree of its own. Each document says where it is.
type workspaceWorld struct {
	base, session string
}

func (w *workspaceWorld) at(path string) string {
	return filepath.Join(w.base, filepath.FromSlash(path))
}

// mark tells the documents of a workspace from those of others.
func mark(dir string) string {
	return strings.NewReplacer("/", "", ".", "", "-", "").Replace(dir) + "mark"
}

func newWorkspaceWorld(ctx context.Context, t *testing.T) *workspaceWorld {
	t.Helper()
	w := &workspaceWorld{base: realTempDir(t)}
	t.Setenv("XDG_CACHE_HOME", w.at("xdg"))
	t.Setenv("GIT_CEILING_DIRECTORIES", w.base)
	if err := os.Rename(gitRepository(ctx, t), w.at("a")); err != nil {
		t.Fatal(err)
	}
	document := func(dir string) {
		plantFiles(t, w.at(dir), map[string]string{
			".wrangler/issues/ISS-000001-x.md": fmt.Sprintf("---\nid: ISS-000001\ntitle: The first of %s\nstatus: open\n---\n", mark(dir)),
		})
	}
	for _, dir := range []string{"a", "b", "c", "other", "forged", "posing"} {
		document(dir)
	}
	w.allow(t, "workspaces: {bee: "+w.at("b")+"}\n")
	t.Setenv(config.UserFileVariable, w.at("user.yaml"))
	commit := []string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "commit", "--quiet", "--allow-empty", "-m", "x"}
	plantFiles(t, w.at("a"), map[string]string{".gitignore": ".trees\n.worktrees\nout\n"})
	for _, args := range [][]string{
		{"add", "-A"}, commit, {"worktree", "add", "-q", "-b", "tree", w.at("a-tree")}, {"worktree", "add", "-q", "--detach", w.at("a/.trees/no")},
	} {
		git(ctx, t, w.at("a"), args...)
	}
	git(ctx, t, w.at("a/.trees/no"), "rm", "-rq", ".wrangler")
	git(ctx, t, w.at("a/.trees/no"), commit...)
	document("a-tree")
	plantFiles(t, w.at("a-tree"), map[string]string{"src/deep/main.go": "package main\n"})
	git(ctx, t, w.at("forged"), "init", "-q")
	plantFiles(t, w.base, map[string]string{
		"a/.git/worktrees/forged/gitdir":    w.at("forged/.git") + "\n",
		"a/.git/worktrees/forged/commondir": "../..\n",
		"a/.git/worktrees/forged/HEAD":      "ref: refs/heads/x\n",
		"posing/.git":                       "gitdir: " + w.at("a/.git/worktrees/a-tree") + "\n",
	})
	for link, to := range map[string]string{"link": "other", "a/out": "../other"} {
		if err := os.Symlink(to, w.at(link)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// allow writes the user's own configuration.
func (w *workspaceWorld) allow(t *testing.T, text string) {
	t.Helper()
	plantFiles(t, w.base, map[string]string{"user.yaml": text})
}

// snapshot looks at all files but the caches of what may be opened, which change at any
// time.
func (w *workspaceWorld) snapshot(t *testing.T) snapshot {
	t.Helper()
	leftOut := []string{"xdg"}
	for _, dir := range []string{"a", "a-tree", "a/.trees/no", "a/.worktrees/sort", "b", "c"} {
		leftOut = append(leftOut, dir+"/.wrangler/cache")
	}
	s := snapshotOf(t, w.base, leftOut...)
	for _, cache := range leftOut {
		delete(s, filepath.Dir(cache)) // its time is that of the cache
	}
	return s
}

// A write or read lands in the workspace that the call names, and nowhere else.
func TestCallsLandInTheirWorkspaceOnly(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*hangs)
	defer cancel()
	w := newWorkspaceWorld(ctx, t)
	s := converseIn(ctx, t, w.at("a"))
	started := s.call(t, "session_start", `{"specFile": "SPEC-000001"}`)
	w.session = started["sessionId"].(string)
	tree, err := filepath.Rel(w.base, started["worktreePath"].(string))
	if err != nil || tree != "a/.worktrees/sort" {
		t.Fatal(tree, err)
	}
	plantFiles(t, w.at(tree), map[string]string{
		".wrangler/issues/ISS-000001-x.md": fmt.Sprintf("---\nid: ISS-000001\ntitle: The first of %s\nstatus: open\n---\n", mark(tree)),
	})

	for _, c := range []struct{ name, workspace, lands string }{
		{"none", "", "a"},
		{"the start workspace", w.at("a"), "a"},
		{"a folder in it", w.at("a/.wrangler/specifications"), "a"},
		{"a relative path", ".", "a"},
		{"a worktree", w.at("a-tree"), "a-tree"},
		{"a worktree by a relative path", "../a-tree", "a-tree"},
		{"a worktree by a URI", "file://" + w.at("a%2Dtree"), "a-tree"},
		{"a file in a worktree", w.at("a-tree/src/deep/main.go"), "a-tree"},
		{"the worktree of a session", started["worktreePath"].(string), tree},
		{"a worktree without documents inside of another", w.at("a/.trees/no"), "a/.trees/no"},
		{"a project by its name", "bee", "b"},
		{"a project by its path", w.at("b"), "b"},
		{"a project by a path in it", w.at("b/.wrangler/issues"), "b"},
	} {
		t.Run(c.name, func(t *testing.T) { w.landsIn(t, s, c.workspace, c.lands) })
	}
	for name, workspace := range map[string]string{
		"a folder that is not allowed":       w.at("other"),
		"by a relative path":                 "../other",
		"by a URI":                           "file://" + w.at("other"),
		"a link to it":                       w.at("link"),
		"a link to it in the workspace":      w.at("a/out"),
		"a file behind a link":               w.at("a/out/.wrangler/issues/ISS-000001-x.md"),
		"the folder around":                  w.base,
		"the root":                           "/",
		"a name that nothing has":            "nobody",
		"a worktree that is gone":            w.at("a/.worktrees/gone"),
		"a folder that is not there":         w.at("none"),
		"a URI of another machine":           "file://host" + w.at("a"),
		"a worktree that only one side says": w.at("forged"),
		"one that only says so itself":       w.at("posing"),
		"a NUL byte":                         "a\x00b",
	} {
		t.Run(name, func(t *testing.T) { w.isRefused(t, s, workspace) })
	}
	t.Run("the user's configuration counts from the next call on", func(t *testing.T) {
		w.isRefused(t, s, w.at("c"))
		w.allow(t, "workspaces: {sea: "+w.at("c")+"}\n")
		w.isRefused(t, s, w.at("b"))
		w.isRefused(t, s, "bee")
		if text, isError := s.answer(t, "issues_list", map[string]any{"workspace": "sea"}); isError || !strings.Contains(text, mark("c")) {
			t.Error(text)
		}
		w.allow(t, "workspaces: {bee: "+w.at("b")+"}\n")
		w.isRefused(t, s, w.at("c"))
	})
	s.end(t)

	for _, c := range []struct{ name, root, lands string }{
		{"a root of the client", "b", "b"},
		{"a folder in a project as the client's root", "b/.wrangler/issues", "b"},
		{"the start workspace as the client's root", "a", "a"},
		{"a folder around the start workspace as the client's root", "", "a"},
		{"a worktree as the client's root", "a-tree", "a-tree"},
		{"a root that is not there", "none", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startIn(ctx, t, w.at("a"))
			defer s.end(t)
			s.offerRoots(t, w.at(c.root))
			w.landsIn(t, s, "", c.lands)
		})
	}
	t.Run("a root of the client opens what nobody else has allowed", func(t *testing.T) {
		s := startIn(ctx, t, w.at("a"))
		defer s.end(t)
		s.offerRoots(t, w.at("c"))
		for _, given := range []map[string]any{{}, {"workspace": w.at("c")}} {
			if text, isError := s.answer(t, "issues_list", given); isError || !strings.Contains(text, mark("c")) {
				t.Error(text)
			}
		}
		w.landsIn(t, s, w.at("a"), "a")
		w.isRefused(t, s, w.at("other"))
	})

	t.Run("a pinned server", func(t *testing.T) {
		s := converseIn(ctx, t, w.base, "--workspace", w.at("a"))
		defer s.end(t)
		if list := string(s.ask(t, "tools/list", "{}")); strings.Contains(list, `"workspace":`) {
			t.Error("it lists the argument")
		}
		w.landsIn(t, s, "", "a")
		w.landsIn(t, s, w.at("a"), "a")
		for _, workspace := range []string{w.at("a-tree"), w.at("a/.trees/no"), w.at("other"), w.at("link"), "bee", w.at("b")} {
			if text := w.isRefused(t, s, workspace); !strings.Contains(text, "--workspace") {
				t.Error(text)
			}
		}
	})

	t.Run("a server in a worktree", func(t *testing.T) {
		s := converseIn(ctx, t, w.at("a-tree"))
		defer s.end(t)
		text, isError := s.answer(t, "issues_create", map[string]any{"title": "From the worktree", "description": "x", "workspace": w.at("a")})
		if isError || !strings.Contains(text, "in the workspace "+w.at("a")) {
			t.Error(text)
		}
	})

	t.Run("a server in a worktree without documents", func(t *testing.T) {
		s := converseIn(ctx, t, w.at("a/.trees/no"))
		defer s.end(t)
		before := w.snapshot(t)
		if text, isError := s.answer(t, "issues_create", map[string]any{"title": "From within", "description": "x"}); isError {
			t.Error(text)
		}
		w.only(t, before, "a/.trees/no")
	})

	for _, folder := range []string{"a folder that is no workspace", "the home folder"} {
		t.Run("a server in "+folder, func(t *testing.T) {
			if folder == "the home folder" { // with a folder of another program
				t.Setenv("HOME", w.base)
				plantFiles(t, w.base, map[string]string{".wrangler/config/default.toml": ""})
			}
			s := converseIn(ctx, t, w.base)
			defer s.end(t)
			for _, workspace := range []string{w.at("a"), w.at("other")} {
				if text, isError := s.answer(t, "issues_list", map[string]any{"workspace": workspace}); !isError || !strings.Contains(text, "PERMISSION_DENIED") {
					t.Error(text)
				}
			}
		})
	}
}

// offerRoots shakes hands for a client with a folder open.
func (s *server) offerRoots(t *testing.T, root string) {
	t.Helper()
	s.ask(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"t","version":"1"}}`)
	if _, err := fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		t.Fatal(err)
	}
	var asked struct{ ID, Method string }
	if !s.answers.Scan() || json.Unmarshal(s.answers.Bytes(), &asked) != nil || asked.Method != "roots/list" {
		t.Fatalf("the server says %s, %v", s.answers.Text(), s.answers.Err())
	}
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%q,"result":{"roots":[{"uri":%q}]}}`+"\n", asked.ID, "file://"+root); err != nil {
		t.Fatal(err)
	}
}

// landsIn makes a call of each kind and looks where it landed.
func (w *workspaceWorld) landsIn(t *testing.T, s *server, workspace, lands string) {
	t.Helper()
	call := func(tool, arguments string, lands string) string {
		t.Helper()
		given := map[string]any{}
		for pair := range strings.SplitSeq(arguments, ", ") {
			if name, value, ok := strings.Cut(pair, ": "); ok {
				given[name] = value
			}
		}
		if tool == "session_checkpoint" {
			given["tasksCompleted"], given["tasksPending"] = []string{workspace}, []string{}
		}
		if workspace != "" {
			given["workspace"] = workspace
		}
		before := w.snapshot(t)
		text, isError := s.answer(t, tool, given)
		if isError {
			t.Fatalf("%s: %s", tool, text)
		}
		reads := slices.Contains([]string{"issues_list", "issues_search", "issues_get", "session_get"}, tool)
		if told := strings.Contains(text, "in the workspace "+w.at(lands)); told != (!reads && lands != "a") {
			t.Errorf("%s says where it landed: %t\n%s", tool, told, text)
		}
		w.only(t, before, lands)
		return text
	}
	title := "Made in " + mark(lands) + " " + fmt.Sprint(len(w.snapshot(t)))
	text := call("issues_create", "title: "+title+", description: x", lands)
	id := regexp.MustCompile(`ISS-\d+`).FindString(text)
	if lands != "a/.trees/no" {
		for tool, arguments := range map[string]string{"issues_get": "id: .wrangler/issues/ISS-000001-x.md", "issues_list": "", "issues_search": "query: first"} {
			text := call(tool, arguments, lands)
			for _, other := range []string{"a", "a-tree", "a/.worktrees/sort", "b", "other", "forged", "posing"} {
				if strings.Contains(text, "The first of "+mark(other)) != (other == lands) {
					t.Errorf("%s in %s answers %s", tool, lands, text)
				}
			}
		}
	}
	if text := call("issues_get", "id: "+id, lands); !strings.Contains(text, title) {
		t.Error(text)
	}
	before := w.snapshot(t)
	call("issues_update", "id: "+id+", project: apollo", lands)
	if len(before.changes(w.snapshot(t))) == 0 {
		t.Error("nothing was updated")
	}
	call("issues_claim", "operation: claim, id: "+id, lands)
	call("issues_claim", "operation: release, id: "+id, lands)
	if lands == "b" { // another repository does not know the session
		text, isError := s.answer(t, "session_checkpoint", map[string]any{
			"workspace": workspace, "sessionId": w.session, "tasksCompleted": []string{}, "tasksPending": []string{}, "lastAction": "x", "resumeInstructions": "x",
		})
		if !isError || !strings.Contains(text, "RESOURCE_NOT_FOUND") {
			t.Error(text)
		}
		return
	}
	// The record of a session stays where it was begun.
	before = w.snapshot(t)
	call("session_checkpoint", "sessionId: "+w.session+", lastAction: "+title+", resumeInstructions: go on", "a")
	record := filepath.Join("a/.wrangler/sessions", w.session, "checkpoint.json")
	if before.changes(w.snapshot(t))[record] == "" {
		t.Error("the session has no new checkpoint")
	}
	if text := call("session_get", "sessionId: "+w.session, "a"); !strings.Contains(text, title) {
		t.Error(text)
	}
	if lands == "a/.worktrees/sort" {
		if text := call("session_get", "", "a"); !strings.Contains(text, w.session) {
			t.Error(text)
		}
	}
}

// isRefused calls tools that read and write, none of which may do anything.
func (w *workspaceWorld) isRefused(t *testing.T, s *server, workspace string) (text string) {
	t.Helper()
	before := w.snapshot(t)
	for tool, given := range map[string]map[string]any{
		"issues_create":      {"title": "Lost", "description": "x"},
		"issues_update":      {"id": "ISS-000001", "status": "closed"},
		"issues_list":        {},
		"issues_search":      {"query": "first"},
		"issues_get":         {"id": "ISS-000001"},
		"issues_claim":       {"operation": "next"},
		"session_get":        {"sessionId": w.session},
		"session_checkpoint": {"sessionId": w.session, "tasksCompleted": []string{}, "tasksPending": []string{}, "lastAction": "x", "resumeInstructions": "x"},
	} {
		given["workspace"] = workspace
		var isError bool
		text, isError = s.answer(t, tool, given)
		if !isError || !strings.Contains(text, "Error [PERMISSION_DENIED]") || !strings.Contains(text, w.at("a")+" (where the server was started)") {
			t.Errorf("%s answers %s", tool, text)
		}
	}
	if changed := before.changes(w.snapshot(t)); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
	return text
}

// only fails the test for what has changed outside of a folder, or in a worktree inside it.
func (w *workspaceWorld) only(t *testing.T, before snapshot, lands string) {
	t.Helper()
	for path, how := range before.changes(w.snapshot(t)) {
		inside := path == lands || strings.HasPrefix(path, lands+"/")
		for _, tree := range []string{"a/.worktrees/", "a/.trees/"} {
			inside = inside && strings.HasPrefix(path, tree) == strings.HasPrefix(lands+"/", tree)
		}
		if !inside {
			t.Errorf("%s %s", path, how)
		}
	}
}
