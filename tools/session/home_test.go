package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// A call that comes from another worktree finds the session where it was begun, and renews
// the claims in the worktree that the session works in.
func TestASessionIsServedFromEveryWorktree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here:", err)
	}
	f := open(t)
	git := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-C", f.root, "-c", "maintenance.auto=false", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	const path = ".wrangler/issues/ISS-000001.md"
	toolstest.Write(t, f.root, path, "---\nid: ISS-000001\nstatus: in_progress\nassignee: agent/s1\n---\n")
	beside := filepath.Join(f.root, ".beside")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "x")
	git("worktree", "add", "-q", "-b", "beside", beside)

	served := true
	opened := func(ctx context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
		root := ask.Workspace
		if root == "" {
			root = f.root
		} else if !served {
			return tools.WorkspaceBinding{}, &workspaces.RefusedError{}
		}
		ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Getwd: os.Getwd})
		if err != nil {
			return tools.WorkspaceBinding{}, err
		}
		ix, err := index.Open(ctx, ws, index.Options{Deferred: true})
		b := tools.WorkspaceBinding{Index: ix, Settings: answer.Defaults(), Lease: time.Hour, Release: func() { _, _ = ix.Close(), ws.Close() }}
		if root != f.root {
			b.Elsewhere = root
		}
		return b, err
	}
	f.Client = toolstest.NewClient(t, tools.Config{Session: "s1", Workspaces: opened, Toolsets: []tools.Toolset{
		tools.PerWorkspace(nil, false, func(ix *index.Index) tools.Toolset {
			if ix == nil {
				return Toolset(nil)
			}
			return Toolset(ix.Workspace())
		}),
	}})
	started, _ := toolstest.Must[startAnswer](t, f.Client, "session_start", map[string]any{"specFile": spec})

	// claimed is a lease in each worktree, granted three hours ago for four.
	type claimed struct {
		leases *claims.Leases
		claims.Lease
		doc *store.Document
	}
	var held []claimed
	for _, root := range []string{f.root, started.WorktreePath, beside} {
		ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		doc, _, err := ws.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		leases := claims.In(ws, claims.TeamOptions{})
		t.Cleanup(func() { leases.Close() })
		granted, err := leases.Grant(t.Context(), doc, "agent/s1", 4*time.Hour, false, ws.Now().Add(-3*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, claimed{leases, granted, doc})
	}
	given := map[string]any{
		"sessionId": started.SessionID, "tasksCompleted": []string{}, "tasksPending": []string{}, "lastAction": "a", "resumeInstructions": "b", "workspace": beside,
	}
	if _, text := toolstest.Must[checkpointAnswer](t, f.Client, "session_checkpoint", given); strings.Contains(text, "Note:") {
		t.Error(text)
	}
	for i, renewed := range []bool{true, true, false} {
		now, err := held[i].leases.OfDocument(t.Context(), held[i].doc)
		if err != nil || now == nil || now.Expires.After(held[i].Expires) != renewed {
			t.Errorf("claim %d: %+v, %v", i, now, err)
		}
	}
	for tool, given := range map[string]map[string]any{
		"session_get":   {"sessionId": started.SessionID, "workspace": beside},
		"session_phase": {"sessionId": started.SessionID, "workspace": beside, "phase": "plan", "status": "started"},
	} {
		if answer := f.Call(t, tool, given); answer.IsError {
			t.Error(answer.Text())
		}
	}
	if _, text := toolstest.Must[sessionAnswer](t, f.Client, "session_get", map[string]any{"workspace": started.WorktreePath}); !strings.Contains(text, started.SessionID) {
		t.Error(text)
	}
	if found, _ := toolstest.Must[sessionAnswer](t, f.Client, "session_get", map[string]any{"workspace": beside}); found.Found {
		t.Errorf("%+v", found)
	}
	if _, err := os.Stat(filepath.Join(beside, ".wrangler", "sessions")); !os.IsNotExist(err) {
		t.Error("a record was made elsewhere:", err)
	}
	if _, text := toolstest.Must[startAnswer](t, f.Client, "session_start", map[string]any{"specFile": spec, "workspace": beside}); !strings.Contains(text, "in the workspace "+beside) {
		t.Error(text)
	}

	t.Run("unless the server does not serve them", func(t *testing.T) {
		served = false
		delete(given, "workspace")
		if answer := f.Call(t, "session_checkpoint", given); answer.IsError {
			t.Error(answer.Text())
		}
	})
}
