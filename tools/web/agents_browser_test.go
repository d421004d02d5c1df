//go:build !windows

package web

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/browsertest"
	"issues-index/tools/transport"
)

// The page of agents follows claims and calls while it is open, and gives a lapsed claim back by one
// click, with the way back beside it.
func TestAgentsInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s, ix := agentsSite(t, sample(), path)
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, s.Handler, slog.New(slog.DiscardHandler))
	check(t, err)
	server.OnClose(s.pages.End)
	t.Cleanup(func() { server.Close() })
	shows := func(text string) string {
		return `document.querySelector("main").innerText.includes("` + text + `")`
	}
	b.Look(1280, 800, "light")
	b.Open(server.URL() + "agents")
	b.Until(shows("No document was closed today."))
	mustClaim(t, ix, "ISS-000001", "claude-code/k2xq", 0)
	b.Until(shows("claude-code/k2xq") + " && " + shows("1 at work"))
	record(t, path, tools.Call{Time: time.Now(), Tool: "issues_list", Client: "gemini-cli 0.5", Tokens: 600})
	b.Until(shows("gemini-cli 0.5") + " && " + shows("600 tokens today"))
	lapse(t, ix, "claude-code/k2xq")
	b.Until(shows("1 claim lapsed"))
	b.Eval(`document.querySelector("[action='/release'] button").click(), 0`, nil)
	b.Until(`document.getElementById("news").textContent.includes("ISS-000001 is open now.") && ` + shows("No claim has lapsed."))
	b.Eval(`document.querySelector("#news button").click(), 0`, nil)
	b.Until(`document.getElementById("news").textContent.includes("The change was taken back.")`)
	if len(b.Complaints) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(b.Complaints, "\n"))
	}
}
