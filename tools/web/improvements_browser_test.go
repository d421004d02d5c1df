//go:build !windows

package web

import (
	"fmt"
	"html"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"issues-index/tools/browsertest"
	"issues-index/tools/transport"
)

// many is a workspace with enough documents to fill pages.
func many() files {
	f := sample()
	for n := 6; n <= 45; n++ {
		priority := []string{"critical", "high", "medium", "low"}[n%4]
		name, text := issue(n, fmt.Sprintf("Task %d of the plan", n), "- [x] one\n- [ ] two\n", "status: open", "priority: "+priority,
			"labels: [core, docs, later]", "assignee: "+[]string{"ann", "bob"}[n%2])
		f[name] = text
	}
	return f
}

// TestImprovementsInABrowser does what a person who comes from another tracker expects, each
// improvement of docs/pages.md under its number.
func TestImprovementsInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	s := editable(t, many())
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, s.Handler, slog.New(slog.DiscardHandler))
	check(t, err)
	server.OnClose(s.pages.End)
	t.Cleanup(func() { server.Close() })
	open := func(t *testing.T, page string) {
		t.Helper()
		b.Look(1280, 800, "light")
		b.Open(server.URL() + page)
	}
	holds := func(t *testing.T, expression string) {
		t.Helper()
		var so bool
		if b.Eval("!!("+expression+")", &so); !so {
			t.Errorf("does not hold: %s", expression)
		}
	}
	number := func(expression string) (n float64) {
		t.Helper()
		b.Eval(expression, &n)
		return n
	}
	says := func(t *testing.T, n int, want string) {
		t.Helper()
		name, _ := issue(n, "", "")
		if text := s.files(t)[name]; !strings.Contains(text, want) {
			t.Errorf("%s does not have %q:\n%s", name, want, text)
		}
	}
	focusRow := func(doc string) {
		b.Eval(`document.querySelector('[data-doc="`+doc+`"] .cover').focus(), 0`, nil)
	}
	const said = `document.querySelector("#news p")?.textContent == "%s is changed."`

	for _, page := range []string{"list", "board"} {
		t.Run("1 chips filter the "+page, func(t *testing.T) {
			open(t, page)
			b.Click(`.chip[href*="field=priority"]`)
			b.Until(`document.querySelector("dialog.pop .choices a")`)
			b.Leave(func() { b.Press("1", 0) }) // the most urgent
			holds(t, `new URLSearchParams(location.search).get("where") == "priority = critical" && document.querySelector("[name=where]").value == "priority = critical"`)
			holds(t, `document.querySelectorAll("main .p-critical").length > 5 && !document.querySelector("main :is(.rows, .cards) .p-low")`)
			b.Leave(func() { b.Click(".chip.on") })
			holds(t, `!location.search.includes("where")`)
		})
	}
	t.Run("2 a list has what is left, the most urgent first", func(t *testing.T) {
		open(t, "list")
		holds(t, `document.querySelector("tbody .ic").classList.contains("p-critical") && !document.querySelector("tbody .s-done")`)
		holds(t, `document.querySelector("[aria-current=page] .n").textContent == "44"`)
		b.Leave(func() { b.Click(`.tabs a[href="/list?view=done"]`) })
		holds(t, `document.querySelector("tbody .s-done") && document.querySelectorAll("tbody tr").length == 1`)
	})
	t.Run("3 twenty rows of 32 pixels are in sight", func(t *testing.T) {
		open(t, "list")
		holds(t, `[...document.querySelectorAll("tbody tr")].filter(r => r.getBoundingClientRect().bottom <= innerHeight).length >= 20`)
		if height := number(`document.querySelector("tbody tr").offsetHeight`); height < 31 || height > 33 {
			t.Errorf("a row is %v high", height)
		}
	})
	t.Run("4 no mark breaks, and an id has the room that it needs", func(t *testing.T) {
		for _, width := range []int{1280, 2560} {
			b.Look(width, 800, "light")
			b.Open(server.URL() + "list")
			holds(t, `[...document.querySelectorAll("tbody :is(.pick, .id)")].every(e => e.getClientRects().length == 1 && e.scrollWidth <= e.clientWidth + 1 && e.offsetHeight < 30)`)
		}
	})
	t.Run("5 a row is a link", func(t *testing.T) {
		open(t, "list")
		b.Leave(func() { b.Click(`[data-doc="ISS-000008"] .c-d time`) })
		holds(t, `location.pathname == "/d/ISS-000008"`)
	})
	t.Run("6 the head of a column sorts", func(t *testing.T) {
		open(t, "list")
		holds(t, `document.querySelector(".c-p").getAttribute("aria-sort") == "descending"`)
		b.Leave(func() { b.Click("th.c-t a") })
		holds(t, `new URLSearchParams(location.search).get("sort") == "title" && document.querySelector("th.c-t").getAttribute("aria-sort") == "ascending"`)
		holds(t, `(t => JSON.stringify(t) == JSON.stringify([...t].sort()))([...document.querySelectorAll("tbody .cover")].map(e => e.textContent))`)
	})
	t.Run("7 a card is 64 pixels, and moves by a menu", func(t *testing.T) {
		open(t, "board")
		if height := number(`document.querySelector(".card").offsetHeight`); height != 64 {
			t.Errorf("a card is %v high", height)
		}
		holds(t, `getComputedStyle(document.querySelector(".card.critical")).borderLeftColor != getComputedStyle(document.querySelector(".card.medium")).borderLeftColor`)
		holds(t, `getComputedStyle(document.querySelector(".move")).opacity == "0"`)
		b.Eval(`document.querySelector('[data-doc="ISS-000008"] summary').focus(), 0`, nil)
		b.Until(`getComputedStyle(document.querySelector('[data-doc="ISS-000008"] .move')).opacity == "1"`)
	})
	t.Run("8 priority and status are drawn, with a word", func(t *testing.T) {
		open(t, "list?view=all")
		holds(t, `[...document.querySelectorAll("tbody tr")].every(r => r.querySelector(".c-p .ic") && r.querySelector(".c-p").textContent.trim() && r.querySelector(".c-s .ic"))`)
		holds(t, `document.querySelector("main").innerText.includes("In progress") && !document.querySelector("main").innerText.includes("in_progress")`)
	})
	t.Run("9 each write can be taken back where it was made", func(t *testing.T) {
		open(t, "board")
		focusRow("ISS-000009")
		b.Press("s", 0)
		b.Until(`document.querySelector("dialog.pop button")`)
		b.Press("2", 0)
		b.Until(`document.querySelector("#news p")?.textContent == "ISS-000009 is in_progress now." && document.querySelector('[data-status=in_progress] [data-doc="ISS-000009"]')`)
		b.Press("z", 0)
		b.Until(`document.querySelector("#news p")?.textContent == "The change was taken back." && document.querySelector('[data-status=open] [data-doc="ISS-000009"]')`)
		holds(t, `location.pathname == "/board"`)
		says(t, 9, "status: open")
	})
	t.Run("10 fields are changed in place, by a click or two keys", func(t *testing.T) {
		open(t, "d/ISS-000010")
		b.Eval(`document.getElementById("set-priority").focus(), 0`, nil)
		b.Type("") // the field is reached by the keyboard
		b.Eval(`(f => { f.value = "low"; f.dispatchEvent(new Event("change", {bubbles: true})); })(document.getElementById("set-priority")), 0`, nil)
		b.Until(fmt.Sprintf(said, "ISS-000010") + ` && document.getElementById("set-priority").value == "low"`)
		says(t, 10, "priority: low")
		b.Eval(`document.activeElement.blur(), 0`, nil)
		for _, c := range []struct{ page, doc, key, digit, want string }{
			{"d/ISS-000011", "", "p", "1", "priority: critical"}, {"list", "ISS-000012", "p", "4", "priority: low"},
			{"list", "ISS-000013", "a", "1", "id: ISS-000013"}, {"board", "ISS-000014", "l", "1", "labels:\n  - docs\n  - later"},
		} {
			open(t, c.page)
			doc := c.doc
			if doc == "" {
				doc = "ISS-000011"
			} else {
				focusRow(doc)
			}
			b.Press(c.key, 0)
			b.Until(`document.querySelector("dialog.pop button")`)
			b.Press(c.digit, 0)
			b.Until(fmt.Sprintf(said, doc))
			var n int
			fmt.Sscanf(doc, "ISS-%d", &n)
			if c.key == "a" {
				name, _ := issue(n, "", "")
				if strings.Contains(s.files(t)[name], "assignee: bob") {
					t.Errorf("%s is still assigned", doc)
				}
			} else if c.key != "l" {
				says(t, n, c.want)
			}
			holds(t, fmt.Sprintf(`location.pathname == "/%s"`, c.page))
		}
	})
	t.Run("10 a document is claimed, released, closed and deleted by buttons", func(t *testing.T) {
		open(t, "d/ISS-000024")
		b.Click(`form[action="/claim"] button`)
		b.Until(`document.querySelector('form[action="/release"]') && document.querySelector(".claim")`)
		says(t, 24, "status: in_progress")
		b.Click(`form[action="/release"] button`)
		b.Until(`document.querySelector('form[action="/claim"]')`)
		b.Click(`.side .menu.left summary`)
		b.Click(`.side .menu.left button[value=closed]`)
		b.Until(`document.querySelector("#news p")?.textContent == "ISS-000024 is closed now."`)
		open(t, "d/ISS-000016")
		b.Click(`.side .menu:not(.left) > summary`)
		b.Click(`.side .menu .fold summary`)
		b.Leave(func() { b.Click(`form[action="/delete"] button`) })
		holds(t, `location.pathname == "/list" && document.querySelector("#news p").textContent == "ISS-000016 is deleted."`)
	})
	t.Run("11 a note is added", func(t *testing.T) {
		open(t, "d/ISS-000017")
		b.Press("m", 0)
		b.Until(`document.activeElement.id == "note"`)
		b.Type("Measured on the bench.")
		b.Eval(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true})), 0`, nil)
		b.Until(`document.querySelector(".text").innerText.includes("Measured on the bench.") && document.getElementById("note").value == ""`)
		says(t, 17, "two\n\nMeasured on the bench.\n")
	})
	t.Run("12 the palette leads to a document and to what can be done", func(t *testing.T) {
		open(t, "d/ISS-000018")
		b.Press("k", 2)
		b.Until(`document.querySelector("dialog.palette li")`)
		holds(t, `document.querySelector("dialog.palette").innerText.includes("With ISS-000018")`)
		b.Type("parser")
		chosen := func(doc string) {
			b.Until(`document.querySelector('dialog.palette [aria-selected=true] a')?.getAttribute("href") == "/d/` + doc + `"`)
		}
		chosen("ISS-000002")
		b.Press("ArrowDown", 0)
		chosen("ISS-000001")
		b.Leave(func() { b.Press("Enter", 0) })
		holds(t, `location.pathname == "/d/ISS-000001"`)
		b.Press("k", 2)
		b.Until(`document.querySelector("dialog.palette li")`)
		b.Type("18")
		chosen("ISS-000018")
		b.Leave(func() { b.Press("Enter", 0) })
		holds(t, `location.pathname == "/d/ISS-000018"`)
	})
	t.Run("12 keys move, and can be looked up and switched off", func(t *testing.T) {
		open(t, "list")
		b.Press("j", 0)
		b.Press("j", 0)
		b.Press("k", 0)
		holds(t, `document.activeElement == document.querySelector("tbody .cover")`)
		b.Press("?", 0)
		b.Until(`document.querySelector("dialog.keys")?.innerText.includes("Undo the last change")`)
		b.Click("dialog.keys label")
		b.Eval(`document.querySelector("dialog").close(), 0`, nil)
		b.Press("?", 0)
		holds(t, `!document.querySelector("dialog")`)
		b.Eval(`localStorage.clear(), 0`, nil)
		b.Press("g", 0)
		b.Leave(func() { b.Press("b", 0) })
		holds(t, `location.pathname == "/board"`)
	})
	t.Run("13 people, projects and labels are offered", func(t *testing.T) {
		open(t, "d/ISS-000019")
		holds(t, `[...document.getElementById("set-assignee").list.options].some(o => o.value == "bob")`)
		b.Click(`.labels [data-choose]`)
		b.Until(`[...document.querySelectorAll("dialog.pop button")].some(e => e.textContent.trim() == "core")`)
	})
	t.Run("14 problems are a page, and a quiet line on a document", func(t *testing.T) {
		open(t, "d/ISS-000005")
		b.Leave(func() { b.Click("a.problem") })
		holds(t, `location.pathname == "/problems" && document.querySelector("main").innerText.includes("ISS-000005") && document.querySelector(".cmd")`)
	})
	t.Run("15 one navigation has all pages", func(t *testing.T) {
		for _, page := range []string{"", "list", "board", "agents", "graph", "problems", "sessions/2026-01-22-abc1234-0a1b"} {
			open(t, page)
			holds(t, `[...document.querySelectorAll(".bar nav a")].map(a => a.textContent.trim()).join() == "Overview,List,Board,Agents,Graph"`)
		}
	})
	t.Run("16 an empty list says what to do next", func(t *testing.T) {
		for _, page := range []string{"list?where=label:none", "list?view=mine&where=label:none", "graph?under=ISS-000005"} {
			open(t, page)
			holds(t, `document.querySelector(".empty a, .empty code, .empty button")`)
		}
	})
	t.Run("17 a phone has one row above, and tabs below", func(t *testing.T) {
		b.Look(375, 800, "light")
		b.Open(server.URL() + "list")
		holds(t, `document.querySelector(".bar").offsetHeight <= 48 && document.querySelector("nav[aria-label=Pages]").getBoundingClientRect().bottom == innerHeight`)
		holds(t, `document.querySelector("tbody tr").getBoundingClientRect().top < 200`)
		b.Open(server.URL() + "board")
		holds(t, `getComputedStyle(document.querySelector(".board")).scrollSnapType.startsWith("x") && document.querySelector(".lane").offsetWidth > 290`)
		holds(t, `[...document.querySelectorAll(".card .move > summary")].every(e => e.offsetHeight >= 44 && e.offsetWidth >= 44)`)
	})
	t.Run("18 paper has the documents and nothing to press", func(t *testing.T) {
		for _, page := range []string{"list", "board", "d/ISS-000001"} {
			b.Look(800, 1100, "print")
			b.Open(server.URL() + page)
			holds(t, `[...document.querySelectorAll(".bar, .chips, .move, .toast, button:not(.box), .btn")].every(e => e.offsetParent == null)`)
			holds(t, `document.documentElement.scrollWidth <= innerWidth`)
		}
		holds(t, `getComputedStyle(document.querySelector("button.box[aria-checked=true]"), "::before").content == '"☑"' && getComputedStyle(document.querySelector("button.box[aria-checked=false]"), "::before").content == '"☐"'`)
		b.Look(1280, 800, "light")
	})
	t.Run("19 a board has the width of the window, and folds what cannot be begun", func(t *testing.T) {
		b.Look(2560, 1200, "light")
		b.Open(server.URL() + "board")
		holds(t, `document.querySelector(".board").offsetWidth > 2400`)
		holds(t, `document.querySelector(".lane h2").innerText.includes("Ready") && document.querySelector(".lane .fold").innerText.includes("not ready") && !document.querySelector("[data-status=cancelled]")`)
		holds(t, `document.querySelector("[data-status=closed] h2").innerText.includes("last 14 days")`)
	})
	t.Run("20 times are ages, with the time itself as a title", func(t *testing.T) {
		open(t, "list")
		holds(t, `[...document.querySelectorAll("tbody time")].every(e => /^\d+ (second|minute|hour)s?$/.test(e.textContent) && /20\d\d/.test(e.title))`)
	})
	t.Run("the appearance stays", func(t *testing.T) {
		open(t, "list")
		b.Eval(`document.querySelector("[data-do=theme]").click(), document.querySelector("[data-do=theme]").click(), 0`, nil)
		b.Open(server.URL() + "board")
		holds(t, `document.documentElement.dataset.theme == "dark" && getComputedStyle(document.body).colorScheme != "" && getComputedStyle(document.documentElement).backgroundColor == "rgb(19, 21, 24)"`)
		b.Eval(`localStorage.clear(), 0`, nil)
	})
	t.Run("9 what another has changed since is not taken back, and named", func(t *testing.T) {
		open(t, "d/ISS-000022")
		b.Eval(`(f => { f.value = "low"; f.dispatchEvent(new Event("change", {bubbles: true})); })(document.getElementById("set-priority")), 0`, nil)
		b.Until(fmt.Sprintf(said, "ISS-000022"))
		s.write(t, 23, "Elsewhere", "", "status: open")
		s.write(t, 22, "By an agent", "", "status: open", "priority: critical")
		b.Until(`document.querySelector("h1").textContent == "By an agent" && document.querySelector("#news form")`)
		b.Press("z", 0)
		b.Until(`/Nothing was taken back.*changed since.*priority: low → critical/.test(document.querySelector("#news p")?.textContent)`)
		says(t, 22, "priority: critical")
	})
	t.Run("an agent and a person change one document", func(t *testing.T) {
		open(t, "d/ISS-000020")
		s.write(t, 20, "By an agent", "", "status: open", "priority: high")
		b.Until(`document.querySelector("h1").textContent == "By an agent"`)
		b.Eval(`document.querySelector("[data-doc]").addEventListener("submit", e => e.target.elements.ifVersion.value = "0000000000", {capture: true, once: true}), 0`, nil)
		b.Eval(`(f => { f.value = "low"; f.dispatchEvent(new Event("change", {bubbles: true})); })(document.getElementById("set-priority")), 0`, nil)
		b.Until(`document.querySelector("#news p")?.textContent.includes("changed meanwhile") && document.getElementById("set-priority").value == "high"`)
		says(t, 20, "priority: high")
	})
	for _, complaint := range b.Complaints {
		if !strings.Contains(complaint, "409") && !strings.Contains(complaint, "/d/ISS-000016") { // it is deleted
			t.Errorf("a page complains: %s", complaint)
		}
	}
}

// The pages do without their script all that they do with it, by links and forms.
func TestPagesWorkWithoutAScript(t *testing.T) {
	s := editable(t, many())
	list := s.page(t, "/list")
	for _, link := range []string{
		"/choose?field=priority&amp;from=%2Flist", "/choose?doc=ISS-000008&amp;field=status", "/list?sort=title", "/list?view=ready", "/d/ISS-000008",
	} {
		if !strings.Contains(list, `href="`+link) {
			t.Errorf("the list does not lead to %s", link)
		}
	}
	page := s.page(t, "/choose?doc=ISS-000008&field=priority&from=/list%3Fview%3Dready")
	form := formOf(t, `<form class="edit"`+strings.SplitN(page, `<form method="post" action="/save"`, 2)[1])
	form.Set("priority", "low")
	if w := s.post(t, "/save", form); leadsTo(w) != "/list?view=ready" {
		t.Errorf("a choice leads to %s", w.Header().Get("Location"))
	}
	if text := s.files(t)[".wrangler/issues/ISS-000008-x.md"]; !strings.Contains(text, "priority: low") {
		t.Errorf("the file is\n%s", text)
	}
	filtered := s.page(t, "/choose?field=labels&from="+url.QueryEscape("/list?view=all&where=priority+%3D+low"))
	if want := `href="/list?view=all&amp;where=` + url.QueryEscape("priority = low labels = core") + `"`; !strings.Contains(html.UnescapeString(filtered), html.UnescapeString(want)) {
		t.Errorf("no choice leads to %s:\n%s", want, filtered)
	}
	if w := s.get(t, "/go?q=8"); w.Header().Get("Location") != "/d/ISS-000008" {
		t.Errorf("an id leads to %q", w.Header().Get("Location"))
	}
}

// All scripts of the pages are one file of less than 30 KB, without a library.
func TestTheScriptIsSmall(t *testing.T) {
	s := serve(t, nil)
	if size := s.get(t, "/app.js").Body.Len(); size >= 30_000 {
		t.Errorf("the script has %d bytes", size)
	}
}
