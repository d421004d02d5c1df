//go:build !windows

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// claudeCode starts a server of Claude Code. session is the id that it has the server know, ""
// for none.
func claudeCode(t *testing.T, root, session string) *agent {
	t.Helper()
	server := exec.Command("issues-index", "serve", "--workspace", root, "--output", "both")
	server.Env = append(os.Environ(), "CLAUDE_CODE_SESSION_ID="+session)
	a, err := newAgent("claude-code", server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.end() })
	return a
}

// primed is what a hook of Claude Code tells, in a conversation with this id.
func primed(t *testing.T, root, session string) string {
	t.Helper()
	hook := exec.Command("issues-index", "prime", "--as", "claude-code", "--workspace", root)
	hook.Env = append(os.Environ(), "CLAUDE_CODE_SESSION_ID=")
	if session != "" {
		hook.Stdin = strings.NewReader(`{"session_id":"` + session + `","hook_event_name":"SessionStart","cwd":"/"}`)
	}
	out, err := hook.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// kill kills a server as no program can see coming.
func (a *agent) kill(t *testing.T) {
	t.Helper()
	if err := a.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	a.end()
}

func TestARestartedAgentHasItsClaims(t *testing.T) {
	t.Parallel()
	type claimed struct{ ID, Holder string }
	next, mine := map[string]any{"operation": "next"}, map[string]any{"claimedBy": "me"}
	const first, second = "ISS-000001", "ISS-000002"
	prepare := func(t *testing.T) string {
		root := t.TempDir()
		plant(t, root, first)
		plant(t, root, second)
		return root
	}
	t.Run("by the worktree and its client", func(t *testing.T) {
		root := prepare(t)
		one, two := claudeCode(t, root, ""), claudeCode(t, root, "")
		var a, b, again claimed
		one.must(t, "issues_claim", next, &a)
		two.must(t, "issues_claim", next, &b)
		if a.ID != first || b.ID != second || a.Holder == b.Holder {
			t.Fatalf("%+v, %+v", a, b)
		}
		one.kill(t)
		if text := two.must(t, "issues_list", map[string]any{"where": "is:stale"}, nil); !strings.Contains(text, first) || strings.Contains(text, second) {
			t.Errorf("the claim of the dead is not stale:\n%s", text)
		}
		if refused, err := two.call("issues_claim", map[string]any{"operation": "claim", "id": first}); err != nil || !refused.IsError {
			t.Errorf("another got it at once: %s, %v", refused.text(), err)
		}
		one = claudeCode(t, root, "")
		one.must(t, "issues_claim", map[string]any{"operation": "renew", "id": first}, &again)
		if again.Holder != a.Holder {
			t.Errorf("it was %s, and is %s", a.Holder, again.Holder)
		}
		for who, id := range map[*agent]string{one: first, two: second} {
			if text := who.must(t, "issues_list", mine, nil); !strings.HasPrefix(text, "Showing 1 of 1 ") || !strings.Contains(text, id) {
				t.Errorf("not %s alone:\n%s", id, text)
			}
		}
		if text := primed(t, root, "another"); strings.Contains(text, "Your claims") || !strings.Contains(text, "Claimed by other sessions of claude-code (2):") {
			t.Errorf("an agent is told that the claims of others are its own:\n%s", text)
		}
	})
	t.Run("by the id that the client gives", func(t *testing.T) {
		root := prepare(t)
		var a, b, again claimed
		one := claudeCode(t, root, "0f8e1c2a-77f6-4c1e-9d52-b8c6a3f0e911")
		one.must(t, "issues_claim", next, &a)
		if two := claudeCode(t, root, "another"); a.Holder != "claude-code/0f8e1c2a-77f6-4c1e-9d52-b8c6a3f0e911" {
			t.Fatal(a.Holder)
		} else {
			two.must(t, "issues_claim", next, &b)
		}
		one.kill(t)
		claudeCode(t, root, "").must(t, "issues_list", mine, nil)
		claudeCode(t, root, "0f8e1c2a-77f6-4c1e-9d52-b8c6a3f0e911").must(t, "issues_claim", map[string]any{"operation": "renew", "id": first}, &again)
		text := primed(t, root, "0f8e1c2a-77f6-4c1e-9d52-b8c6a3f0e911")
		if own, others, _ := strings.Cut(text, "Claimed by other sessions of claude-code (1):"); again.Holder != a.Holder || !strings.Contains(own, "Your claims (1):\n- "+first) || !strings.Contains(others, second) {
			t.Errorf("%s, then %s:\n%s", a.Holder, again.Holder, text)
		}
		if text := primed(t, root, ""); strings.Contains(text, "Your claims") {
			t.Errorf("nobody knows who asks:\n%s", text)
		}
	})
}
