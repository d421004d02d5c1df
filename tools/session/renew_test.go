package session

import (
	"strings"
	"testing"
	"time"

	"issues-index/index/claims"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// A checkpoint says that its agent is at work: it renews what the agent has claimed, and says
// what somebody else has ended.
func TestACheckpointRenewsClaims(t *testing.T) {
	f := open(t)
	const path = ".wrangler/issues/ISS-000001.md"
	toolstest.Write(t, f.root, path, "---\nid: ISS-000001\nstatus: in_progress\nassignee: agent/s1\n---\n")
	leases := claims.In(f.ws, claims.TeamOptions{})
	defer leases.Close()
	doc, _, err := f.ws.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	granted, err := leases.Grant(t.Context(), doc, "agent/s1", 4*time.Hour, false, f.ws.Now().Add(-3*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	id := f.begin(t)
	given := map[string]any{"sessionId": id, "tasksCompleted": []string{}, "tasksPending": []string{}, "lastAction": "a", "resumeInstructions": "b"}
	for _, session := range []string{"s2", "s1"} {
		client := toolstest.NewClient(t, tools.Config{Session: session, Toolsets: []tools.Toolset{toolset(f.ws, lockWait)}})
		if _, text := toolstest.Must[checkpointAnswer](t, client, "session_checkpoint", given); strings.Contains(text, "could not be renewed") {
			t.Error(text)
		}
		held, err := leases.OfDocument(t.Context(), doc)
		if err != nil || held == nil || held.Expires.After(granted.Expires) != (session == "s1") {
			t.Errorf("%s: %+v, %v", session, held, err)
		}
	}
	if err := leases.MarkEnded(t.Context(), granted, "ben", claims.Subject{Status: "closed", Assignee: "agent/s1"}); err != nil {
		t.Fatal(err)
	}
	client := toolstest.NewClient(t, tools.Config{Session: "s1", Toolsets: []tools.Toolset{toolset(f.ws, lockWait)}})
	for _, told := range []bool{true, false} {
		if _, text := toolstest.Must[checkpointAnswer](t, client, "session_checkpoint", given); strings.Contains(text, "ben set it closed") != told {
			t.Error(text)
		}
	}
}
