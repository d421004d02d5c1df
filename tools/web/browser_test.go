//go:build !windows

package web

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"issues-index/tools/browsertest"
	"issues-index/tools/transport"
)

// TestPagesInABrowser looks at every page as a person does, in the narrowest and the widest
// window and in both colour schemes. No page may scroll sideways as a whole, complain, or
// ask for anything that is not this server's.
func TestPagesInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, serve(t, sample()).Handler, slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { server.Close() })
	for _, page := range []string{"", "list", "search?q=parser", "board", "d/ISS-000001", "d/ISS-000002", "d/ISS-000005", "graph", "go?q=parser", "choose?field=labels", "agents", "problems", "sessions/2026-01-22-abc1234-0a1b"} {
		for _, width := range []int{320, 375, 1280, 2560} {
			for _, scheme := range []string{"light", "dark"} {
				b.Look(width, 900, scheme)
				b.Open(server.URL() + page)
				var wide int
				b.Eval(`document.documentElement.scrollWidth`, &wide)
				if wide > width {
					t.Errorf("/%s is %d wide in a window of %d", page, wide, width)
				}
				name, _, _ := strings.Cut(strings.ReplaceAll(page, "/", "-"), "?")
				browsertest.Keep(t, fmt.Sprintf("web-%s-%d-%s.png", name, width, scheme), b.Screenshot())
			}
		}
	}

	t.Run("the key / leads to the search", func(t *testing.T) {
		b.Look(1200, 900, "light")
		b.Open(server.URL())
		var focused string
		b.Eval(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true})), document.activeElement.name`, &focused)
		if focused != "q" {
			t.Errorf("%q has the focus", focused)
		}
	})

	t.Run("every control has a name, and text can be told from its background", func(t *testing.T) {
		for _, scheme := range []string{"light", "dark"} {
			for _, page := range []string{"", "list", "board", "d/ISS-000002", "graph"} {
				b.Look(1200, 900, scheme)
				b.Open(server.URL() + page)
				var nameless, faint []string
				b.Eval(namelessControls, &nameless)
				b.Eval(faintTexts, &faint)
				if len(nameless) > 0 || len(faint) > 0 {
					t.Errorf("/%s, %s: nameless %v, faint %v", page, scheme, nameless, faint)
				}
			}
		}
	})

	if len(b.Complaints) > 0 {
		t.Errorf("the pages complain:\n%s", strings.Join(b.Complaints, "\n"))
	}
	for _, address := range b.Requests {
		if !strings.HasPrefix(address, server.URL()) {
			t.Errorf("a page asks for %s", address)
		}
	}
}

// A long name of a file makes no page wider than its window.
func TestALongPathKeepsToItsPage(t *testing.T) {
	b := browsertest.Start(t)
	_, text := issue(1, "Named at length", "", "status: open")
	s := serve(t, files{".wrangler/issues/ISS-000001-" + strings.Repeat("and-more-", 20) + "x.md": text})
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, s.Handler, slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { server.Close() })
	for _, width := range []int{375, 1280} {
		b.Look(width, 800, "light")
		b.Open(server.URL() + "d/ISS-000001")
		var wide int
		if b.Eval(`document.documentElement.scrollWidth`, &wide); wide > width {
			t.Errorf("the page is %d wide in a window of %d", wide, width)
		}
	}
}

// TestPagesAreAccessible has axe look at every page. ISSUES_INDEX_AXE names the axe.min.js of
// the npm package axe-core.
func TestPagesAreAccessible(t *testing.T) {
	file := os.Getenv("ISSUES_INDEX_AXE")
	if file == "" {
		t.Skip("SKIPPED, axe does NOT look at the pages: ISSUES_INDEX_AXE does not name the axe.min.js of axe-core")
	}
	axe, err := os.ReadFile(file)
	check(t, err)
	b := browsertest.Start(t)
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, editable(t, sample()).Handler, slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { server.Close() })
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{320, 1200} {
			for _, page := range []string{
				"", "list", "list?where=priority+%3D", "search?q=parser", "board", "board?board=mine", "d/ISS-000001", "d/ISS-000002", "d/ISS-000005", "graph",
				"agents", "problems", "sessions/2026-01-22-abc1234-0a1b", "nothing", "d/ISS-000001/edit", "new", "go?q=parser", "choose?field=status", "choose?field=labels&doc=ISS-000001", "list?view=blocked", "list?where=label:none",
			} {
				b.Look(width, 900, scheme)
				b.Open(server.URL() + page)
				b.Eval(string(axe)+";0", nil)
				var found struct {
					Violations []string
					Passes     int
				}
				b.Eval(`axe.run().then(r => ({Passes: r.passes.length, Violations: r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html).join(" ").slice(0, 300))}))`, &found)
				if len(found.Violations) > 0 || found.Passes < 10 {
					t.Errorf("/%s, %d, %s: %d rules hold, not these: %s", page, width, scheme, found.Passes, strings.Join(found.Violations, "\n"))
				}
			}
		}
	}
}

// namelessControls yields what can be used and says nothing to those who do not see it.
const namelessControls = `[...document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea, [role=region]")].filter(e =>
	!(e.textContent.trim() && e.tagName !== "SELECT") && !e.getAttribute("aria-label") && !(e.labels && e.labels.length)).map(e => e.outerHTML)`

// faintTexts yields texts whose contrast with what is behind them is less than 4.5 to 1, as
// WCAG asks for.
const faintTexts = `(() => {
	const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
	return [...document.querySelectorAll("body *:not(svg *)")].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).filter(e => {
		const a = light(getComputedStyle(e).color), b = light(behind(e));
		return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
	}).map(e => e.outerHTML.slice(0, 100));
})()`

// Changes on disk come to open pages by themselves, and take nothing from a person who is
// typing.
func TestOpenPagesFollowTheFiles(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	s := serve(t, sample())
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, s.Handler, slog.New(slog.DiscardHandler))
	check(t, err)
	server.OnClose(s.pages.End)
	t.Cleanup(func() { server.Close() })
	shows := func(text string) string {
		return fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, text)
	}
	for n, page := range []string{"", "list", "board", "graph", "d/ISS-000003", "search?q=round"} {
		b.Open(server.URL() + page)
		title := fmt.Sprintf("Round number %d", n)
		s.write(t, 3, title, "## Why\n", "status: in_progress", "assignee: ann", "dependsOn: [ISS-000004]")
		b.Until(shows(title))
	}

	t.Run("a document that another page shows is of no interest", func(t *testing.T) {
		b.Open(server.URL() + "d/ISS-000005")
		asked := len(b.Requests)
		s.write(t, 3, "Elsewhere", "", "status: open")
		s.write(t, 5, "Here", "", "status: closed")
		b.Until(shows("Here"))
		pages := 0
		for _, r := range b.Requests[asked:] {
			if strings.HasSuffix(r, "/d/ISS-000005") {
				pages++
			}
		}
		if pages > 2 {
			t.Errorf("the page was asked for %d times", pages)
		}
	})

	t.Run("what a person types stays", func(t *testing.T) {
		b.Open(server.URL() + "list")
		b.Eval(`document.querySelector("[name=where]").focus(), document.execCommand("insertText", false, "status = op"), 0`, new(int))
		s.write(t, 4, "While typing", "", "status: open")
		b.Until(`location.search.includes("where=status")`) // which is no criterion yet
		b.Eval(`document.execCommand("insertText", false, "en"), 0`, new(int))
		b.Until(`new URLSearchParams(location.search).get("where") == "status = open" && ` + shows("While typing"))
		var typed struct {
			Value string
			Focus bool
		}
		b.Eval(`({Value: document.querySelector("[name=where]").value, Focus: document.activeElement.name == "where"})`, &typed)
		if typed.Value != "status = open" || !typed.Focus {
			t.Errorf("%+v", typed)
		}
		s.write(t, 4, "Still typing", "", "status: open")
		b.Until(shows("Still typing"))
		b.Until(`document.querySelector("[name=where]").value == "status = open" && document.activeElement.name == "where"`)
	})

	t.Run("a change that waits is told until it is shown", func(t *testing.T) {
		b.Open(server.URL() + "d/ISS-000005")
		b.Eval(`window.told = [], new BroadcastChannel("issues-index").onmessage = e => told.push(...e.data.changed ?? []), getSelection().selectAllChildren(document.querySelector("main")), 0`, nil)
		s.write(t, 5, "After reading", "", "status: closed")
		b.Until(`document.getElementById("news").textContent.includes("has changed")`)
		s.write(t, 3, "Elsewhere again", "", "status: open")
		b.Until(`told.includes("ISS-000003")`)
		b.Eval(`getSelection().empty(), 0`, nil)
		b.Until(shows("After reading") + ` && document.getElementById("news").textContent == ""`)
	})

	t.Run("a search answers while it is typed, and can be left", func(t *testing.T) {
		b.Open(server.URL() + "board")
		b.Eval(`document.querySelector("[name=q]").focus(), document.execCommand("insertText", false, "parser"), 0`, new(int))
		b.Until(`location.pathname == "/search" && ` + shows("Write the parser"))
		b.Eval(`history.back(), 0`, new(int))
		b.Until(`location.pathname == "/board" && document.querySelector("h1")?.textContent == "Board"`)
	})

	t.Run("many pages of one browser follow", func(t *testing.T) {
		b.Open(server.URL() + "list")
		b.Eval(`window.tabs = Array.from({length: 8}, () => open("/list")), tabs.length`, new(int))
		b.Until(`tabs.every(w => w?.document.querySelector("h1")?.textContent == "List" && w.document.readyState == "complete")`)
		s.write(t, 4, "In every page", "", "status: open")
		// A page that nobody sees waits until somebody does.
		b.Eval(`tabs.map(w => (Object.defineProperty(w.document, "hidden", {value: false}), w.document.dispatchEvent(new w.Event("visibilitychange")))).length`, new(int))
		b.Until(`tabs.every(w => w.document.querySelector("main").textContent.includes("In every page"))`)
	})
	for _, complaint := range b.Complaints {
		if !strings.Contains(complaint, "/list?where=status+%3D+op\"") { // criteria that are half typed
			t.Errorf("a page complains: %s", complaint)
		}
	}
}
